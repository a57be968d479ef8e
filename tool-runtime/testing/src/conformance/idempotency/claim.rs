//! Claims: who gets a key, and the results for other claimants.

use tool_runtime_core::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore, KeyRecord, KeyState, Settlement, StoredAnswer,
};

use super::super::samples::{START, at, before, bytes};
use super::{KeyChecks, LEASE, arguments, kept, request, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    the_first_claimant_gets_a_key(&KeyChecks::new(store)).await;
    a_running_key_is_not_given_away(&KeyChecks::new(store)).await;
    an_answered_key_answers_every_repeat(&KeyChecks::new(store)).await;
    an_answer_is_kept_byte_for_byte(&KeyChecks::new(store)).await;
    an_unknown_key_is_kept_from_who_cannot_resolve_it(&KeyChecks::new(store)).await;
    an_unknown_key_goes_to_who_resolves_it(&KeyChecks::new(store)).await;
    a_released_key_is_as_new(&KeyChecks::new(store)).await;
    other_arguments_mismatch_in_every_state(&KeyChecks::new(store)).await;
}

async fn the_first_claimant_gets_a_key(keys: &KeyChecks<'_>) {
    let key = keys.key("first");
    assert_eq!(keys.find(&key).await, None, "an unclaimed key is not stored");
    let fence = keys.first(&key, START).await;
    let state = KeyState::Running { until: START.after(LEASE) };
    let record = KeyRecord::new(key.clone(), arguments("12A"), fence, state);
    assert_eq!(keys.find(&key).await, Some(record), "a claimed key runs until its lease is over");
}

async fn a_running_key_is_not_given_away(keys: &KeyChecks<'_>) {
    let key = keys.key("running");
    keys.first(&key, START).await;
    let until = START.after(LEASE);
    for now in [START, at(1), before(until)] {
        let promise = "a running key is given to no other claimant";
        assert_eq!(keys.claim(&key, now).await, ClaimOutcome::Running { until }, "{promise}");
        assert_eq!(keys.resolve(&key, now).await, ClaimOutcome::Running { until }, "{promise}");
    }
}

async fn an_answered_key_answers_every_repeat(keys: &KeyChecks<'_>) {
    let failure = StoredAnswer::failed(b"{\"code\":\"SOLD_OUT\"}".to_vec(), b"{}".to_vec());
    for (name, answer) in [("succeeded", success("12A")), ("failed", failure)] {
        let key = keys.key(name);
        let fence = keys.first(&key, START).await;
        let settled = keys.settle(&key, fence, kept(answer.clone())).await;
        assert!(settled, "an owner settles its key: {name}");
        for now in [START, at(1), at(3_600), before(at(86_400))] {
            let promise = "a repeat gets the answer, whether success or final failure";
            assert_eq!(
                keys.claim(&key, now).await,
                ClaimOutcome::Settled(answer.clone()),
                "{promise}"
            );
            let again = keys.resolve(&key, now).await;
            assert_eq!(again, ClaimOutcome::Settled(answer.clone()), "{promise}");
        }
    }
}

async fn an_answer_is_kept_byte_for_byte(keys: &KeyChecks<'_>) {
    for (number, bytes) in bytes().into_iter().enumerate() {
        let (key, length) = (keys.key(&format!("bytes-{number}")), bytes.len());
        let answer = StoredAnswer::succeeded(bytes.clone(), bytes);
        let fence = keys.first(&key, START).await;
        assert!(keys.settle(&key, fence, kept(answer.clone())).await, "an owner settles its key");
        let same = keys.claim(&key, at(1)).await == ClaimOutcome::Settled(answer);
        assert!(same, "an answer is kept byte for byte; {length} bytes came back changed");
    }
}

async fn an_unknown_key_is_kept_from_who_cannot_resolve_it(keys: &KeyChecks<'_>) {
    let key = keys.key("unknown");
    let fence = keys.first(&key, START).await;
    assert!(keys.settle(&key, fence, Settlement::Unknown).await, "an owner settles its key");
    for now in [START, at(1), at(3_600), at(864_000)] {
        let promise = "an unknown outcome is not given to a claimant that cannot resolve it";
        assert_eq!(keys.claim(&key, now).await, ClaimOutcome::Unknown(fence), "{promise}");
    }
}

async fn an_unknown_key_goes_to_who_resolves_it(keys: &KeyChecks<'_>) {
    let key = keys.key("resolved");
    let lost = keys.first(&key, START).await;
    assert!(keys.settle(&key, lost, Settlement::Unknown).await, "an owner settles its key");
    let outcome = keys.resolve(&key, at(1)).await;
    let ClaimOutcome::TakenOver(fence) = outcome else {
        panic!("an unknown outcome is given to a claimant that can resolve it; found {outcome:?}");
    };
    assert!(fence > lost, "a later owner has a greater fence; found {fence:?} after {lost:?}");
    let until = at(1).after(LEASE);
    let outcome = keys.resolve(&key, at(2)).await;
    assert_eq!(outcome, ClaimOutcome::Running { until }, "an outcome is resolved by one at a time");
}

async fn a_released_key_is_as_new(keys: &KeyChecks<'_>) {
    let key = keys.key("released");
    let fence = keys.first(&key, START).await;
    assert!(keys.settle(&key, fence, Settlement::Released).await, "an owner settles its key");
    assert_eq!(keys.find(&key).await, None, "a released key is deleted");
    let other = ClaimRequest::new(key, arguments("14C"), at(1), LEASE);
    let outcome = keys.ask(other).await;
    let free = matches!(outcome, ClaimOutcome::Acquired(_));
    assert!(free, "a released key is as new, also for other arguments; found {outcome:?}");
}

async fn other_arguments_mismatch_in_every_state(keys: &KeyChecks<'_>) {
    for (state, key) in keys.in_every_state().await {
        let stored = keys.find(&key).await;
        for now in [START, at(1), START.after(LEASE), at(3_600)] {
            let other = ClaimRequest { fingerprint: arguments("14C"), ..request(&key, now) };
            for other in [other.clone(), other.resolves(true)] {
                let outcome = keys.ask(other).await;
                assert_eq!(outcome, ClaimOutcome::Mismatch, "other arguments do not fit: {state}");
            }
        }
        assert_eq!(keys.find(&key).await, stored, "a mismatch changes nothing: {state}");
    }
}
