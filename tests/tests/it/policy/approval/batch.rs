//! Batches: free calls run at once, and calls that wait for an approval do not delay them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use serde_json::value::to_raw_value;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::policy::{AccessVerdict, Decision, Policy, ToolPolicy};
use tool_runtime::prelude::*;

use super::fixture::{
    EventLog, Fixture, approver, code, context, details, jane, reason, rule, slow_boss, ticket_in,
};

const SECOND: Duration = Duration::from_secs(1);

/// Works for a while.
async fn work(notes: &EventLog, what: &str, n: u64, ms: u64) -> u64 {
    notes.record(format!("{what} {n} starts"));
    tokio::time::sleep(Duration::from_millis(ms)).await;
    notes.record(format!("{what} {n} ends"));
    n
}

/// Reads.
#[ai_tool(effect = "read")]
async fn read(
    notes: &EventLog,
    /// The id.
    n: u64,
    /// The duration.
    #[arg(default = 10)]
    ms: u64,
) -> u64 {
    work(notes, "read", n, ms).await
}

/// Writes what is free.
#[ai_tool(effect = "write")]
async fn put(
    notes: &EventLog,
    dry_run: &DryRun,
    /// The id.
    n: u64,
    /// The duration.
    #[arg(default = 10)]
    ms: u64,
) -> u64 {
    if dry_run.is_active() { n } else { work(notes, "put", n, ms).await }
}

/// Sends a message, which needs an approval.
#[ai_tool(effect = "write")]
async fn send(
    notes: &EventLog,
    dry_run: &DryRun,
    /// The id.
    n: u64,
    /// The duration.
    #[arg(default = 10)]
    ms: u64,
) -> u64 {
    if dry_run.is_active() { n } else { work(notes, "send", n, ms).await }
}

/// A fixture with these tools, and what happens noted in one place.
fn fixture(policy: Policy, notes: &EventLog) -> Fixture {
    Fixture::with_events(notes, policy, |builder| {
        let builder = builder.tool::<ReadTool>().tool::<PutTool>().tool::<SendTool>();
        builder.permission("put", Permission::Allow)
    })
}

fn requests(calls: &[(&str, u64)]) -> Vec<ToolCallRequest> {
    let request = |(index, (name, n)): (usize, &(&str, u64))| {
        let arguments = to_raw_value(&json!({ "n": n })).unwrap();
        ToolCallRequest::new(format!("call-{index}"), *name, arguments)
    };
    calls.iter().enumerate().map(request).collect()
}

fn data(outputs: &[&ToolOutput]) -> Vec<Option<String>> {
    outputs.iter().map(|output| output.data_json().map(str::to_owned)).collect()
}

/// Opens jane's calls and runs them as one batch.
async fn run(fixture: &Fixture, calls: &[(&str, u64)]) -> Vec<ToolCall> {
    let mut calls = fixture.runtime.call_all(&requests(calls), &jane());
    fixture.runtime.execute_all(&mut calls).await;
    calls
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_an_approval_delays_no_free_call() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new().approver(slow_boss(&notes, SECOND)), &notes);
    let turn = [("send", 1), ("read", 2), ("put", 3), ("send", 4), ("read", 5)];
    let mut calls = fixture.runtime.call_all(&requests(&turn), &jane());
    let before = tokio::time::Instant::now();
    let outputs = data(&fixture.runtime.execute_all(&mut calls).await);
    assert_eq!(outputs, ["1", "2", "3", "4", "5"].map(|data| Some(data.to_owned())));
    assert_eq!(
        notes.all(),
        [
            "read 2 starts",
            r#"asked about {"n":1}"#,
            "read 2 ends",
            "put 3 starts",
            "put 3 ends",
            "read 5 starts",
            "read 5 ends",
            r#"said yes to {"n":1}"#,
            r#"asked about {"n":4}"#,
            r#"said yes to {"n":4}"#,
            "send 1 starts",
            "send 1 ends",
            "send 4 starts",
            "send 4 ends",
        ]
    );
    assert_eq!(before.elapsed(), 2 * SECOND + Duration::from_millis(20));
}

