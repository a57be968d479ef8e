//! The servers of the load test.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tool_runtime::http::{
    ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, RateLimits, Server, router,
};
use tool_runtime::ledger::{JsonLinesLedger, Ledger, SqliteLedger};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;

use super::catalogue::{Catalogue, SearchContentTool};
use super::{KEY, by_hand};
use crate::rates::text;

/// A server of the load test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contestant {
    /// The handler that was written only for it.
    ByHand,
    /// This project, without a ledger.
    Ours,
    /// This project, on axum's server instead of its own.
    OnAxumServe,
    /// This project, with each request authenticated by a key.
    Keys,
    /// This project, with a ledger in lines of JSON.
    JsonLines,
    /// This project, with a ledger in `SQLite`.
    Sqlite,
    /// `FastAPI`, pydantic and uvicorn.
    FastApi,
}

impl Contestant {
    pub(super) const ALL: [Self; 7] = [
        Self::ByHand,
        Self::Ours,
        Self::OnAxumServe,
        Self::Keys,
        Self::JsonLines,
        Self::Sqlite,
        Self::FastApi,
    ];

    /// Returns the name in the table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ByHand => "(a) axum, by hand",
            Self::Ours => "(b) tool-runtime",
            Self::OnAxumServe => "    on axum::serve",
            Self::Keys => "    with API keys",
            Self::JsonLines => "(c) with the ledger, JSON Lines",
            Self::Sqlite => "    with the ledger, SQLite",
            Self::FastApi => "(d) FastAPI, pydantic, uvicorn",
        }
    }

    /// Returns whether it is this project, whose answers are byte for byte those of the
    /// hand-written handler.
    pub(super) fn is_ours(self) -> bool {
        !matches!(self, Self::ByHand | Self::FastApi)
    }

    /// Returns the command that serves it in its own process.
    pub(super) fn command(self, folder: &Path) -> Result<Command, String> {
        serving("http-serve", self, folder)
    }
}

/// Returns the command of this program that serves as one of the servers.
pub(super) fn serving(
    mode: &str,
    contestant: impl std::fmt::Debug,
    folder: &Path,
) -> Result<Command, String> {
    let mut command = Command::new(std::env::current_exe().map_err(text)?);
    command.arg(mode).arg(format!("{contestant:?}")).arg(folder);
    Ok(command)
}

/// Serves as requested by the parent process, until standard input is closed.
///
/// # Errors
/// The server is unknown, or cannot be started.
pub fn serve(name: &str, folder: &str) -> Result<(), String> {
    let named = |it: &Contestant| format!("{it:?}") == name;
    let contestant = Contestant::ALL.into_iter().find(named);
    let contestant = contestant.ok_or("only `figures http` starts this")?;
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    executor.block_on(play(contestant, Path::new(folder)))
}

async fn play(contestant: Contestant, folder: &Path) -> Result<(), String> {
    let ledger = ledger(contestant, folder)?;
    match contestant {
        Contestant::ByHand => on_axum_serve(by_hand::router()).await?,
        Contestant::OnAxumServe => {
            on_axum_serve(router(runtime(None)?, config(trusting(), None))).await?;
        }
        Contestant::Keys => on_our_own(asking_for_keys()?, None).await?,
        _ => on_our_own(trusting(), ledger.as_ref()).await?,
    }
    if let Some(ledger) = ledger {
        ledger.close().await.map_err(text)?;
        let status = ledger.status();
        println!("ledger written={} shed={} lost={}", status.written, status.shed, status.lost);
    }
    Ok(())
}

pub(super) fn runtime(ledger: Option<&Ledger>) -> Result<Runtime, String> {
    let builder = Runtime::builder().tool::<SearchContentTool>().state(Catalogue::new());
    let builder = match ledger {
        Some(ledger) => builder.ledger(ledger),
        None => builder,
    };
    builder.build().map_err(text)
}

pub(super) fn trusting() -> Auth {
    Auth::unauthenticated_as(Principal::trusted("figures"))
}

fn asking_for_keys() -> Result<Auth, String> {
    let key = ApiKey::new(KEY).map_err(text)?;
    let set = ApiKeySet::new().with(key.hash(), Principal::trusted("figures")).map_err(text)?;
    Ok(Auth::new().api_keys(&ApiKeys::new(set)))
}

fn config(auth: Auth, ledger: Option<&Ledger>) -> HttpConfig {
    // One principal makes all requests, as fast as it can.
    let config = HttpConfig::new(auth).rates(RateLimits::none());
    match ledger {
        Some(ledger) => config.ledger(ledger),
        None => config,
    }
}

fn ledger(contestant: Contestant, folder: &Path) -> Result<Option<Ledger>, String> {
    let keys = KeyRing::new("figures", &[7; 32]).map_err(text)?;
    let builder = Ledger::builder(keys);
    match contestant {
        Contestant::JsonLines => {
            builder.open(JsonLinesLedger::open(folder.join("ledger.jsonl")).map_err(text)?)
        }
        Contestant::Sqlite => {
            builder.open(SqliteLedger::open(folder.join("ledger.db")).map_err(text)?)
        }
        _ => return Ok(None),
    }
    .map(Some)
    .map_err(text)
}

async fn on_our_own(auth: Auth, ledger: Option<&Ledger>) -> Result<(), String> {
    let config = config(auth, ledger);
    let drain = config.drain();
    let server = Server::new(router(runtime(ledger)?, config), drain);
    let bound = server.bind("127.0.0.1:0").await.map_err(text)?;
    say(&format!("listening {}", bound.local_addr().port()))?;
    bound.run(parent_has_gone()).await.map(drop).map_err(text)
}

pub(super) async fn on_axum_serve(app: Router) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(text)?;
    say(&format!("listening {}", listener.local_addr().map_err(text)?.port()))?;
    let listener = listener.tap_io(|stream| {
        // Without it a small answer may wait for the client's acknowledgement of the previous one.
        let _ = stream.set_nodelay(true);
    });
    tokio::select! {
        ended = async { axum::serve(listener, app).await } => ended.map_err(text),
        () = parent_has_gone() => Ok(()),
    }
}

/// Prints a line to the parent, and flushes it.
pub(super) fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(text)
}

/// Waits until the parent closes this process's standard input, or exits.
async fn parent_has_gone() {
    let (gone, heard) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(gone);
    });
    let _ = heard.await;
}
