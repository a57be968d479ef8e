//! The conformance suite of idempotency stores.

mod claim;
mod decision;
mod lease;
mod race;
mod scope;
mod settle;
mod sweep;
mod time;

use std::time::Duration;

use tool_runtime_core::store::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, KeyRecord, KeyState, ScopedKey,
    Settlement, StoredAnswer, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::{at, done};

/// Checks every promise of an [`IdempotencyStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn idempotency(store: &dyn IdempotencyStore) {
    claim::all(store).await;
    lease::all(store).await;
    settle::all(store).await;
    scope::all(store).await;
    sweep::all(store).await;
    race::all(store).await;
    time::all(store).await;
    decision::all(store).await;
}

/// The lease of every claim.
const LEASE: Duration = Duration::from_secs(30);

/// The keys of a tenant that one check owns.
struct KeyChecks<'a> {
    store: &'a dyn IdempotencyStore,
    tenant: Uuid,
}

impl<'a> KeyChecks<'a> {
    fn new(store: &'a dyn IdempotencyStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn key(&self, key: &str) -> ScopedKey {
        ScopedKey::new(self.tenant, "user:42", "book_seat", key)
    }

    async fn ask(&self, request: ClaimRequest) -> ClaimOutcome {
        done("claim", self.store.claim(request).await)
    }

    async fn claim(&self, key: &ScopedKey, now: UnixMillis) -> ClaimOutcome {
        self.ask(request(key, now)).await
    }

    async fn resolve(&self, key: &ScopedKey, now: UnixMillis) -> ClaimOutcome {
        self.ask(request(key, now).resolves(true)).await
    }

    /// Claims a new key.
    async fn first(&self, key: &ScopedKey, now: UnixMillis) -> Fence {
        match self.claim(key, now).await {
            ClaimOutcome::Acquired(fence) => fence,
            other => panic!("the first claimant gets a key; found {other:?}"),
        }
    }

    /// Claims a key whose owner's lease has expired.
    async fn take_over(&self, key: &ScopedKey, now: UnixMillis) -> Fence {
        match self.claim(key, now).await {
            ClaimOutcome::TakenOver(fence) => fence,
            other => panic!("a key whose lease has expired is taken over; found {other:?}"),
        }
    }

    async fn renew(&self, key: &ScopedKey, fence: Fence, until: UnixMillis) -> bool {
        done("renew", self.store.renew(key, fence, until).await)
    }

    async fn settle(&self, key: &ScopedKey, fence: Fence, settlement: Settlement) -> bool {
        done("settle", self.store.settle(key, fence, settlement).await)
    }

    async fn find(&self, key: &ScopedKey) -> Option<KeyRecord> {
        done("find", self.store.find(key).await)
    }

    async fn state(&self, key: &ScopedKey) -> Option<KeyState> {
        self.find(key).await.map(|record| record.state)
    }

    async fn sweep(&self, now: UnixMillis, limit: usize) -> usize {
        done("sweep_keys", self.store.sweep_keys(now, limit).await)
    }

    /// Sweeps until nothing is left to sweep.
    async fn sweep_all(&self, now: UnixMillis) {
        for _ in 0..1_000 {
            if self.sweep(now, 1_000).await == 0 {
                return;
            }
        }
        panic!("sweeping ends; there were more after a million records");
    }

    /// Brings keys into every stored state.
    async fn in_every_state(&self) -> Vec<(&'static str, ScopedKey)> {
        let states = ["running", "unknown", "succeeded", "failed"];
        let keys = states.map(|state| (state, self.key(state)));
        for (state, key) in &keys {
            let fence = self.first(key, at(0)).await;
            let settlement = match *state {
                "unknown" => Settlement::Unknown,
                "succeeded" => kept(success("done")),
                "failed" => kept(StoredAnswer::failed(b"\"no seat\"".to_vec(), b"{}".to_vec())),
                _ => continue,
            };
            assert!(self.settle(key, fence, settlement).await, "an owner settles its key");
        }
        keys.to_vec()
    }
}

fn request(key: &ScopedKey, now: UnixMillis) -> ClaimRequest {
    ClaimRequest::new(key.clone(), arguments("12A"), now, LEASE)
}

fn arguments(seat: &str) -> Digest {
    Digest::compute("conformance", seat.as_bytes())
}

fn success(text: &str) -> StoredAnswer {
    StoredAnswer::succeeded(format!("\"{text}\"").into_bytes(), b"{}".to_vec())
}

/// Settles with an answer that is kept for a day.
fn kept(answer: StoredAnswer) -> Settlement {
    Settlement::Answered { answer, keep_until: at(86_400) }
}
