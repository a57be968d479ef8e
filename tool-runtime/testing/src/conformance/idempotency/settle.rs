//! Settlements: which of several stands.

use tool_runtime_core::store::{
    ClaimOutcome, Fence, IdempotencyStore, KeyState, Settlement, StoredAnswer,
};

use super::super::samples::{START, at};
use super::{KeyChecks, kept, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    an_owner_settles_after_its_lease(&KeyChecks::new(store)).await;
    an_owner_that_was_taken_over_settles_nothing(&KeyChecks::new(store)).await;
    a_settlement_may_be_repeated(&KeyChecks::new(store)).await;
    an_answer_is_final(&KeyChecks::new(store)).await;
    an_unknown_outcome_is_settled_with_its_fence(&KeyChecks::new(store)).await;
    nobody_settles_what_is_not_stored(&KeyChecks::new(store)).await;
    a_release_is_of_its_own_claim(&KeyChecks::new(store)).await;
    a_record_tells_how_it_was_settled(&KeyChecks::new(store)).await;
}

async fn an_owner_settles_after_its_lease(keys: &KeyChecks<'_>) {
    let key = keys.key("late");
    let fence = keys.first(&key, START).await;
    // The claim of another key tells the store the time.
    keys.first(&keys.key("other"), at(3_600)).await;
    let settled = keys.settle(&key, fence, kept(success("12A"))).await;
    assert!(settled, "an owner that was not taken over settles its key, however late");
    let outcome = keys.claim(&key, at(3_600)).await;
    assert_eq!(outcome, ClaimOutcome::Settled(success("12A")), "a settlement stands");
}

async fn an_owner_that_was_taken_over_settles_nothing(keys: &KeyChecks<'_>) {
    for (name, settlement) in settlements() {
        let key = keys.key(name);
        let frozen = keys.first(&key, START).await;
        let fence = keys.take_over(&key, at(60)).await;
        let running = keys.find(&key).await;
        let promise = "an owner that was taken over settles nothing";
        assert!(!keys.settle(&key, frozen, settlement.clone()).await, "{promise}: {name}");
        assert_eq!(keys.find(&key).await, running, "{promise}, and changes nothing: {name}");
        let settled = keys.settle(&key, fence, kept(success("14C"))).await;
        assert!(settled, "the later owner settles the key");
        assert!(!keys.settle(&key, frozen, settlement).await, "{promise}: {name}");
        let outcome = keys.claim(&key, at(61)).await;
        assert_eq!(
            outcome,
            ClaimOutcome::Settled(success("14C")),
            "{promise}, also afterwards: {name}"
        );
    }
}

async fn a_settlement_may_be_repeated(keys: &KeyChecks<'_>) {
    for (name, settlement) in settlements() {
        let key = keys.key(name);
        let fence = keys.first(&key, START).await;
        for time in ["first", "second", "third"] {
            let settled = keys.settle(&key, fence, settlement.clone()).await;
            assert!(settled, "a settlement may be repeated: {name}, the {time} time");
        }
    }
}

async fn an_answer_is_final(keys: &KeyChecks<'_>) {
    let key = keys.key("final");
    let fence = keys.first(&key, START).await;
    assert!(keys.settle(&key, fence, kept(success("12A"))).await, "an owner settles its key");
    let stored = keys.find(&key).await;
    let failed = StoredAnswer::failed(b"\"12A\"".to_vec(), b"{}".to_vec());
    let other = [kept(success("14C")), kept(failed), Settlement::Unknown, Settlement::Released];
    for settlement in other {
        let settled = keys.settle(&key, fence, settlement.clone()).await;
        assert!(!settled, "an answer is final, but {settlement:?} was put in its place");
    }
    assert_eq!(keys.find(&key).await, stored, "an answer is final");
}

async fn an_unknown_outcome_is_settled_with_its_fence(keys: &KeyChecks<'_>) {
    for (name, settlement) in settlements() {
        let key = keys.key(name);
        let fence = keys.first(&key, START).await;
        assert!(keys.settle(&key, fence, Settlement::Unknown).await, "an owner settles its key");
        let other = Fence::new(fence.get() + 1_000);
        let promise = "an unknown outcome is settled with its own fence";
        assert!(!keys.settle(&key, other, settlement.clone()).await, "{promise} alone: {name}");
        assert_eq!(keys.state(&key).await, Some(KeyState::Unknown), "{promise} alone: {name}");
        assert!(keys.settle(&key, fence, settlement.clone()).await, "{promise}: {name}");
        assert_eq!(keys.state(&key).await, state(settlement), "{promise}: {name}");
    }
}

async fn nobody_settles_what_is_not_stored(keys: &KeyChecks<'_>) {
    let key = keys.key("nobody");
    for settlement in [kept(success("12A")), Settlement::Unknown] {
        let settled = keys.settle(&key, Fence::new(1), settlement).await;
        assert!(!settled, "a key that is not stored is not settled");
        assert_eq!(keys.find(&key).await, None, "a key that is not stored is not settled");
    }
}

async fn a_release_is_of_its_own_claim(keys: &KeyChecks<'_>) {
    let key = keys.key("released");
    let earlier = keys.first(&key, START).await;
    assert!(keys.settle(&key, earlier, Settlement::Released).await, "an owner settles its key");
    keys.first(&key, at(1)).await;
    let stored = keys.find(&key).await;
    for (name, settlement) in settlements() {
        let settled = keys.settle(&key, earlier, settlement).await;
        assert!(!settled, "the owner of a released key does not settle the next claim: {name}");
        assert_eq!(keys.find(&key).await, stored, "a settlement that is refused changes nothing");
    }
}

async fn a_record_tells_how_it_was_settled(keys: &KeyChecks<'_>) {
    for (name, settlement) in settlements() {
        let key = keys.key(name);
        let fence = keys.first(&key, START).await;
        assert!(keys.settle(&key, fence, settlement.clone()).await, "an owner settles its key");
        let key_state = keys.state(&key).await;
        assert_eq!(key_state, state(settlement), "a record tells how it was settled: {name}");
    }
}

fn settlements() -> [(&'static str, Settlement); 3] {
    [
        ("answered", kept(success("12A"))),
        ("unknown", Settlement::Unknown),
        ("released", Settlement::Released),
    ]
}

fn state(settlement: Settlement) -> Option<KeyState> {
    match settlement {
        Settlement::Answered { answer, keep_until } => {
            Some(KeyState::Answered { answer, keep_until })
        }
        Settlement::Unknown => Some(KeyState::Unknown),
        Settlement::Released => None,
    }
}
