//! A store that hangs or fails, and exhausted limits: their effect on a keyed call.

use std::time::Duration;

use tokio::time::Instant;
use tool_runtime::policy::{RateLimit, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::KeyState;

use super::faulty_store::StoreOperation;
use super::keyed_runtime::{
    Act, DAY, FIVE, Finding, KeyedRuntime, TIMEOUT, body, check_error, check_replay, context, cx,
    detail,
};

const FOREVER: Duration = DAY;
const MS: Duration = Duration::from_millis(1);

/// Checks that the call was refused within this time, and nothing ran.
async fn check_refused_within(setup: &KeyedRuntime, max_time: Duration, cx: &ToolContext) {
    let start = Instant::now();
    let refused = setup.call_with("pay", FIVE, cx).await;
    assert!(start.elapsed() <= max_time, "{:?}: {refused}", start.elapsed());
    check_error(&refused, "UNAVAILABLE", Some("store_unavailable"));
    assert_eq!(detail(&refused, "effect").as_deref(), Some("none"));
    assert_eq!(setup.bank.runs().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_at_a_claim_is_waited_for_until_the_deadline() {
    let setup = KeyedRuntime::new();
    setup.store.delay(StoreOperation::Claim, FOREVER);
    check_refused_within(&setup, TIMEOUT, &cx("k")).await;
    let hurried = context().idempotency_key("h").timeouts_ms(300).build().unwrap();
    check_refused_within(&setup, 300 * MS, &hurried).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_at_a_look_is_waited_for_until_the_deadline() {
    let setup = KeyedRuntime::with(ToolPolicy::new().max_concurrent(4));
    setup.store.delay(StoreOperation::Find, FOREVER);
    check_refused_within(&setup, TIMEOUT, &cx("k")).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_at_a_settlement_costs_a_while_and_no_answer() {
    let setup = KeyedRuntime::new();
    setup.store.delay(StoreOperation::Settle, FOREVER);
    let start = Instant::now();
    let output = setup.call("pay", "k").await;
    assert!(start.elapsed() <= Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(output.is_ok() && body(&output).contains(r#""cents":5"#), "{output}");
    assert!(output.meta_json().contains("could not be stored"), "{output}");
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_at_signs_of_life_ends_nothing() {
    let setup = KeyedRuntime::with(ToolPolicy::new().lease(TIMEOUT / 8));
    setup.store.delay(StoreOperation::Renew, FOREVER);
    setup.bank.next([Act::Wait]);
    let (output, ()) = futures::join!(setup.call("pay", "k"), async {
        tokio::time::sleep(TIMEOUT / 2).await;
        setup.bank.gate.add_permits(1);
    });
    assert!(output.is_ok(), "{output}");
    let renewals = setup
        .store
        .operations()
        .iter()
        .filter(|operation| **operation == StoreOperation::Renew)
        .count();
    assert!(renewals > 2, "one that hangs must not keep the next from being given: {renewals}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_is_one_that_is_down() {
    let setup = KeyedRuntime::new();
    setup
        .store
        .before_each_operation(|operation| assert_ne!(operation, StoreOperation::Claim, "hunter2"));
    check_refused_within(&setup, TIMEOUT, &cx("k")).await;

    let setup = KeyedRuntime::new();
    setup.store.before_each_operation(|operation| {
        assert_ne!(operation, StoreOperation::Settle, "hunter2");
    });
    let output = setup.call("pay", "k").await;
    assert!(output.is_ok() && output.meta_json().contains("could not be stored"), "{output}");
    assert!(!output.json().contains("hunter2"), "{output}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_it_claims_does_not_begin() {
    let setup = KeyedRuntime::new();
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    setup.store.before_each_operation(move |operation| {
        if operation == StoreOperation::Claim {
            cancellation.cancel();
        }
    });
    let output = call.execute().await;
    assert_eq!(output.error().and_then(|error| error.code()), Some("CANCELLED"), "{output}");
    assert_eq!(detail(output, "effect").as_deref(), Some("none"));
    assert_eq!((setup.bank.runs().len(), setup.record("pay", "k").await), (0, None));
}

#[tokio::test(start_paused = true)]
async fn finding_out_counts_against_the_one_deadline_of_the_call() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Hang);
    setup.store.delay(StoreOperation::Claim, 3 * TIMEOUT / 4);
    let start = Instant::now();
    let output = setup.call("pay_traced", "k").await;
    assert!(start.elapsed() <= TIMEOUT + 50 * MS, "{:?}: {output}", start.elapsed());
    check_error(&output, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!((setup.bank.runs().len(), setup.bank.asked().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_final_failure_of_a_repeat_does_not_make_an_earlier_run_undone() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_forwarded", "k").await;
    setup.bank.next([Act::Decline]);
    check_error(&setup.call("pay_forwarded", "k").await, "OUT_OF_STOCK", None);
    let record = setup.record("pay_forwarded", "k").await.expect("it is not forgotten");
    assert_eq!(record.state, KeyState::Unknown);
    assert_eq!(setup.runtime.outcomes().unknown(Uuid::nil(), None, 9).await.unwrap(), [record]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_ticket_is_refused_gives_its_key_back_to_a_slow_store() {
    let setup = KeyedRuntime::new();
    let ticket = setup.runtime.call("pay", FIVE, &cx("k")).ticket().await.unwrap();
    let mut call = setup.runtime.tickets().resume(&ticket.to_json(), &cx("k")).await;
    call.approve("boss").unwrap();
    setup.clock.advance(2 * DAY);
    setup.store.delay(StoreOperation::Settle, 5 * MS);
    check_error(call.execute().await, "CANCELLED", Some("ticket_expired"));
    // A ticket for a call that ran before needs no preview: that is looked up first.
    let expected = [StoreOperation::Find, StoreOperation::Claim, StoreOperation::Settle];
    assert_eq!(setup.store.operations(), expected);
    assert_eq!((setup.bank.runs().len(), setup.record("pay", "k").await), (0, None));
    assert!(setup.call("pay", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_repeat_gets_its_answer_whatever_the_rate() {
    let setup = KeyedRuntime::with(ToolPolicy::new().rate_limit(RateLimit::per_minute(1).unwrap()));
    let first = setup.call("pay", "k").await;
    check_error(&setup.call("pay", "other").await, "RATE_LIMITED", Some("rate_limit"));
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 1);
}
