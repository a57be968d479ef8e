//! The retention of answers.

use std::time::Duration;

use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::KeyState;

use super::keyed_runtime::{Act, DAY, KeyedRuntime, START, TIMEOUT, check_error, check_replay};

const MOMENT: Duration = Duration::from_millis(1);

/// Checks that a tool's answer is kept for this time.
async fn check_kept(setup: &KeyedRuntime, tool: &str, time: Duration) {
    let first = setup.call(tool, "k").await;
    setup.clock.advance(time.saturating_sub(MOMENT));
    assert_eq!(setup.runtime.sweep().await.unwrap(), 0);
    check_replay(&first, &setup.call(tool, "k").await);
    setup.clock.advance(MOMENT);
    assert_eq!(setup.runtime.sweep().await.unwrap(), 1);
    let runs = setup.bank.runs().len();
    assert!(setup.call(tool, "k").await.is_ok());
    assert_eq!(setup.bank.runs().len(), runs + 1, "a forgotten key is as new");
}

#[tokio::test]
async fn an_answer_is_kept_for_a_day_by_default() {
    check_kept(&KeyedRuntime::new(), "pay", DAY).await;
    check_kept(&KeyedRuntime::with(ToolPolicy::new().retention(2 * DAY)), "pay", 2 * DAY).await;
    // The tool's own retention overrides the host's rule.
    check_kept(&KeyedRuntime::with(ToolPolicy::new().retention(2 * DAY)), "pay_again", 3 * DAY)
        .await;
}

#[test]
fn a_retention_of_less_than_a_day_is_refused() {
    let rules = ToolPolicy::new().retention(DAY.saturating_sub(MOMENT));
    let built = Runtime::builder().policy(Policy::new().rules(rules)).build();
    let problems = built.expect_err("it should have been refused").to_string();
    assert!(problems.contains("retention"), "{problems}");
}

#[tokio::test(start_paused = true)]
async fn the_time_counts_from_the_end_of_the_call() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Wait]);
    let (first, ()) = futures::join!(setup.call("pay", "k"), async {
        tokio::time::sleep(TIMEOUT / 2).await;
        setup.clock.advance(TIMEOUT / 2);
        setup.bank.gate.add_permits(1);
    });
    assert!(first.is_ok(), "{first}");
    let record = setup.record("pay", "k").await.unwrap();
    let KeyState::Answered { keep_until, .. } = record.state else { panic!("{record:?}") };
    assert_eq!(keep_until, START.after(TIMEOUT / 2).after(DAY));
}

#[tokio::test(start_paused = true)]
async fn a_running_or_unknown_key_is_never_forgotten() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Lose]);
    setup.call("pay", "unknown").await;
    setup.leave_behind("pay", "running").await;
    setup.clock.advance(3_650 * DAY);
    assert_eq!(setup.runtime.sweep().await.unwrap(), 0);
    for key in ["unknown", "running"] {
        let refused = setup.call("pay", key).await;
        check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    }
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test]
async fn keyed_calls_sweep_by_the_way() {
    let setup = KeyedRuntime::new();
    setup.call("pay", "old").await;
    setup.clock.advance(DAY);
    setup.call("pay", "new").await;
    assert_eq!(setup.record("pay", "old").await, None);
    assert!(setup.record("pay", "new").await.is_some());
}
