//! A run whose owner died is reconciled, repeated if that is safe, or unknown.

use std::time::Duration;

use futures::FutureExt;
use tool_runtime::policy::{Resolution, ToolPolicy};
use tool_runtime::store::{KeyState, StoreErrorKind};

use super::faulty_store::{Fault, StoreOperation};
use super::keyed_runtime::{
    Act, FIVE, Finding, KeyedRuntime, LEASE, Run, call_in, check_error, check_replay, cx, detail,
    no_retry, scope,
};

const UNKNOWN: &str = "outcome_unknown";

#[tokio::test(start_paused = true)]
async fn no_call_runs_what_a_dead_owner_may_have_done() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay", "k").await;
    for _ in 0..2 {
        check_error(&setup.call("pay", "k").await, "NEEDS_USER_CONFIRMATION", Some(UNKNOWN));
        assert_eq!(setup.record("pay", "k").await.unwrap().state, KeyState::Unknown);
    }
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_write_found_to_have_happened_is_stored_and_replayed() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Happened);
    let found = setup.call("pay_traced", "k").await;
    assert!(found.is_ok() && found.meta_json().contains(r#""replayed":true"#), "{found}");
    let again = setup.call("pay_traced", "k").await;
    assert_eq!(again.data_json(), found.data_json());
    assert_eq!((setup.bank.runs().len(), setup.bank.asked().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_write_found_not_to_have_happened_runs_under_a_greater_fence() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::DidNotHappen);
    let first = setup.call("pay_traced", "k").await;
    assert!(first.is_ok() && !first.meta_json().contains("replayed"), "{first}");
    check_replay(&first, &setup.call("pay_traced", "k").await);
    let (runs, asked) = (setup.bank.runs(), setup.bank.asked());
    assert!(runs.len() == 2 && runs[0].fence < runs[1].fence, "{runs:?}");
    assert_eq!(asked, [runs[1].clone()], "who asks holds the key as who runs does");
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_cannot_be_found_out_stays_unknown() {
    for finding in [Finding::Unknown, Finding::Fail, Finding::Panic, Finding::Hang] {
        let setup = KeyedRuntime::new();
        setup.leave_behind("pay_traced", "k").await;
        setup.bank.finds(finding);
        for _ in 0..2 {
            let refused = setup.call("pay_traced", "k").await;
            check_error(&refused, "NEEDS_USER_CONFIRMATION", Some(UNKNOWN));
            assert_eq!(setup.record("pay_traced", "k").await.unwrap().state, KeyState::Unknown);
        }
        assert_eq!(setup.bank.runs().len(), 1, "{finding:?}");
        assert_eq!(setup.bank.asked().len(), 2, "{finding:?}: it is asked each time");
        setup.bank.finds(Finding::Happened);
        assert!(setup.call("pay_traced", "k").await.is_ok(), "{finding:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_timed_out_in_this_process_is_reconciled_too() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Hang]);
    check_error(&setup.call("pay_traced", "k").await, "TIMEOUT", None);
    setup.bank.finds(Finding::DidNotHappen);
    assert!(setup.call("pay_traced", "k").await.is_ok());
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_reconciles_leaves_the_outcome_unknown() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Hang);
    let mut call = setup.runtime.call("pay_traced", FIVE, &cx("k"));
    assert!(call.execute().now_or_never().is_none());
    assert_eq!(setup.record("pay_traced", "k").await.map(|it| it.state), Some(KeyState::Unknown));
    setup.bank.finds(Finding::Happened);
    assert!(setup.call("pay_traced", "k").await.is_ok());
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_while_it_reconciles_leaves_the_outcome_unknown() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Hang);
    let mut call = setup.runtime.call("pay_traced", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        cancellation.cancel();
    });
    assert!(!output.is_ok(), "{output}");
    assert_eq!(setup.record("pay_traced", "k").await.map(|it| it.state), Some(KeyState::Unknown));
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_safe_repeat_runs_again_under_a_greater_fence() {
    for tool in ["pay_forwarded", "pay_again"] {
        let setup = KeyedRuntime::with(no_retry());
        setup.leave_behind(tool, "k").await;
        setup.bank.next([Act::Lose]);
        check_error(&setup.call(tool, "k").await, "UPSTREAM_ERROR", None);
        let first = setup.call(tool, "k").await;
        assert!(first.is_ok(), "{first}");
        check_replay(&first, &setup.call(tool, "k").await);
        let runs = setup.bank.runs();
        let fences: Vec<_> = runs.iter().map(|run| run.fence.unwrap()).collect();
        assert!(fences.len() == 3 && fences.is_sorted_by(|one, next| one < next), "{fences:?}");
        let same = |run: &Run| run.global_key == runs[0].global_key;
        assert!(runs.iter().all(same), "the bank must know them for one payment: {runs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_fails_does_not_make_an_earlier_run_undone() {
    let setup = KeyedRuntime::with(no_retry());
    setup.leave_behind("pay_forwarded", "k").await;
    setup.bank.next([Act::Busy]);
    check_error(&setup.call("pay_forwarded", "k").await, "UNAVAILABLE", None);
    let record = setup.record("pay_forwarded", "k").await.expect("it is not forgotten");
    assert_eq!(record.state, KeyState::Unknown);
    let other = setup.call_with("pay_forwarded", r#"{"cents":6}"#, &cx("k")).await;
    check_error(&other, "INVALID_ARGUMENT", Some("key_reused"));
    assert!(setup.call("pay_forwarded", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_reconciled_answer_is_delivered_even_if_it_cannot_be_stored() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Happened);
    let kind = StoreErrorKind::Unavailable;
    setup.store.fail(Fault {
        operation: StoreOperation::Settle,
        kind,
        times: usize::MAX,
        done: false,
    });
    let found = setup.call("pay_traced", "k").await;
    assert!(found.is_ok() && found.meta_json().contains("could not be stored"), "{found}");
    setup.store.repair();
    setup.clock.advance(LEASE);
    assert_eq!(setup.call("pay_traced", "k").await.data_json(), found.data_json());
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_taken_over_while_it_reconciles_replays_nothing() {
    let setup = KeyedRuntime::with(ToolPolicy::new().lease(Duration::from_secs(1)));
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Hang);
    let other = setup.another_process();
    let take_over = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        setup.clock.advance(LEASE);
        setup.bank.finds(Finding::Happened);
        call_in(&other, "pay_traced", FIVE, &cx("k")).await
    };
    let (first, second) = futures::join!(setup.call("pay_traced", "k"), take_over);
    assert!(second.is_ok(), "{second}");
    assert!(!first.is_ok() && !first.meta_json().contains("replayed"), "{first}");
    assert_eq!(detail(&first, "effect").as_deref(), Some("unknown"));
    assert_eq!(setup.bank.runs().len(), 1);
    assert_eq!(setup.call("pay_traced", "k").await.data_json(), second.data_json());
}

#[tokio::test(start_paused = true)]
async fn a_finding_made_by_an_owner_that_lost_its_lease_is_not_replayed() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::Happened);
    setup.store.take_over_before_settling(scope("pay_traced", "k"));
    let output = setup.call("pay_traced", "k").await;
    check_error(&output, "CONFLICT", Some("lease_lost"));
    assert!(!output.meta_json().contains("replayed"), "{output}");
}

#[tokio::test(start_paused = true)]
async fn a_person_who_found_out_that_nothing_happened_lets_it_run() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay", "k").await;
    setup.call("pay", "k").await;
    let record = setup.record("pay", "k").await.unwrap();
    setup.runtime.outcomes().resolve(&record, Resolution::DidNotHappen).await.unwrap();
    assert!(setup.call("pay", "k").await.is_ok());
    assert_eq!(setup.bank.runs().len(), 2);
}
