//! A clock that is set forward or back at any step of a keyed write.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, UnixMillis};
use tool_runtime::testing::ManualClock;

use super::faulty_store::StoreOperation;
use super::keyed_runtime::{
    Act, Bank, DAY, FIVE, KeyedRuntime, LEASE, START, TIMEOUT, call_in, check_error, check_replay,
    cx, tools,
};
use crate::sqlite::Folder;

const EARLIER: UnixMillis = UnixMillis::new(START.get() - 1_000_000_000);
const LATER: UnixMillis = UnixMillis::new(START.get() + 1_000_000_000);

/// Runs a payment long enough for two signs of life, while the clock jumps just before a step.
async fn pay_while_it_jumps(to: UnixMillis, at: StoreOperation, time: usize) -> KeyedRuntime {
    let setup = KeyedRuntime::with(ToolPolicy::new().lease(TIMEOUT / 2));
    setup.bank.next([Act::Wait]);
    let (clock, seen) = (setup.clock.clone(), AtomicUsize::new(0));
    setup.store.before_each_operation(move |operation| {
        if operation == at && seen.fetch_add(1, Ordering::SeqCst) == time {
            clock.set(to);
        }
    });
    let (first, ()) = futures::join!(setup.call("pay", "k"), async {
        tokio::time::sleep(TIMEOUT / 2).await;
        setup.bank.gate.add_permits(1);
    });
    assert!(first.is_ok(), "{to:?} at {at:?}: {first}");
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 1);
    setup
}

#[tokio::test(start_paused = true)]
async fn a_jump_at_any_step_costs_neither_the_answer_nor_a_second_run() {
    for to in [EARLIER, LATER] {
        for (at, time) in [
            (StoreOperation::Claim, 0),
            (StoreOperation::Renew, 0),
            (StoreOperation::Renew, 1),
            (StoreOperation::Settle, 0),
        ] {
            pay_while_it_jumps(to, at, time).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_for_its_time_whatever_the_wall_clock_says() {
    for to in [EARLIER, LATER] {
        let setup = pay_while_it_jumps(to, StoreOperation::Renew, 0).await;
        let record = setup.record("pay", "k").await.unwrap();
        let KeyState::Answered { keep_until, .. } = record.state else { panic!("{record:?}") };
        assert_eq!(keep_until, START.after(DAY));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_owners_lease_ends_although_the_clock_was_set_back() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay", "k").await;
    setup.clock.set(EARLIER);
    let refused = setup.call("pay", "k").await;
    check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_is_set_takes_no_running_call_over() {
    for to in [EARLIER, LATER] {
        let setup = KeyedRuntime::new();
        setup.bank.next([Act::Wait]);
        let (first, ()) = futures::join!(setup.call("pay", "k"), async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            setup.clock.set(to);
            check_error(&setup.call("pay", "k").await, "CONFLICT", Some("in_flight"));
            setup.bank.gate.add_permits(1);
        });
        assert!(first.is_ok(), "{first}");
        assert_eq!(setup.bank.runs().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_is_set_a_day_ahead_and_back_forgets_no_key() {
    let setup = KeyedRuntime::new();
    let first = setup.call("pay", "k").await;
    setup.clock.set(START.after(DAY + LEASE));
    setup.call("pay", "another").await;
    setup.runtime.sweep().await.unwrap();
    setup.clock.set(START);
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_given_under_a_clock_that_was_set_back_is_kept_for_its_time() {
    let setup = KeyedRuntime::new();
    setup.clock.set(EARLIER);
    let first = setup.call("pay", "k").await;
    setup.clock.set(START);
    setup.runtime.sweep().await.unwrap();
    check_replay(&first, &setup.call("pay", "k").await);
}

#[tokio::test]
async fn a_process_that_starts_under_a_clock_set_ahead_forgets_no_key_and_takes_no_call_over() {
    let (folder, bank, clock) = (Folder::new(), Arc::<Bank>::default(), ManualClock::at(START));
    let process = || {
        let policy = Policy::new().store(folder.open()).clock(clock.clone());
        tools(Runtime::builder().shared_state(bank.clone()).policy(policy))
    };
    let runtime = process();
    let first = call_in(&runtime, "pay", FIVE, &cx("answered")).await;
    bank.next([Act::Wait]);
    let (context, steps) = (cx("running"), runtime.wall_clock_steps());
    let mut call = runtime.call("pay", FIVE, &context);
    let other = async {
        while bank.runs().len() < 2 {
            tokio::task::yield_now().await;
        }
        clock.set(START.after(2 * DAY));
        let another = process();
        another.sweep().await.unwrap();
        check_replay(&first, &call_in(&another, "pay", FIVE, &cx("answered")).await);
        let repeat = call_in(&another, "pay", FIVE, &cx("running")).await;
        check_error(&repeat, "CONFLICT", Some("in_flight"));
        bank.gate.add_permits(1);
    };
    let (running, ()) = futures::join!(call.execute(), other);
    assert!(running.is_ok(), "{running}");
    assert_eq!(bank.runs().len(), 2);
    assert_eq!((steps, runtime.wall_clock_steps()), (0, 1), "the step is counted");
}
