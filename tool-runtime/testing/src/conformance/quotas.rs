//! The conformance suite of callers' quotas, and of archived outcomes.

use std::time::Duration;

use tool_runtime_core::store::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, KeyState, ScopedKey, Settlement,
    StoredAnswer, TicketEnd, TicketQuota, TicketStore, UnixMillis, WaitingTicket,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::{START, at, done};

const LEASE: Duration = Duration::from_secs(30);

/// Checks the promises of callers' quotas of unknown outcomes and of tickets, and of outcomes that
/// are archived or distrusted.
///
/// The traits have default methods for a backend without these features. Such a backend passes
/// [`all`](super::all), but not this suite.
///
/// # Panics
/// Panics at the first broken promise.
pub async fn quotas<S: IdempotencyStore + TicketStore>(store: &S) {
    a_share_of_unknown_outcomes_is_its_callers(store).await;
    a_share_is_given_back_when_an_outcome_is_known(store).await;
    an_archived_key_refuses_every_claim(store).await;
    an_archive_takes_what_is_old_and_no_more_than_it_may(store).await;
    an_answer_that_is_not_trusted_is_unknown(store).await;
    an_unknown_outcome_is_found_by_its_fence(store).await;
    a_share_of_tickets_is_its_holders(store).await;
    a_share_of_tickets_counts_bytes(store).await;
}

struct KeyQuotaChecks<'a, S> {
    store: &'a S,
    tenant: Uuid,
}

impl<'a, S: IdempotencyStore> KeyQuotaChecks<'a, S> {
    fn new(store: &'a S) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn key(&self, key: &str) -> ScopedKey {
        ScopedKey::new(self.tenant, "user:42", "book_seat", key)
    }

    async fn claim(
        &self,
        key: &str,
        requester: &str,
        limit: usize,
        now: UnixMillis,
    ) -> ClaimOutcome {
        let request = ClaimRequest::new(self.key(key), arguments(), now, LEASE);
        done("claim", self.store.claim(request.with_quota(requester, limit)).await)
    }

    async fn settle(&self, key: &str, fence: Fence, settlement: Settlement) -> bool {
        done("settle", self.store.settle(&self.key(key), fence, settlement).await)
    }

    /// Leaves an unknown outcome.
    async fn lose(&self, key: &str, requester: &str, now: UnixMillis) -> Fence {
        let fence = match self.claim(key, requester, usize::MAX, now).await {
            ClaimOutcome::Acquired(fence) => fence,
            other => panic!("the first claimant gets a key; found {other:?}"),
        };
        assert!(self.settle(key, fence, Settlement::Unknown).await, "an owner settles its key");
        fence
    }

    async fn state(&self, key: &str) -> Option<KeyState> {
        done("find", self.store.find(&self.key(key)).await).map(|record| record.state)
    }
}

fn arguments() -> Digest {
    Digest::compute("conformance", b"12A")
}

async fn a_share_of_unknown_outcomes_is_its_callers<S: IdempotencyStore>(store: &S) {
    let keys = KeyQuotaChecks::new(store);
    for key in ["one", "two"] {
        keys.lose(key, "key:a", START).await;
    }
    let full = keys.claim("three", "key:a", 2, START).await;
    assert_eq!(full, ClaimOutcome::QuotaExceeded, "a caller with its quota gets no new key");
    assert_eq!(keys.state("three").await, None, "a key that is refused is not stored");
    let repeat_outcome = keys.claim("one", "key:a", 2, START).await;
    assert!(
        matches!(repeat_outcome, ClaimOutcome::Unknown(_)),
        "a quota refuses new keys alone: {repeat_outcome:?}"
    );
    let other = keys.claim("three", "key:b", 2, START).await;
    assert!(matches!(other, ClaimOutcome::Acquired(_)), "a quota is one caller's: {other:?}");
    let elsewhere = KeyQuotaChecks::new(store).claim("one", "key:a", 2, START).await;
    assert!(
        matches!(elsewhere, ClaimOutcome::Acquired(_)),
        "a quota is one tenant's: {elsewhere:?}"
    );
}

