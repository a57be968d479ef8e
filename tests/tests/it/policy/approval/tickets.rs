//! A call that is deferred behind its ticket, resumed, and ended with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::policy::{AccessVerdict, KeyRing, Policy, TicketIssueError};
use tool_runtime::prelude::*;
use tool_runtime::{NotPending, RuntimeBuilder, Withdrawal};

use super::fixture::{
    DAY, EventLog, Fixture, START, TENANT, code, context, jane, reason, rule, ticket_in,
};
use crate::sqlite::Folder;

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

/// Records everything that it sees of its call.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn tell(notes: &EventLog, cx: &ToolContext, key: &Idempotency, dry_run: &DryRun) {
    let _ = dry_run;
    notes.record(
        json!({
            "key": key.key(), "trace": cx.trace_id(), "run": cx.run_id(),
            "session": cx.session_id(), "locale": cx.locale(), "auth": cx.auth(),
            "now": cx.now_iso(),
        })
        .to_string(),
    );
}

/// A fixture on a store that outlives it.
fn fixture(folder: &Folder) -> Fixture {
    let keys = KeyRing::new("k", &[1; 32]).unwrap();
    Fixture::with(
        Policy::new().store(folder.open()).ticket_keys(keys),
        RuntimeBuilder::tool::<TellTool>,
    )
}

fn auth(token: &str) -> serde_json::Map<String, Value> {
    [("token".to_owned(), json!(token))].into_iter().collect()
}

#[tokio::test]
async fn a_call_that_comes_back_is_the_first_one_with_the_credentials_of_now() {
    let folder = Folder::new();
    let first = context("jane").session_id("session-1").locale("de-DE").auth(auth("old"));
    let first = first.idempotency_key("key-1").build().unwrap();
    let none = serde_json::value::RawValue::from_string("{}".to_owned()).unwrap();
    let request = ToolCallRequest::new("call-1", "tell", none);
    let mut call = fixture(&folder).runtime.call_request(&request, &first);
    let ticket = ticket_in(call.execute().await);
    assert!(!ticket.contains("old"));

    let later = ToolContext::builder(TENANT, "trace-2").run_id("run-2").user_id("jane");
    let later = later.idempotency_key("key-2").locale("fr").auth(auth("new")).build().unwrap();
    let there = fixture(&folder);
    let mut call = there.runtime.tickets().resume(&ticket, &later).await;
    assert_eq!(
        (call.call_id(), call.cx().invocation_id()),
        (Some("call-1"), first.invocation_id())
    );
    call.approve("boss").unwrap();
    assert!(call.execute().await.is_ok());
    let told: Value = serde_json::from_str(&there.notes.all()[0]).unwrap();
    assert_eq!(
        told,
        json!({
            "key": "key-1", "trace": "trace-1", "run": "run-1",
            "session": "session-1", "locale": "de-DE", "auth": {"token": "new"},
            "now": first.now_iso(),
        })
    );
}

#[tokio::test]
async fn a_ticket_says_what_it_stands_for_and_no_argument() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", r#"{"to":"a-rare-name","cents":977}"#, &jane());
    let ticket = call.ticket().await.unwrap();
    assert_eq!((ticket.tool(), ticket.tool_version()), ("pay", "1.0.0"));
    assert_eq!((ticket.tenant(), ticket.principal()), (TENANT, "user:jane"));
    assert_eq!((ticket.issued_at(), ticket.expires_at()), (START, START.after(DAY)));
    assert!(!ticket.to_json().contains("a-rare-name"));
    assert_eq!(ticket_in(call.execute().await).len(), ticket.to_json().len());
    assert_eq!(call.status(), CallStatus::NotExecuted);
    assert!(matches!(call.ticket().await, Err(TicketIssueError::NotPending)));
}

#[tokio::test]
async fn a_ticket_is_good_once() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    assert!(fixture.approved(&ticket).await.is_ok());
    for _ in 0..2 {
        assert_eq!(reason(&fixture.approved(&ticket).await), "ticket_used");
    }
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
}

