//! Claims of callers that disappear, and of many that compete.

use std::collections::HashSet;
use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

use futures::future::join_all;
use tokio_postgres::Client;
use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore, PostgresStore, ScopedKey, Settlement,
    StoreErrorKind, UnixMillis,
};

use crate::server;

const NOW: UnixMillis = UnixMillis::new(1_800_000_000_000);
const LEASE: Duration = Duration::from_secs(30);

fn key(name: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:42", "book_seat", name)
}

fn request(key: &ScopedKey, now: UnixMillis) -> ClaimRequest {
    ClaimRequest::new(key.clone(), Digest::compute("test", b"{}"), now, LEASE)
}

/// Waits until a record is as expected; the runner of the tests bounds the time.
async fn wait_for(store: &PostgresStore, key: &ScopedKey, is_expected: impl Fn(bool) -> bool) {
    while !is_expected(store.find(key).await.expect("a record").is_some()) {
        tokio::task::yield_now().await;
    }
}

/// The lock that a claim of the key takes in the server.
fn advisory_lock(key: &ScopedKey) -> i64 {
    let digest = key.digest();
    i64::from_be_bytes(*digest.as_bytes().first_chunk().expect("eight bytes"))
}

/// Waits until a statement waits for an advisory lock.
async fn wait_for_waiter(client: &Client, lock: i64) {
    let waiting = format!(
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = {}",
        lock & 0xffff_ffff
    );
    while client.query(&waiting, &[]).await.expect("locks").is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_whose_future_is_dropped_leaves_the_key_free() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    for polls in [1, 2, 50] {
        let key = key(&format!("dropped after {polls}"));
        {
            let mut claim = pin!(store.claim(request(&key, NOW)));
            let mut cx = Context::from_waker(Waker::noop());
            for _ in 0..polls {
                if claim.as_mut().poll(&mut cx).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        // The statement may have been executed by then; the key has no owner in the end.
        loop {
            match store.claim(request(&key, NOW)).await.expect("a claim") {
                ClaimOutcome::Running { .. } => tokio::task::yield_now().await,
                ClaimOutcome::Acquired(fence) => {
                    assert!(store.settle(&key, fence, Settlement::Released).await.expect("free"));
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        wait_for(&store, &key, |exists| !exists).await;
    }
}

/// The claim waits for a lock while its caller disappears.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_when_it_is_dropped_is_undone() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    let key = key("waits");
    let lock = advisory_lock(&key);
    let other = server::client(&url).await;
    other.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({lock})")).await.expect("it");
    {
        let mut claim = pin!(store.claim(request(&key, NOW)));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(claim.as_mut().poll(&mut cx).is_pending());
        wait_for_waiter(&other, lock).await;
    }
    other.batch_execute("COMMIT").await.expect("it");
    loop {
        match store.claim(request(&key, NOW)).await.expect("a claim") {
            ClaimOutcome::Running { .. } => tokio::task::yield_now().await,
            ClaimOutcome::Acquired(_) => break,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fences_rise_whoever_owns_the_key() {
    let Some(url) = server::url() else { return };
    let stores = {
        let options = server::options();
        let first = options.clone().connect(&url).await.expect("a store");
        let second = options.connect(&url).await.expect("a store");
        [first, second]
    };
    let keys = ["a", "b", "c", "d"].map(key);
    let claimant = |number: usize| {
        let (store, keys) = (stores[number % 2].clone(), keys.clone());
        tokio::spawn(async move {
            let mut fences = Vec::new();
            for turn in 0..60_u64 {
                let key = &keys[(usize::try_from(turn).expect("a number") + number) % keys.len()];
                // Half of the leases are over when the next claimant comes.
                let now = NOW.after(LEASE * u32::try_from(turn).expect("a number"));
                let claimed = match store.claim(request(key, now)).await {
                    Ok(claimed) => claimed,
                    // The others have changed the key before each of its attempts.
                    Err(error) if error.kind() == StoreErrorKind::Unavailable => continue,
                    Err(error) => panic!("{error}"),
                };
                match claimed {
                    ClaimOutcome::Acquired(fence) | ClaimOutcome::TakenOver(fence) => {
                        fences.push((key.key.clone(), fence.get()));
                        if turn % 3 == 0 {
                            store.settle(key, fence, Settlement::Released).await.expect("settled");
                        }
                    }
                    ClaimOutcome::Running { .. } => {}
                    other => panic!("{other:?}"),
                }
            }
            fences
        })
    };
    let claims = join_all((0..6).map(claimant)).await;
    let fences: Vec<_> = claims.into_iter().flat_map(|it| it.expect("a claimant")).collect();
    let distinct: HashSet<u64> = fences.iter().map(|(_, fence)| *fence).collect();
    assert!(fences.len() > 60, "{}", fences.len());
    assert_eq!(distinct.len(), fences.len());
}

/// A claim that waits for longer than its lease owns nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_took_longer_than_its_lease_is_undone() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    let key = key("slow");
    let request = ClaimRequest { lease: Duration::ZERO, ..request(&key, NOW) };
    let error = store.claim(request).await.expect_err("a lease that is over");
    assert!(error.log().contains("longer than its lease"), "{error}");
    wait_for(&store, &key, |exists| !exists).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_claimants_one_gets_the_key() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    for round in 0..10 {
        let key = key(&format!("round {round}"));
        let claims = (0..32).map(|_| store.claim(request(&key, NOW)));
        let outcomes: Vec<_> =
            join_all(claims).await.into_iter().map(|it| it.expect("a claim")).collect();
        let owners = outcomes.iter().filter(|it| matches!(it, ClaimOutcome::Acquired(_))).count();
        let others =
            outcomes.iter().filter(|it| matches!(it, ClaimOutcome::Running { .. })).count();
        assert_eq!((owners, others), (1, 31), "{outcomes:?}");
    }
}

/// A claim that waited for a connection longer than its lease has its lease from when it was sent, and owns the key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_for_a_connection_longer_than_its_lease_is_not_undone() {
    let Some(url) = server::url() else { return };
    let limit = Duration::from_secs(60);
    let options = server::options().max_connections(1).connect_timeout(limit).lock_timeout(limit);
    let store = options.statement_timeout(limit).connect(&url).await.expect("a store");
    // The first claim has the only connection until the lock is free.
    let first = key("first");
    let lock = advisory_lock(&first);
    let other = server::client(&url).await;
    other.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({lock})")).await.expect("it");
    let mut first_claim = pin!(store.claim(request(&first, NOW)));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(first_claim.as_mut().poll(&mut cx).is_pending());
    wait_for_waiter(&other, lock).await;
    // A claim alone takes a small part of its lease, on a busy machine too.
    let second = key("second");
    let mut second_claim =
        pin!(store.claim(ClaimRequest { lease: Duration::from_secs(2), ..request(&second, NOW) }));
    assert!(second_claim.as_mut().poll(&mut cx).is_pending());
    other.batch_execute("SELECT pg_sleep(2.1); COMMIT").await.expect("it");
    for claim in [first_claim.await, second_claim.await] {
        assert!(matches!(claim, Ok(ClaimOutcome::Acquired(_))), "{claim:?}");
    }
}