async fn a_share_is_given_back_when_an_outcome_is_known<S: IdempotencyStore>(store: &S) {
    let keys = KeyQuotaChecks::new(store);
    let answer = StoredAnswer::succeeded(b"1".to_vec(), b"{}".to_vec());
    let answered = Settlement::Answered { answer, keep_until: at(86_400) };
    for (number, settlement) in [answered, Settlement::Released].into_iter().enumerate() {
        let key = format!("known-{number}");
        let fence = keys.lose(&key, "key:a", START).await;
        let next = format!("next-{number}");
        let full = keys.claim(&next, "key:a", 1, START).await;
        assert_eq!(full, ClaimOutcome::QuotaExceeded, "a caller with its quota gets no new key");
        assert!(keys.settle(&key, fence, settlement).await, "an unknown outcome is settled");
        let free = keys.claim(&next, "key:a", 1, START).await;
        assert!(
            matches!(free, ClaimOutcome::Acquired(_)),
            "a known outcome frees its place: {free:?}"
        );
    }
}

async fn an_archived_key_refuses_every_claim<S: IdempotencyStore>(store: &S) {
    let keys = KeyQuotaChecks::new(store);
    let fence = keys.lose("old", "key:a", START).await;
    archive_all(store, START.after(LEASE)).await;
    assert_eq!(keys.state("old").await, Some(KeyState::Archived), "an archived key is found");
    let request = ClaimRequest::new(keys.key("old"), arguments(), at(3_600), LEASE);
    for request in [request.clone(), request.clone().resolves(true)] {
        let outcome = done("claim", store.claim(request).await);
        assert_eq!(outcome, ClaimOutcome::Archived, "an archived key refuses every claim");
    }
    let other = ClaimRequest { fingerprint: Digest::compute("conformance", b"14C"), ..request };
    let outcome = done("claim", store.claim(other).await);
    assert_eq!(outcome, ClaimOutcome::Mismatch, "an archived key belongs to its arguments");
    let unknown_records = done("unknown", store.list_unknown(keys.tenant, None, 10).await);
    assert_eq!(unknown_records, [], "an archived key is not listed as unknown");
    let free = keys.claim("new", "key:a", 1, START).await;
    assert!(matches!(free, ClaimOutcome::Acquired(_)), "an archived key has no place: {free:?}");
    let wrong = keys.settle("old", Fence::new(fence.get() + 1_000), Settlement::Released).await;
    assert!(!wrong, "an archived key is released only with its fence");
    assert!(keys.settle("old", fence, Settlement::Released).await, "an archived key is released");
    assert_eq!(keys.state("old").await, None, "a released key is deleted");
}

async fn an_archive_takes_what_is_old_and_no_more_than_it_may<S: IdempotencyStore>(store: &S) {
    archive_all(store, at(10_000)).await;
    let keys = KeyQuotaChecks::new(store);
    for number in 0..3 {
        keys.lose(&format!("old-{number}"), "key:a", START).await;
    }
    keys.lose("young", "key:a", at(1_000)).await;
    let mut archived = Vec::new();
    for limit in [0, 2, 2, 2] {
        archived.push(done("archive_unknown", store.archive_unknown(at(30), limit).await));
    }
    assert_eq!(
        archived,
        [0, 2, 1, 0],
        "it archives at most the given number, and returns how many"
    );
    assert_eq!(keys.state("young").await, Some(KeyState::Unknown), "recent outcomes stay unknown");
}

async fn archive_all<S: IdempotencyStore>(store: &S, before: UnixMillis) {
    while done("archive_unknown", store.archive_unknown(before, 1_000).await) > 0 {}
}

async fn an_answer_that_is_not_trusted_is_unknown<S: IdempotencyStore>(store: &S) {
    let keys = KeyQuotaChecks::new(store);
    let ClaimOutcome::Acquired(fence) = keys.claim("bad", "key:a", 9, START).await else {
        panic!("the first claimant gets a key")
    };
    let invalidate_answer =
        || async { done("invalidate_answer", store.invalidate_answer(&keys.key("bad")).await) };
    assert!(!invalidate_answer().await, "what runs has no answer");
    let answer = StoredAnswer::succeeded(b"1".to_vec(), b"{}".to_vec());
    let answered = Settlement::Answered { answer, keep_until: at(100) };
    assert!(keys.settle("bad", fence, answered).await, "an owner settles its key");
    assert!(invalidate_answer().await, "an answer is made unknown");
    assert_eq!(keys.state("bad").await, Some(KeyState::Unknown), "an answer is made unknown");
    done("sweep_keys", store.sweep_keys(at(1_000), 1_000).await);
    assert_eq!(keys.state("bad").await, Some(KeyState::Unknown), "an unknown outcome is not swept");
    assert!(keys.settle("bad", fence, Settlement::Released).await, "it is resolved like any other");
}

