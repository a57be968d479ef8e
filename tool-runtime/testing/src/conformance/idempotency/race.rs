//! Concurrent claimants, and claimants that are dropped.

use std::task::Poll;

use futures::future::{join, join_all};
use futures::poll;
use tool_runtime_core::store::{ClaimOutcome, IdempotencyStore, ScopedKey, Settlement};

use super::super::samples::{CROWD, START, at, done, pause};
use super::{KeyChecks, LEASE, kept, request, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    one_of_many_claimants_is_first(&KeyChecks::new(store)).await;
    one_of_many_claimants_takes_over(&KeyChecks::new(store)).await;
    one_of_many_settlements_stands(&KeyChecks::new(store)).await;
    a_key_is_settled_or_taken_over_never_both(&KeyChecks::new(store)).await;
    a_lease_is_renewed_or_taken_over_never_both(&KeyChecks::new(store)).await;
    a_claim_that_is_dropped_is_not_held(&KeyChecks::new(store)).await;
}

async fn one_of_many_claimants_is_first(keys: &KeyChecks<'_>) {
    let key = keys.key("first");
    let outcomes = join_all((0..CROWD).map(|_| keys.claim(&key, START))).await;
    let first =
        outcomes.iter().filter(|claimed| matches!(claimed, ClaimOutcome::Acquired(_))).count();
    assert_eq!(first, 1, "one of many claimants is first; found {outcomes:?}");
    let running = ClaimOutcome::Running { until: START.after(LEASE) };
    let others = outcomes.iter().filter(|claimed| **claimed == running).count();
    assert_eq!(others, CROWD - 1, "all others get `Running`; found {outcomes:?}");
}

async fn one_of_many_claimants_takes_over(keys: &KeyChecks<'_>) {
    let (lost, unknown) = (keys.key("lost"), keys.key("unknown"));
    keys.first(&lost, START).await;
    let fence = keys.first(&unknown, START).await;
    assert!(keys.settle(&unknown, fence, Settlement::Unknown).await, "an owner settles its key");
    for key in [lost, unknown] {
        let outcomes = join_all((0..CROWD).map(|_| keys.resolve(&key, at(60)))).await;
        let taken = outcomes.iter().filter(|claimed| matches!(claimed, ClaimOutcome::TakenOver(_)));
        assert_eq!(taken.count(), 1, "one of many claimants takes over; found {outcomes:?}");
        let running = ClaimOutcome::Running { until: at(60).after(LEASE) };
        let others = outcomes.iter().filter(|claimed| **claimed == running).count();
        assert_eq!(others, CROWD - 1, "all others get `Running`; found {outcomes:?}");
    }
}

async fn one_of_many_settlements_stands(keys: &KeyChecks<'_>) {
    let key = keys.key("settled");
    let fence = keys.first(&key, START).await;
    let answers = (0..CROWD).map(|number| success(&number.to_string())).collect::<Vec<_>>();
    let settled = answers.iter().map(|answer| keys.settle(&key, fence, kept(answer.clone())));
    let settled = join_all(settled).await;
    let standing = answers.iter().zip(&settled).filter(|(_, stands)| **stands);
    let standing = standing.map(|(answer, _)| answer.clone()).collect::<Vec<_>>();
    assert_eq!(standing.len(), 1, "one of many settlements stands; found {settled:?}");
    let outcome = keys.claim(&key, at(1)).await;
    assert_eq!(
        outcome,
        ClaimOutcome::Settled(standing[0].clone()),
        "the one that was told true stands"
    );
}

async fn a_key_is_settled_or_taken_over_never_both(keys: &KeyChecks<'_>) {
    for number in 0..CROWD {
        let key = keys.key(&number.to_string());
        let fence = keys.first(&key, START).await;
        let settle = keys.settle(&key, fence, kept(success("12A")));
        let (settled, found) = if number % 2 == 0 {
            join(settle, keys.claim(&key, at(60))).await
        } else {
            let (found, settled) = join(keys.claim(&key, at(60)), settle).await;
            (settled, found)
        };
        let fits = match &found {
            ClaimOutcome::Settled(answer) => settled && *answer == success("12A"),
            ClaimOutcome::TakenOver(_) => !settled,
            ClaimOutcome::Acquired(_)
            | ClaimOutcome::Running { .. }
            | ClaimOutcome::Unknown(_)
            | ClaimOutcome::Mismatch
            | ClaimOutcome::Damaged(_)
            | ClaimOutcome::Archived
            | ClaimOutcome::QuotaExceeded => false,
        };
        assert!(fits, "a key is settled or taken over, never both; found {settled}, {found:?}");
    }
}

async fn a_lease_is_renewed_or_taken_over_never_both(keys: &KeyChecks<'_>) {
    let until = at(60).after(LEASE);
    for number in 0..CROWD {
        let key = keys.key(&number.to_string());
        let fence = keys.first(&key, START).await;
        let renew = keys.renew(&key, fence, until);
        let (renewed, found) = if number % 2 == 0 {
            join(renew, keys.claim(&key, at(60))).await
        } else {
            let (found, renewed) = join(keys.claim(&key, at(60)), renew).await;
            (renewed, found)
        };
        let fits = match &found {
            ClaimOutcome::Running { until: end } => renewed && *end == until,
            ClaimOutcome::TakenOver(_) => !renewed,
            ClaimOutcome::Acquired(_)
            | ClaimOutcome::Settled(_)
            | ClaimOutcome::Unknown(_)
            | ClaimOutcome::Mismatch
            | ClaimOutcome::Damaged(_)
            | ClaimOutcome::Archived
            | ClaimOutcome::QuotaExceeded => false,
        };
        assert!(fits, "a lease is renewed or taken over, never both; found {renewed}, {found:?}");
    }
}

async fn a_claim_that_is_dropped_is_not_held(keys: &KeyChecks<'_>) {
    for polls in 0..8 {
        let key = keys.key(&format!("dropped-{polls}"));
        if let Some(claimed) = claim_and_drop(keys, &key, polls).await {
            let ClaimOutcome::Acquired(fence) = claimed else {
                panic!("the first claimant gets a key; found {claimed:?}");
            };
            assert!(
                keys.settle(&key, fence, Settlement::Released).await,
                "an owner settles its key"
            );
        }
        assert_comes_free(keys, &key).await;
    }
}

/// Drops a claim after so many polls, unless it is ready by then.
async fn claim_and_drop(
    keys: &KeyChecks<'_>,
    key: &ScopedKey,
    polls: usize,
) -> Option<ClaimOutcome> {
    let mut claim = keys.store.claim(request(key, START));
    for _ in 0..polls {
        if let Poll::Ready(claimed) = poll!(&mut claim) {
            return Some(done("claim", claimed));
        }
        pause().await;
    }
    None
}

/// Gives the backend time to undo a claim, counted in its own round trips.
async fn assert_comes_free(keys: &KeyChecks<'_>, key: &ScopedKey) {
    let mut outcome = keys.claim(key, START).await;
    for _ in 0..1_000 {
        if !matches!(outcome, ClaimOutcome::Running { .. }) {
            break;
        }
        pause().await;
        outcome = keys.claim(key, START).await;
    }
    let free = matches!(outcome, ClaimOutcome::Acquired(_));
    assert!(free, "a claim that is dropped before it is ready is not held; found {outcome:?}");
}
