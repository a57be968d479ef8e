//! The answer to a repeat while the first call runs.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tool_runtime::contracts::ToolErrorDetail;
use tool_runtime::policy::{ConcurrentRepeat, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use super::keyed_runtime::{
    Act, FIVE, KeyedRuntime, LEASE, TIMEOUT, call_in, check_error, check_replay, context, cx,
    detail,
};

fn waiting() -> ToolPolicy {
    ToolPolicy::new().on_concurrent_repeat(ConcurrentRepeat::Wait)
}

#[tokio::test(start_paused = true)]
async fn a_repeat_of_a_running_call_conflicts_and_gets_a_time_to_retry() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Wait]);
    let repeat = async {
        sleep(TIMEOUT / 4).await;
        let refused = setup.call("pay", "k").await;
        check_error(&refused, "CONFLICT", Some("in_flight"));
        let wait = refused.error().and_then(ToolErrorDetail::retry_after_ms).expect("a time");
        assert!((50..=1_000).contains(&wait), "{wait}");
        setup.bank.gate.add_permits(1);
    };
    let (first, ()) = futures::join!(setup.call("pay", "k"), repeat);
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_waits_gets_the_first_answer() {
    let setup = KeyedRuntime::with(waiting());
    setup.bank.next([Act::Wait]);
    let open = async {
        sleep(TIMEOUT / 2).await;
        setup.bank.gate.add_permits(1);
    };
    let calls = futures::future::join3(setup.call("pay", "k"), setup.call("pay", "k"), open);
    let (first, again, ()) = calls.await;
    check_replay(&first, &again);
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_waits_within_its_own_deadline() {
    let setup = KeyedRuntime::with(waiting());
    setup.bank.next([Act::Wait]);
    let hurried = context().idempotency_key("k").timeouts_ms(300).build().unwrap();
    let repeat = async {
        sleep(Duration::from_millis(10)).await;
        let start = Instant::now();
        let refused = setup.call_with("pay", FIVE, &hurried).await;
        check_error(&refused, "TIMEOUT", None);
        assert_eq!(detail(&refused, "effect").as_deref(), Some("none"));
        let took = start.elapsed();
        let (least, most) = (Duration::from_millis(300), Duration::from_millis(350));
        assert!((least..=most).contains(&took), "{took:?}");
        setup.bank.gate.add_permits(1);
    };
    let (first, ()) = futures::join!(setup.call("pay", "k"), repeat);
    assert!(first.is_ok(), "{first}");
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_waits_can_be_cancelled_or_dropped() {
    let setup = KeyedRuntime::with(waiting());
    setup.bank.next([Act::Wait]);
    let repeats = async {
        sleep(Duration::from_millis(10)).await;
        let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
        let cancellation = call.cancellation().unwrap();
        let (cancelled, ()) = futures::join!(call.execute(), async {
            sleep(Duration::from_millis(100)).await;
            cancellation.cancel();
        });
        check_error(cancelled, "CANCELLED", Some("cancelled"));
        let mut dropped = setup.runtime.call("pay", FIVE, &cx("k"));
        let waits = tokio::time::timeout(Duration::from_millis(100), dropped.execute()).await;
        assert!(waits.is_err());
        assert_eq!(dropped.status(), CallStatus::Interrupted);
        setup.bank.gate.add_permits(1);
    };
    let (first, ()) = futures::join!(setup.call("pay", "k"), repeats);
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_waits_runs_itself_once_the_first_is_released() {
    let setup = KeyedRuntime::with(waiting().retry(RetryConfig::never()));
    setup.bank.next([Act::Busy]);
    let (first, again) = futures::join!(setup.call("pay", "k"), setup.call("pay", "k"));
    check_error(&first, "UNAVAILABLE", None);
    assert!(again.is_ok() && !again.meta_json().contains("replayed"), "{again}");
}

#[tokio::test(start_paused = true)]
async fn a_long_call_keeps_its_lease() {
    let setup = KeyedRuntime::with(ToolPolicy::new().lease(TIMEOUT / 8));
    setup.bank.next([Act::Wait]);
    let other = setup.another_process();
    let repeats = async {
        for _ in 0..9 {
            sleep(TIMEOUT / 16).await;
            setup.clock.advance(TIMEOUT / 16);
            let refused = call_in(&other, "pay", FIVE, &cx("k")).await;
            check_error(&refused, "CONFLICT", Some("in_flight"));
        }
        setup.bank.gate.add_permits(1);
    };
    let (first, ()) = futures::join!(setup.call("pay", "k"), repeats);
    assert!(first.is_ok(), "{first}");
    assert!(LEASE > TIMEOUT, "the other process asks for a lease that is longer");
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_taken_over_while_it_ran_has_lost_its_lease() {
    let setup = KeyedRuntime::with(ToolPolicy::new().lease(TIMEOUT / 8));
    setup.bank.next([Act::Wait]);
    let other = setup.another_process();
    let take_over = async {
        sleep(Duration::from_millis(1)).await;
        setup.clock.advance(TIMEOUT);
        call_in(&other, "pay_forwarded", FIVE, &cx("k")).await
    };
    let (first, second) = futures::join!(setup.call("pay_forwarded", "k"), take_over);
    check_error(&first, "CONFLICT", Some("lease_lost"));
    assert!(second.is_ok(), "{second}");
    check_replay(&second, &setup.call("pay_forwarded", "k").await);
    let fences: Vec<_> = setup.bank.runs().iter().map(|run| run.fence).collect();
    assert!(fences.len() == 2 && fences[0] < fences[1], "{fences:?}");
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_taken_over_has_its_late_answer_refused() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Wait]);
    let other = setup.another_process();
    let take_over = async {
        sleep(Duration::from_millis(1)).await;
        setup.clock.advance(LEASE);
        let second = call_in(&other, "pay_forwarded", FIVE, &cx("k")).await;
        // Before the first renews its lease.
        setup.bank.gate.add_permits(1);
        second
    };
    let (first, second) = futures::join!(setup.call("pay_forwarded", "k"), take_over);
    check_error(&first, "CONFLICT", Some("lease_lost"));
    check_replay(&second, &setup.call("pay_forwarded", "k").await);
}