async fn an_unknown_outcome_is_found_by_its_fence<S: IdempotencyStore>(store: &S) {
    let keys = KeyQuotaChecks::new(store);
    let mut last = Fence::new(0);
    for number in 0..300 {
        last = keys.lose(&format!("lost-{number:03}"), "key:a", START).await;
    }
    let find_unknown_key = |tenant| async move {
        done("find_unknown", store.find_unknown(tenant, last).await).map(|record| record.key.key)
    };
    assert_eq!(
        find_unknown_key(keys.tenant).await.as_deref(),
        Some("lost-299"),
        "it is found by its fence"
    );
    assert_eq!(find_unknown_key(Uuid::now_v7()).await, None, "another tenant's is not found");
    assert!(keys.settle("lost-299", last, Settlement::Released).await, "it is settled");
    assert_eq!(find_unknown_key(keys.tenant).await, None, "only unknown outcomes are found");
}

fn ticket(tenant: Uuid, holder: &str, bytes: usize) -> WaitingTicket {
    let ticket = WaitingTicket::new(Uuid::now_v7(), tenant, "run-1", vec![7; bytes], at(100));
    ticket.with_quota_owner(holder)
}

async fn a_share_of_tickets_is_its_holders<S: TicketStore>(store: &S) {
    let tenant = Uuid::now_v7();
    let quota = TicketQuota::new(2, 1_000);
    let put = |ticket: WaitingTicket, now| async move {
        done("put_ticket_within", store.put_ticket_within(ticket, quota, now).await)
    };
    let first = ticket(tenant, "key:a", 6);
    let second = ticket(tenant, "key:a", 6);
    assert!(put(first.clone(), START).await && put(second.clone(), START).await);
    let third = ticket(tenant, "key:a", 6);
    assert!(!put(third.clone(), START).await, "a holder with its quota gets no more tickets");
    let stored_ticket = done("find_ticket", store.find_ticket(third.id).await);
    assert_eq!(stored_ticket, None, "a ticket that is refused is not kept");
    assert!(put(second.clone(), START).await, "a ticket that is kept may be put again");
    assert!(put(ticket(tenant, "key:b", 6), START).await, "a quota is one holder's");
    assert!(put(ticket(Uuid::now_v7(), "key:a", 6), START).await, "a quota is one tenant's");
    done("end_ticket", store.end_ticket(first.id, TicketEnd::Declined).await);
    assert!(put(third.clone(), START).await, "a ticket that has ended frees its quota");
    assert!(!put(ticket(tenant, "key:a", 6), START).await, "and only its own");
    done("supersede_tickets", store.supersede_tickets(tenant, "run-1").await);
    let later = WaitingTicket { expires_at: at(1_000), ..ticket(tenant, "key:a", 6) };
    assert!(put(later, START).await, "superseded tickets free their quotas");
    assert!(put(ticket(tenant, "key:a", 6), START).await);
    assert!(!put(ticket(tenant, "key:a", 6), at(99)).await);
    let late = WaitingTicket { expires_at: at(1_000), ..ticket(tenant, "key:a", 6) };
    assert!(put(late, at(100)).await, "an expired ticket frees its quota");
}

async fn a_share_of_tickets_counts_bytes<S: TicketStore>(store: &S) {
    let tenant = Uuid::now_v7();
    let quota = TicketQuota::new(100, 1_000);
    let put = |bytes| async move {
        let ticket = ticket(tenant, "key:a", bytes);
        done("put_ticket_within", store.put_ticket_within(ticket, quota, START).await)
    };
    assert!(put(600).await && put(400).await, "payloads may fill the quota");
    assert!(!put(1).await, "and no byte more");
}
