//! Leases: how long an owner holds a key, and how it loses it.

use std::time::Duration;

use tool_runtime_core::store::{
    ClaimOutcome, Fence, IdempotencyStore, KeyState, Settlement, UnixMillis,
};

use super::super::samples::{START, at, before};
use super::{KeyChecks, LEASE, kept, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    a_lease_that_is_over_is_taken_over_once(&KeyChecks::new(store)).await;
    a_renewed_lease_holds(&KeyChecks::new(store)).await;
    a_renewal_shortens_nothing(&KeyChecks::new(store)).await;
    a_lease_that_is_over_may_be_renewed_until_it_is_taken_over(&KeyChecks::new(store)).await;
    only_who_runs_renews(&KeyChecks::new(store)).await;
    a_clock_set_back_cuts_the_lease(&KeyChecks::new(store)).await;
    every_fence_is_greater_than_those_before(&KeyChecks::new(store)).await;
}

async fn a_lease_that_is_over_is_taken_over_once(keys: &KeyChecks<'_>) {
    let key = keys.key("over");
    let frozen = keys.first(&key, START).await;
    let over = START.after(LEASE);
    let fence = keys.take_over(&key, over).await;
    assert!(fence > frozen, "a later owner has a greater fence; found {fence:?} after {frozen:?}");
    let until = over.after(LEASE);
    let outcome = keys.claim(&key, over).await;
    assert_eq!(outcome, ClaimOutcome::Running { until }, "a lease that is over is taken over once");
}

async fn a_renewed_lease_holds(keys: &KeyChecks<'_>) {
    let key = keys.key("renewed");
    let fence = keys.first(&key, START).await;
    let until = at(20).after(LEASE);
    assert!(keys.renew(&key, fence, until).await, "an owner renews its lease");
    let outcome = keys.claim(&key, before(until)).await;
    assert_eq!(outcome, ClaimOutcome::Running { until }, "a renewed lease holds");
    keys.take_over(&key, until).await;
}

async fn a_renewal_shortens_nothing(keys: &KeyChecks<'_>) {
    let key = keys.key("shortened");
    let fence = keys.first(&key, START).await;
    let until = START.after(LEASE);
    assert!(keys.renew(&key, fence, at(1)).await, "an owner renews its lease");
    let key_state = keys.state(&key).await;
    assert_eq!(key_state, Some(KeyState::Running { until }), "a renewal does not shorten a lease");
}

async fn a_lease_that_is_over_may_be_renewed_until_it_is_taken_over(keys: &KeyChecks<'_>) {
    let key = keys.key("late");
    let fence = keys.first(&key, START).await;
    let renewed = keys.renew(&key, fence, at(60).after(LEASE)).await;
    assert!(renewed, "a lease that is over may be renewed until it is taken over");
    let late = at(3_600);
    keys.take_over(&key, late).await;
    let stored = keys.find(&key).await;
    let renewed = keys.renew(&key, fence, late.after(LEASE * 2)).await;
    assert!(!renewed, "an owner that was taken over renews nothing");
    assert_eq!(keys.find(&key).await, stored, "a renewal that is refused changes nothing");
}

async fn only_who_runs_renews(keys: &KeyChecks<'_>) {
    let unclaimed = keys.key("unclaimed");
    assert!(
        !keys.renew(&unclaimed, Fence::new(1), at(60)).await,
        "a key that is not stored is not renewed"
    );
    assert_eq!(keys.find(&unclaimed).await, None, "a renewal that is refused changes nothing");
    let running = keys.key("running");
    let fence = keys.first(&running, START).await;
    let other = Fence::new(fence.get() + 1_000);
    assert!(!keys.renew(&running, other, at(60)).await, "a lease is renewed with its own fence");
    for (name, settlement) in [
        ("answered", kept(success("12A"))),
        ("unknown", Settlement::Unknown),
        ("released", Settlement::Released),
    ] {
        let key = keys.key(name);
        let fence = keys.first(&key, START).await;
        assert!(keys.settle(&key, fence, settlement).await, "an owner settles its key: {name}");
        let stored = keys.find(&key).await;
        assert!(!keys.renew(&key, fence, at(60)).await, "a settled key is not renewed: {name}");
        assert_eq!(keys.find(&key).await, stored, "a renewal that is refused changes nothing");
    }
}

async fn a_clock_set_back_cuts_the_lease(keys: &KeyChecks<'_>) {
    let key = keys.key("back");
    keys.first(&key, START).await;
    let now = UnixMillis::new(START.get() - 3_600_000);
    let until = now.after(LEASE);
    let promise = "a lease from before the clock was set back is cut";
    assert_eq!(keys.claim(&key, now).await, ClaimOutcome::Running { until }, "{promise}");
    assert_eq!(keys.state(&key).await, Some(KeyState::Running { until }), "{promise}");
    let later = now.after(Duration::from_secs(5));
    let outcome = keys.claim(&key, later).await;
    assert_eq!(
        outcome,
        ClaimOutcome::Running { until },
        "a lease that was cut is not lengthened again"
    );
    keys.take_over(&key, until).await;
}

async fn every_fence_is_greater_than_those_before(keys: &KeyChecks<'_>) {
    let (key, elsewhere) = (keys.key("one"), KeyChecks::new(keys.store));
    let mut fences = vec![keys.first(&key, START).await];
    fences.push(keys.first(&keys.key("two"), START).await);
    fences.push(elsewhere.first(&elsewhere.key("one"), START).await);
    fences.push(keys.take_over(&key, at(60)).await);
    let last = fences[fences.len() - 1];
    assert!(keys.settle(&key, last, Settlement::Released).await, "an owner settles its key");
    fences.push(keys.first(&key, at(61)).await);
    let last = fences[fences.len() - 1];
    let answered = Settlement::Answered { answer: success("12A"), keep_until: at(62) };
    assert!(keys.settle(&key, last, answered).await, "an owner settles its key");
    keys.sweep_all(at(62)).await;
    fences.push(keys.first(&key, at(63)).await);
    let rising = fences.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(rising, "every fence is greater than those before, whatever the key; found {fences:?}");
}
