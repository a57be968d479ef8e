//! The server's wall clock is set while leases run.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs};

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Clock as _, IdempotencyStore as _, PostgresStore, ScopedKey,
    SystemClock, UnixMillis,
};

use crate::private_server::PrivateServer;
use crate::server;

const LEASE: Duration = Duration::from_secs(30 * 60);

/// More than the calls of this test need, and less than a step.
const TOLERANCE: Duration = Duration::from_secs(60);

/// The file that says by what the server's clock differs.
struct ClockFile(PathBuf);

impl ClockFile {
    fn new() -> Self {
        let file = Self(env::temp_dir().join(format!("clock-{}", Uuid::now_v7())));
        file.set("+0");
        file
    }

    fn set(&self, difference: &str) {
        // The server never reads half of a text.
        let text = self.0.with_extension("new");
        fs::write(&text, difference).expect("a file");
        fs::rename(text, &self.0).expect("a file");
    }
}

impl Drop for ClockFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

async fn time(store: &PostgresStore) -> UnixMillis {
    store.read_time(SystemClock.read()).await.expect("a time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_agree_on_the_time_and_no_lease_ends_early_when_the_servers_clock_is_set() {
    if server::url().is_none() {
        return;
    }
    let clock = ClockFile::new();
    // The script says so if Debian's faketime is missing.
    let Some(server) = PrivateServer::start_with(Some(&clock.0)) else { return };
    let connect = || server::options().schema("tool_runtime").connect(&server.url);
    let replicas = [connect().await.expect("a store"), connect().await.expect("a store")];
    let (start, started) = (time(&replicas[0]).await, Instant::now());
    time(&replicas[1]).await;
    let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", "order-1");
    let request = |now| ClaimRequest::new(key.clone(), Digest::compute("test", b"{}"), now, LEASE);
    let outcome = replicas[0].claim(request(start)).await.expect("a claim");
    let ClaimOutcome::Acquired(fence) = outcome else { panic!("the key is free: {outcome:?}") };

    let (client, _connection) = server.client().await;
    let difference = "SELECT extract(epoch FROM clock_timestamp())::float8 - $1";
    for (step, seconds) in [("+3600", 3_600.0), ("-3600", -3_600.0), ("+0", 0.0)] {
        clock.set(step);
        let wall = Duration::from_millis(SystemClock.now().get()).as_secs_f64();
        let stepped: f64 = client.query_one(difference, &[&wall]).await.expect("a time").get(0);
        assert!((stepped - seconds).abs() < TOLERANCE.as_secs_f64(), "{step}: {stepped}");
        // The second replica notices a step back before the first one, and the other way round.
        let mut readers = [&replicas[1], &replicas[0]];
        if seconds > 0.0 {
            readers.reverse();
        }
        for replica in readers {
            let (now, expected) = (time(replica).await, start.after(started.elapsed()));
            let error = now.since(expected).max(expected.since(now));
            assert!(error < TOLERANCE, "{step}: {error:?}");
            let outcome = replica.claim(request(now).resolves(true)).await.expect("a claim");
            assert!(matches!(outcome, ClaimOutcome::Running { .. }), "{step}: {outcome:?}");
        }
    }
    let until = time(&replicas[0]).await.after(LEASE);
    assert!(replicas[0].renew(&key, fence, until).await.expect("the owner renews"));
}