#[tokio::test]
async fn a_call_that_came_back_gets_no_ticket_of_its_own() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert!(matches!(call.ticket().await, Err(TicketIssueError::NotPending)));
    assert_eq!(call.status(), CallStatus::Pending);
}

/// Withdraws a resumed call, and checks the state of its ticket afterwards.
async fn check_withdrawn(
    withdraw: fn(&mut ToolCall) -> Result<(), NotPending>,
    execute: bool,
    expected: &str,
) {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    withdraw(&mut call).unwrap();
    if execute {
        assert!(!call.execute().await.is_ok());
    }
    drop(call);
    assert_eq!(reason(&fixture.approved(&ticket).await), expected);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_declined_or_withdrawn_call_ends_its_ticket_executed_or_dropped() {
    for execute in [true, false] {
        let decline = |call: &mut ToolCall| call.decline("boss", "no").map_err(|_| NotPending);
        check_withdrawn(decline, execute, "ticket_declined").await;
        check_withdrawn(|call| call.withdraw(Withdrawal::Superseded), execute, "ticket_superseded")
            .await;
        check_withdrawn(|call| call.withdraw(Withdrawal::Expired), execute, "ticket_expired").await;
    }
}

#[tokio::test]
async fn a_declined_ticket_tells_the_model_why() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    call.decline("boss", "joe has been paid").unwrap();
    let output = call.execute().await;
    assert_eq!(code(output), "DECLINED");
    assert!(output.error().unwrap().message().contains("joe has been paid"));
}

#[tokio::test]
async fn a_call_that_came_back_and_is_dropped_undecided_leaves_its_ticket_good() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    drop(fixture.runtime.tickets().resume(&ticket, &jane()).await);
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    call.approve("boss").unwrap();
    drop(call);
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_rule_that_says_no_meanwhile_is_heard_and_the_ticket_stays_good() {
    let open = Arc::new(AtomicBool::new(true));
    let is_open = open.clone();
    let access = rule(move |_| {
        let is_open = is_open.load(Ordering::SeqCst);
        Ok(if is_open { AccessVerdict::ask("") } else { AccessVerdict::deny("closed") })
    });
    let fixture = Fixture::new(Policy::new().access(access));
    let ticket = fixture.ticket("pay", PAYMENT).await;
    open.store(false, Ordering::SeqCst);
    assert_eq!(reason(&fixture.approved(&ticket).await), "denied_by_policy");
    assert!(fixture.notes.is_empty());
    open.store(true, Ordering::SeqCst);
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_waiting_ticket_and_a_grant_lapse_when_their_tool_is_replaced_by_another_contract() {
    let shout = |version: &str, max_length: u32| {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"text": {"type": "string", "maxLength": max_length}},
        });
        DynamicTool::new("shout", Effect::Write)
            .description("Shouts.")
            .version(version)
            .input_schema(schema)
            .handles_dry_run()
            .handler(|_| async { Ok::<_, Failure>("shouted") })
    };
    let fixture = Fixture::with(Policy::new(), |builder| builder.dynamic(shout("1.0.0", 9)));
    let tools = fixture.runtime.tools();
    let waiting = fixture.ticket("shout", r#"{"text":"hi"}"#).await;
    tools.replace(shout("1.0.0", 9)).unwrap();
    assert!(fixture.approved(&waiting).await.is_ok(), "the same contract");

    let waiting = fixture.ticket("shout", r#"{"text":"hi"}"#).await;
    fixture.runtime.grants().give("shout", &jane(), "boss").await.unwrap();
    assert!(fixture.answer("shout", r#"{"text":"ho"}"#).await.is_ok(), "it is granted");
    for changed in [shout("1.1.0", 9), shout("1.1.0", 10)] {
        tools.replace(changed).unwrap();
        assert_eq!(reason(&fixture.approved(&waiting).await), "ticket_outdated");
        ticket_in(&fixture.answer("shout", r#"{"text":"hi"}"#).await);
    }
    tools.remove("shout");
    assert_eq!(reason(&fixture.approved(&waiting).await), "ticket_outdated");

    tools.add(shout("1.0.0", 9)).unwrap();
    tools.disable("shout", "for now");
    assert_eq!(reason(&fixture.approved(&waiting).await), "tool_disabled");
}