#[tokio::test(start_paused = true)]
async fn an_approver_is_asked_before_earlier_free_calls_have_ended() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new().approver(slow_boss(&notes, SECOND)), &notes);
    run(&fixture, &[("put", 1), ("read", 2), ("send", 3)]).await;
    assert_eq!(notes.all()[..3], ["put 1 starts", r#"asked about {"n":3}"#, "put 1 ends"]);
}

#[tokio::test(start_paused = true)]
async fn an_allowed_call_runs_after_the_free_ones_however_soon_it_was_allowed() {
    let notes = EventLog::default();
    let boss = approver(|_| Decision::approve("boss"));
    let fixture = fixture(Policy::new().approver(boss), &notes);
    run(&fixture, &[("send", 1), ("read", 2), ("put", 3)]).await;
    let starts = notes.all().into_iter().filter(|note| note.ends_with("starts"));
    assert_eq!(starts.collect::<Vec<_>>(), ["read 2 starts", "put 3 starts", "send 1 starts"]);
}

#[tokio::test(start_paused = true)]
async fn without_an_approver_such_calls_get_tickets_and_free_ones_run() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new(), &notes);
    let calls = run(&fixture, &[("send", 1), ("read", 2), ("send", 3), ("put", 4)]).await;
    let tickets: Vec<_> =
        [0, 2].into_iter().map(|at| ticket_in(calls[at].output().unwrap())).collect();
    assert_ne!(tickets[0], tickets[1]);
    assert_eq!(calls[0].call_id(), Some("call-0"));
    let ends = notes.all().into_iter().filter(|note| note.ends_with("ends"));
    assert_eq!(ends.collect::<Vec<_>>(), ["read 2 ends", "put 4 ends"]);
    assert!(fixture.approved(&tickets[1]).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_declined_leaves_the_others_alone() {
    let notes = EventLog::default();
    let boss = approver(|request| match request.arguments_with_secrets() {
        r#"{"n":1}"# => Decision::decline("boss", "not this one"),
        _ => Decision::approve("boss"),
    });
    let fixture = fixture(Policy::new().approver(boss), &notes);
    let calls = run(&fixture, &[("send", 1), ("send", 2), ("read", 3)]).await;
    assert_eq!(code(calls[0].output().unwrap()), "DECLINED");
    assert_eq!(details(calls[0].output().unwrap())["feedback"], "not this one");
    assert!(calls[1].output().unwrap().is_ok() && calls[2].output().unwrap().is_ok());
    assert!(notes.all().iter().all(|note| !note.starts_with("send 1")));
}

#[tokio::test(start_paused = true)]
async fn the_time_that_people_take_is_not_the_batchs() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new().approver(slow_boss(&notes, 60 * SECOND)), &notes);
    let cx = context("jane").timeouts_ms(35).build().unwrap();
    let turn = [("put", 1), ("send", 2), ("send", 3), ("send", 4)];
    let mut calls = fixture.runtime.call_all(&requests(&turn), &cx);
    fixture.runtime.execute_all(&mut calls).await;
    for call in &calls[..3] {
        assert!(call.output().unwrap().is_ok(), "{:?}", call.output());
    }
    // 10 ms each have left 5 for the last.
    assert_eq!(code(calls[3].output().unwrap()), "TIMEOUT");
    assert_eq!(calls[3].status(), CallStatus::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_only_the_hosts_rule_asks_about_holds_up_no_free_call() {
    let notes = EventLog::default();
    let access = rule(|request| {
        let n = request.arguments::<serde_json::Value>()?["n"].as_u64();
        Ok(match n {
            Some(1) => AccessVerdict::ask("the first"),
            Some(2) => AccessVerdict::deny("never the second"),
            Some(3) => AccessVerdict::Allow,
            _ => AccessVerdict::ByPermission,
        })
    });
    let policy = Policy::new().access(access).approver(slow_boss(&notes, SECOND));
    let fixture = fixture(policy, &notes);
    let turn = [("put", 1), ("send", 2), ("send", 3), ("read", 1), ("read", 4)];
    let calls = run(&fixture, &turn).await;
    assert_eq!(reason(calls[1].output().unwrap()), "denied_by_policy");
    let answered = calls.iter().filter(|call| call.output().unwrap().is_ok());
    assert_eq!(answered.count(), 4);
    assert_eq!(
        notes.all(),
        [
            "send 3 starts",
            r#"asked about {"n":1}"#,
            "send 3 ends",
            "read 4 starts",
            "read 4 ends",
            r#"said yes to {"n":1}"#,
            r#"asked about {"n":1}"#,
            r#"said yes to {"n":1}"#,
            "put 1 starts",
            "put 1 ends",
            "read 1 starts",
            "read 1 ends",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_hosts_rule_is_asked_again_when_an_allowed_call_has_its_turn() {
    let notes = EventLog::default();
    let sent = notes.clone();
    let once = rule(move |_| {
        let has_sent = sent.all().iter().any(|note| note.starts_with("send"));
        Ok(if has_sent { AccessVerdict::deny("one a day") } else { AccessVerdict::ByPermission })
    });
    let boss = approver(|_| Decision::approve("boss"));
    let fixture = fixture(Policy::new().access(once).approver(boss), &notes);
    let calls = run(&fixture, &[("send", 1), ("send", 2)]).await;
    assert!(calls[0].output().unwrap().is_ok());
    assert_eq!(reason(calls[1].output().unwrap()), "denied_by_policy");
    assert_eq!(notes.all(), ["send 1 starts", "send 1 ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_batch_dropped_while_an_approver_is_asked_has_lost_nothing() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new().approver(slow_boss(&notes, SECOND)), &notes);
    let mut calls = fixture.runtime.call_all(&requests(&[("send", 1), ("read", 2)]), &jane());
    let half = Duration::from_millis(500);
    assert!(tokio::time::timeout(half, fixture.runtime.execute_all(&mut calls)).await.is_err());
    assert_eq!(calls[0].status(), CallStatus::Pending);
    assert_eq!(calls[1].status(), CallStatus::Executed);
    fixture.runtime.execute_all(&mut calls).await;
    assert!(calls.iter().all(|call| call.status() == CallStatus::Executed));
    let ran = notes.all().iter().filter(|note| note.ends_with("starts")).count();
    assert_eq!(ran, 2, "the read did not run again");
}

#[tokio::test(start_paused = true)]
async fn a_batch_ends_the_ticket_of_a_call_that_was_declined_before() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new(), &notes);
    let ticket = fixture.ticket("send", r#"{"n":1}"#).await;
    let mut calls = vec![fixture.runtime.tickets().resume(&ticket, &jane()).await];
    calls[0].decline("boss", "no").unwrap();
    fixture.runtime.execute_all(&mut calls).await;
    assert_eq!(reason(&fixture.approved(&ticket).await), "ticket_declined");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_changed_ahead_runs_as_it_was_changed() {
    let asked = Arc::new(AtomicU32::new(0));
    let counted = asked.clone();
    let boss = approver(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Decision::approve("boss").with_arguments(r#"{"n":7}"#)
    });
    let notes = EventLog::default();
    let policy = Policy::new().rules(ToolPolicy::new().bind_preview(true)).approver(boss);
    let fixture = fixture(policy, &notes);
    let calls = run(&fixture, &[("send", 1), ("send", 2)]).await;
    assert!(calls.iter().all(|call| call.output().unwrap().data_json() == Some("7")));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_answered_before_needs_no_approval_again() {
    let notes = EventLog::default();
    let fixture = fixture(Policy::new().approver(slow_boss(&notes, SECOND)), &notes);
    // The same call of the same model, delivered twice.
    run(&fixture, &[("send", 1)]).await;
    let again = run(&fixture, &[("send", 1), ("read", 2)]).await;
    assert!(again[0].output().unwrap().meta_json().contains(r#""replayed":true"#));
    assert!(again[1].output().unwrap().is_ok());
    assert_eq!(notes.all().iter().filter(|note| note.starts_with("asked")).count(), 1);
    assert_eq!(notes.all().iter().filter(|note| *note == "send 1 starts").count(), 1);
}
