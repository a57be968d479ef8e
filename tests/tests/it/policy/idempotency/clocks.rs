//! A clock that jumps, forwards or back, at any step of a keyed write.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tool_runtime::policy::Rules;
use tool_runtime::store::{KeyState, UnixMillis};

use super::desk::Step;
use super::world::{Act, DAY, LEASE, START, TIMEOUT, World, check_error, check_replay};

const EARLIER: UnixMillis = UnixMillis::new(START.get() - 1_000_000_000);
const LATER: UnixMillis = UnixMillis::new(START.get() + 1_000_000_000);

/// Runs a payment long enough for two signs of life, while the clock jumps just before a step.
async fn pay_while_it_jumps(to: UnixMillis, at: Step, time: usize) -> World {
    let world = World::with(Rules::new().lease(TIMEOUT / 2));
    world.bank.next([Act::Wait]);
    let (clock, seen) = (world.clock.clone(), AtomicUsize::new(0));
    world.desk.at_each_step(move |step| {
        if step == at && seen.fetch_add(1, Ordering::SeqCst) == time {
            clock.set(to);
        }
    });
    let (first, ()) = futures::join!(world.call("pay", "k"), async {
        tokio::time::sleep(TIMEOUT / 2).await;
        world.bank.gate.add_permits(1);
    });
    assert!(first.is_ok(), "{to:?} at {at:?}: {first}");
    check_replay(&first, &world.call("pay", "k").await);
    assert_eq!(world.bank.runs().len(), 1);
    world
}

#[tokio::test(start_paused = true)]
async fn a_jump_at_any_step_costs_neither_the_answer_nor_a_second_run() {
    for to in [EARLIER, LATER] {
        for (at, time) in [(Step::Claim, 0), (Step::Renew, 0), (Step::Renew, 1), (Step::Settle, 0)]
        {
            pay_while_it_jumps(to, at, time).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_for_its_time_by_the_clock_at_its_end() {
    for to in [EARLIER, LATER] {
        let world = pay_while_it_jumps(to, Step::Renew, 0).await;
        let record = world.record("pay", "k").await.unwrap();
        let KeyState::Answered { keep_until, .. } = record.state else { panic!("{record:?}") };
        assert_eq!(keep_until, to.after(DAY));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_owners_lease_ends_although_the_clock_was_set_back() {
    let world = World::new();
    world.leave_behind("pay", "k").await;
    world.clock.set(EARLIER);
    check_error(&world.call("pay", "k").await, "CONFLICT", Some("in_flight"));
    world.clock.advance(LEASE);
    let refused = world.call("pay", "k").await;
    check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
}

#[tokio::test(start_paused = true)]
async fn a_jump_forwards_lets_a_repeat_take_over_but_not_run_what_nobody_knows() {
    let world = World::new();
    world.bank.next([Act::Wait]);
    let (first, ()) = futures::join!(world.call("pay", "k"), async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        world.clock.set(LATER);
        let refused = world.call("pay", "k").await;
        check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        world.bank.gate.add_permits(1);
    });
    check_error(&first, "CONFLICT", Some("superseded"));
    assert_eq!(world.bank.runs().len(), 1);
}
