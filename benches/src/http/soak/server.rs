//! The server of the soak, in its own process.

use std::io::BufRead;
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tool_runtime::http::{
    ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, RateLimits, Server, ServerLimits,
    router, shutdown_signal,
};
use tool_runtime::ledger::{JsonLinesLedger, Ledger};
use tool_runtime::policy::{KeyRing, RateLimit};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use super::memory::live;
use super::request::KEY;
use super::tools::{self, Trail};
use super::{FAREWELL, GRACE, WANTED_PANIC};
use crate::http::contestant::say;
use crate::rates::text;

/// The number of unintended panics.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// The file of the tools' own log.
pub(super) const TRAIL: &str = "trail.txt";

/// The file of the ledger.
pub(super) const LEDGER: &str = "ledger.jsonl";

/// Serves until this process is stopped, or its parent has exited.
///
/// # Errors
/// Its files cannot be written, or it does not shut down cleanly.
pub fn serve(folder: &str) -> Result<(), String> {
    count_panics();
    tokio::runtime::Runtime::new().map_err(text)?.block_on(play(Path::new(folder)))
}

async fn play(folder: &Path) -> Result<(), String> {
    let trail = Arc::new(Trail::create(&folder.join(TRAIL)).map_err(text)?);
    let store = JsonLinesLedger::open(folder.join(LEDGER)).map_err(text)?;
    let ledger = Ledger::builder(keys()?).open(store).map_err(text)?;
    let runtime = tools::add(Runtime::builder())
        .shared_state(trail.clone())
        .store(SqliteStore::open(folder.join("tools.db")).map_err(text)?)
        .ledger(&ledger)
        .build()
        .map_err(text)?;
    let config = HttpConfig::new(auth()?).ledger(&ledger).rates(rates()?);
    let drain = config.drain();
    let server = Server::new(router(runtime, config), drain).limits(limits());
    let bound = server.bind("127.0.0.1:0").await.map_err(text)?;
    say(&format!("listening {}", bound.local_addr().port()))?;
    let gone = answer_the_parent();
    let end = async {
        tokio::select! {
            () = shutdown_signal() => {}
            _ = gone => {}
        }
    };
    let ended = bound.run(end).await.map_err(text)?;
    ledger.close().await.map_err(text)?;
    trail.flush().map_err(text)?;
    say(&format!("ended cancelled={} cut={}", ended.cancelled, ended.aborted_connections))
}

/// Returns the ledger's keys.
pub(super) fn keys() -> Result<KeyRing, String> {
    KeyRing::new("soak", &[7; 32]).map_err(text)
}

fn auth() -> Result<Auth, String> {
    let key = ApiKey::new(KEY).map_err(text)?;
    let set = ApiKeySet::new().with(key.hash(), Principal::trusted("soak")).map_err(text)?;
    Ok(Auth::new().api_keys(&ApiKeys::new(set)))
}

/// A limit that is never reached, so that there is an allowance for each tenant and tool.
fn rates() -> Result<RateLimits, String> {
    Ok(RateLimits::none().calls(RateLimit::per_second(100_000).map_err(text)?))
}

/// The default limits, except those that would make a slow client's end take longer than the soak.
fn limits() -> ServerLimits {
    let mut limits = ServerLimits::default();
    limits.header_timeout = Duration::from_secs(2);
    limits.request_body_timeout = Duration::from_secs(2);
    limits.write_timeout = Duration::from_secs(2);
    limits.shutdown_timeout = GRACE;
    limits.cancel_timeout = FAREWELL;
    limits
}

/// Counts panics; intended ones are not printed or counted.
fn count_panics() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload().downcast_ref::<&str>();
        if payload.is_none_or(|text| *text != WANTED_PANIC) {
            PANICS.fetch_add(1, Ordering::Relaxed);
            print(info);
        }
    }));
}

/// Reports the server's state when the parent asks; the receiver completes when the parent has
/// exited.
fn answer_the_parent() -> oneshot::Receiver<()> {
    let (gone, heard) = oneshot::channel();
    let tasks = Handle::current();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
            let alive = tasks.metrics().num_alive_tasks();
            let panics = PANICS.load(Ordering::Relaxed);
            let said = live()
                .and_then(|live| say(&format!("tasks={alive} panics={panics} live_bytes={live}")));
            if said.is_err() {
                break;
            }
        }
        drop(gone);
    });
    heard
}
