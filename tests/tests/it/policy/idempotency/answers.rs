//! The answer to a repeat of an ended call.

use serde_json::{Value, json};
use tool_runtime::prelude::*;
use tool_runtime::store::KeyState;

use super::keyed_runtime::{
    Act, FIVE, KeyedRuntime, body, check_error, check_replay, cx, no_retry,
};

#[tokio::test]
async fn a_success_is_replayed_byte_for_byte_also_by_another_process() {
    let setup = KeyedRuntime::new();
    let first = setup.call("pay", "k").await;
    let again = setup.call("pay", "k").await;
    check_replay(&first, &again);
    let mut elsewhere = setup.another_process().call("pay", FIVE, &cx("k"));
    check_replay(&first, elsewhere.execute().await);
    assert_eq!(elsewhere.status(), CallStatus::Executed);
    assert_eq!(setup.bank.runs().len(), 1);
    let record = setup.record("pay", "k").await.unwrap();
    let KeyState::Answered { answer, .. } = record.state else { panic!("{record:?}") };
    assert_eq!(String::from_utf8(answer.body).unwrap(), body(&first));
}

#[tokio::test]
async fn a_failure_that_would_come_again_is_replayed_byte_for_byte() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Decline]);
    let first = setup.call("pay", "k").await;
    check_error(&first, "OUT_OF_STOCK", None);
    let mut again = setup.runtime.call("pay", FIVE, &cx("k"));
    check_replay(&first, again.execute().await);
    assert_eq!(again.status(), CallStatus::Failed);
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test]
async fn an_answer_that_broke_its_schema_is_final() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::BreakSchema]);
    let first = setup.call("pay", "k").await;
    check_error(&first, "INVALID_OUTPUT", None);
    check_replay(&first, &setup.call("pay", "k").await);
    assert_eq!(setup.bank.runs().len(), 1, "it had its effect");
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_may_pass_releases_the_key() {
    let setup = KeyedRuntime::with(no_retry());
    setup.bank.next([Act::Busy]);
    check_error(&setup.call("pay", "k").await, "UNAVAILABLE", None);
    assert_eq!(setup.record("pay", "k").await, None);
    let other = setup.call_with("pay", r#"{"cents":6}"#, &cx("k")).await;
    assert!(other.is_ok(), "a released key is as new: {other}");
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_keyed_write_is_tried_again_under_its_one_fence() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Busy, Act::Busy]);
    let first = setup.call("pay", "k").await;
    assert!(first.is_ok() && first.meta_json().contains(r#""attempts":3"#), "{first}");
    let runs = setup.bank.runs();
    assert!(runs.len() == 3 && runs.iter().all(|run| *run == runs[0]), "{runs:?}");
    check_replay(&first, &setup.call("pay", "k").await);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_is_cut_off_leaves_the_outcome_unknown() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Busy, Act::Hang]);
    check_error(&setup.call("pay", "k").await, "TIMEOUT", None);
    check_error(&setup.call("pay", "k").await, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test]
async fn refusals_and_dry_runs_are_not_stored() {
    let setup = KeyedRuntime::new();
    let refused = setup.call_with("pay", r#"{"cents":"many"}"#, &cx("k")).await;
    check_error(&refused, "INVALID_ARGUMENT", None);
    let dry_run = setup.call_with("pay", FIVE, &cx("k").with_dry_run(true)).await;
    assert_eq!(dry_run.data_json(), Some("5"));
    let mut declined = setup.runtime.call("pay", FIVE, &cx("k"));
    declined.decline("boss", "not now").unwrap();
    check_error(declined.execute().await, "DECLINED", None);
    assert_eq!((setup.store.operations(), setup.record("pay", "k").await), (vec![], None));

    let first = setup.call("pay", "k").await;
    assert!(first.is_ok(), "{first}");
    let dry_run = setup.call_with("pay", FIVE, &cx("k").with_dry_run(true)).await;
    assert_eq!(dry_run.data_json(), Some("5"), "a dry run is no repeat");
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test]
async fn the_echo_of_a_repeat_is_the_repeats_own() {
    let setup = KeyedRuntime::new();
    setup.call("pay", "k").await;
    let again = setup.call_with("pay", r#"{"currency":"EUR","cents":5}"#, &cx("k")).await;
    let again: Value = serde_json::from_str(again.json()).unwrap();
    assert_eq!(again["input"], serde_json::json!({ "cents": 5, "currency": "EUR" }));
}

/// Pays the sent or edited arguments; returns the pointers in `meta.edits`.
async fn pay_changed(setup: &KeyedRuntime, changed: Option<&str>) -> (ToolOutput, Value) {
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    if let Some(changed) = changed {
        call.approve_edited("boss", changed).expect("valid arguments");
    }
    let output = call.execute().await.clone();
    let meta: Value = serde_json::from_str(output.meta_json()).unwrap();
    (output, meta["edits"].clone())
}

#[tokio::test]
async fn a_repeat_is_recognised_by_the_sent_arguments_and_gets_the_stored_edits() {
    const FOUR: &str = r#"{"cents":4}"#;
    for (first, edits) in [(Some(FOUR), json!(["/cents"])), (None, Value::Null)] {
        let setup = KeyedRuntime::new();
        let (answer, told) = pay_changed(&setup, first).await;
        assert_eq!(told, edits);
        // The edits of a repeat did not run.
        for repeat in [None, Some(FOUR), Some(r#"{"cents":3}"#)] {
            let (again, told) = pay_changed(&setup, repeat).await;
            check_replay(&answer, &again);
            assert_eq!(told, edits, "{first:?}, {repeat:?}");
        }
        assert_eq!(setup.bank.runs().len(), 1);
    }
}
