//! A store does what the shared state machine of keys decides, from each state.

use tool_runtime_core::store::{
    ClaimDecision, ClaimOutcome, Fence, IdempotencyStore, KeyRecord, KeyState, ScopedKey,
    Settlement, SettlementDecision,
};

use super::super::samples::at;
use super::{KeyChecks, arguments, kept, request, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    claims_are_decided_by_the_state(store).await;
    settlements_are_decided_by_the_state(store).await;
}

async fn claims_are_decided_by_the_state(store: &dyn IdempotencyStore) {
    for seconds in [0, 29, 30, 3_600] {
        for (seat, resolves) in [("12A", false), ("12A", true), ("14C", false), ("14C", true)] {
            let keys = KeyChecks::new(store);
            for (state, key) in keys_in_every_state(&keys).await {
                let mut request = request(&key, at(seconds)).resolves(resolves);
                request.fingerprint = arguments(seat);
                let decision = request.decide(keys.find(&key).await.as_ref());
                let outcome = keys.ask(request).await;
                let state_after = keys.state(&key).await;
                assert!(
                    is_claimed_as(&decision, &outcome, state_after.as_ref()),
                    "a claim of a key that is {state}, after {seconds} seconds, is decided as \
                     {decision:?}; found {outcome:?} and {state_after:?}",
                );
            }
        }
    }
}

async fn settlements_are_decided_by_the_state(store: &dyn IdempotencyStore) {
    let settlements =
        [kept(success("done")), kept(success("12A")), Settlement::Unknown, Settlement::Released];
    for settlement in settlements {
        for is_owner in [true, false] {
            let keys = KeyChecks::new(store);
            for (state, key) in keys_in_every_state(&keys).await {
                let record = keys.find(&key).await;
                let owner_fence = record.as_ref().map_or(Fence::new(1), |record| record.fence);
                let fence =
                    if is_owner { owner_fence } else { Fence::new(owner_fence.get() + 1_000_000) };
                let decision = settlement.decide(fence, record.as_ref());
                let is_settled = keys.settle(&key, fence, settlement.clone()).await;
                let after = keys.find(&key).await;
                assert_eq!(
                    (is_settled, after),
                    settled_as(decision, record),
                    "a key that is {state} is settled as {settlement:?}, by its owner: {is_owner}",
                );
            }
        }
    }
}

/// Brings keys into every stored state, and adds one that is not stored.
async fn keys_in_every_state(keys: &KeyChecks<'_>) -> Vec<(&'static str, ScopedKey)> {
    let mut states = keys.in_every_state().await;
    states.push(("free", keys.key("free")));
    states
}

fn is_claimed_as(
    decision: &ClaimDecision,
    outcome: &ClaimOutcome,
    after: Option<&KeyState>,
) -> bool {
    let is_running = |until| after == Some(&KeyState::Running { until });
    match decision {
        ClaimDecision::NotClaimed(expected) => outcome == expected,
        ClaimDecision::Insert { until } => {
            matches!(outcome, ClaimOutcome::Acquired(_)) && is_running(*until)
        }
        ClaimDecision::TakeOver { until } => {
            matches!(outcome, ClaimOutcome::TakenOver(_)) && is_running(*until)
        }
        ClaimDecision::ShortenLease { until } => {
            *outcome == ClaimOutcome::Running { until: *until } && is_running(*until)
        }
    }
}

/// Returns the answer of the store and the record after a settlement.
fn settled_as(
    decision: SettlementDecision,
    record: Option<KeyRecord>,
) -> (bool, Option<KeyRecord>) {
    match decision {
        SettlementDecision::Unchanged { is_settled } => (is_settled, record),
        SettlementDecision::Store { state, since } => {
            (true, record.map(|record| KeyRecord { state, since, ..record }))
        }
        SettlementDecision::Delete => (true, None),
    }
}
