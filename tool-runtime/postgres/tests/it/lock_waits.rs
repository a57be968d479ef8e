//! Claims and renewals that wait for another transaction until their lease is over.

use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore as _, KeyRecord, KeyState, PostgresStore,
    ScopedKey, StoreError, UnixMillis,
};

use crate::server;

const NOW: UnixMillis = UnixMillis::new(1_800_000_000_000);
const LEASE: Duration = Duration::from_secs(30);
/// The lease of a claim that waits for longer.
const SHORT_LEASE: Duration = Duration::from_millis(100);
/// A time at which the first owner's lease is over.
const LATER: UnixMillis = UnixMillis::new(NOW.get() + 60_000);

fn key(name: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:42", "book_seat", name)
}

fn request(key: &ScopedKey, now: UnixMillis) -> ClaimRequest {
    ClaimRequest::new(key.clone(), Digest::compute("test", b"{}"), now, LEASE).resolves(true)
}

async fn owned_key(store: &PostgresStore, name: &str) -> (ScopedKey, Fence) {
    let key = key(name);
    match store.claim(request(&key, NOW)).await.expect("a claim") {
        ClaimOutcome::Acquired(fence) => (key, fence),
        other => panic!("the key is free: {other:?}"),
    }
}

/// A transaction of another program that holds a lock.
struct Blocker {
    client: Client,
    id: i32,
}

impl Blocker {
    async fn new(url: &str, statement: &str) -> Self {
        let client = server::client(url).await;
        let id = client.query_one("SELECT pg_backend_pid()", &[]).await.expect("its id").get(0);
        client.batch_execute(&format!("BEGIN; {statement}")).await.expect("it locks");
        Self { client, id }
    }

    /// Ends the transaction after an operation has waited for it longer than its lease.
    async fn end_late(&self, end: &str) {
        // Not `pg_stat_activity`: within a transaction it stays as it was at its first use.
        let waits = "SELECT FROM pg_locks WHERE NOT granted AND $1 = ANY(pg_blocking_pids(pid))";
        while self.client.query(waits, &[&self.id]).await.expect("locks").is_empty() {
            tokio::task::yield_now().await;
        }
        let waiting = Instant::now();
        while waiting.elapsed() <= SHORT_LEASE {
            tokio::task::yield_now().await;
        }
        self.client.batch_execute(end).await.expect("it ends");
    }

    async fn claim_late(
        &self,
        store: &PostgresStore,
        key: &ScopedKey,
        end: &str,
    ) -> Result<ClaimOutcome, StoreError> {
        let request = ClaimRequest { lease: SHORT_LEASE, ..request(key, LATER) };
        let store = store.clone();
        let claim = tokio::spawn(async move { store.claim(request).await });
        self.end_late(end).await;
        claim.await.expect("the claim ends")
    }
}

/// Waits until the record is as expected; the runner of the tests bounds the time.
async fn wait_for(store: &PostgresStore, key: &ScopedKey, expected: Option<&KeyRecord>) {
    while store.find(key).await.expect("a record").as_ref() != expected {
        tokio::task::yield_now().await;
    }
}

#[track_caller]
fn assert_too_late(outcome: Result<ClaimOutcome, StoreError>) {
    let error = outcome.expect_err("a claim whose lease was over at its start");
    assert!(error.log().contains("longer than its lease"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_behind_a_lock_owns_nothing_once_its_lease_is_over() {
    let Some(url) = server::url() else { return };
    let (store, key) = (server::store(&url).await, key("new"));
    let digest = key.digest();
    let lock = i64::from_be_bytes(*digest.as_bytes().first_chunk().expect("eight bytes"));
    let blocker = Blocker::new(&url, &format!("SELECT pg_advisory_xact_lock({lock})")).await;
    assert_too_late(blocker.claim_late(&store, &key, "COMMIT").await);
    wait_for(&store, &key, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_behind_an_update_that_is_rolled_back_owns_nothing_once_its_lease_is_over() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let store = server::options().schema(&schema).connect(&url).await.expect("a store");
    let (key, _) = owned_key(&store, "rolled back").await;
    let before = store.find(&key).await.expect("a record").expect("the key");
    let renewal = format!("UPDATE {schema}.keys SET lease_until = lease_until + 3600000");
    let blocker = Blocker::new(&url, &renewal).await;
    assert_too_late(blocker.claim_late(&store, &key, "ROLLBACK").await);
    // The key is as it was, and a claim in time takes it over with a fence that no other owner had.
    wait_for(&store, &key, Some(&before)).await;
    match store.claim(request(&key, LATER)).await.expect("a claim") {
        ClaimOutcome::TakenOver(fence) => assert!(fence.get() > before.fence.get() + 1),
        other => panic!("the lease is over: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_behind_a_renewal_that_is_committed_finds_the_owner() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let store = server::options().schema(&schema).connect(&url).await.expect("a store");
    let (key, fence) = owned_key(&store, "committed").await;
    let renewal = format!("UPDATE {schema}.keys SET lease_until = lease_until + 3600000");
    let blocker = Blocker::new(&url, &renewal).await;
    let outcome = blocker.claim_late(&store, &key, "COMMIT").await.expect("a claim");
    assert!(matches!(outcome, ClaimOutcome::Running { .. }), "{outcome:?}");
    assert!(store.renew(&key, fence, LATER.after(LEASE)).await.expect("the owner renews"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewal_that_waited_holds_the_key_unless_another_owner_has_taken_it_over() {
    let Some(url) = server::url() else { return };
    let take_over = "UPDATE SCHEMA.keys SET fence = nextval('SCHEMA.fences')";
    for (statement, end, is_held) in [
        ("SELECT FROM SCHEMA.keys FOR UPDATE", "COMMIT", true),
        (take_over, "ROLLBACK", true),
        (take_over, "COMMIT", false),
    ] {
        let schema = server::schema();
        let store = server::options().schema(&schema).connect(&url).await.expect("a store");
        let (key, fence) = owned_key(&store, end).await;
        let blocker = Blocker::new(&url, &statement.replace("SCHEMA", &schema)).await;
        let renewal = {
            let (store, key) = (store.clone(), key.clone());
            tokio::spawn(async move { store.renew(&key, fence, LATER).await })
        };
        blocker.end_late(end).await;
        assert_eq!(renewal.await.expect("it ends").expect("an answer"), is_held, "{end}");
        let record = store.find(&key).await.expect("a record").expect("the key");
        let is_renewed = record.state == KeyState::Running { until: LATER };
        assert_eq!((is_renewed, record.fence == fence), (is_held, is_held), "{record:?}");
    }
}
