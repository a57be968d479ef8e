//! Tickets that are not what was issued, and tickets in the wrong hands.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_runtime::DynamicTool;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;

use super::fixture::{EventLog, Fixture, TENANT, code, context, jane, reason, ticket_in};
use crate::sqlite::Folder;

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

/// Takes a ticket up in this context, says yes, and sees that nothing runs and the ticket is good.
async fn check_refused(fixture: &Fixture, presented: &str, cx: &ToolContext, expected: &str) {
    let mut call = fixture.runtime.tickets().resume(presented, cx).await;
    assert_eq!(call.status(), CallStatus::Rejected, "{presented}");
    let errors = [call.approve("boss"), call.approve_edited("boss", PAYMENT)];
    let output = call.execute().await;
    assert_eq!(reason(output), expected, "{presented}");
    let cause = output.error().unwrap().message();
    for error in errors {
        let error = error.expect_err("a rejected call cannot be approved").to_string();
        assert!(error.ends_with(cause), "the reason is missing: {error}");
    }
    assert!(fixture.notes.is_empty(), "nothing may run");
}

#[tokio::test]
async fn a_ticket_with_any_field_altered_lets_nothing_run() {
    let fixture = Fixture::new(Policy::new());
    let cx = context("jane").session_id("session-1").build().unwrap();
    let request =
        ToolCallRequest::new("call-1", "pay", RawValue::from_string(PAYMENT.to_owned()).unwrap());
    let ticket = ticket_in(fixture.runtime.call_request(&request, &cx).execute().await);
    let other = ticket_in(&fixture.answer("pay", r#"{"to":"eve"}"#).await);
    let other: Value = serde_json::from_str(&other).unwrap();
    let genuine: Value = serde_json::from_str(&ticket).unwrap();
    let later = genuine["expires_at"].as_u64().unwrap() + 1;
    let altered = [
        ("version", json!(2), "ticket_malformed"),
        ("id", other["id"].clone(), "ticket_tampered"),
        ("call_id", json!("call-2"), "ticket_tampered"),
        ("call_id", Value::Null, "ticket_tampered"),
        ("tenant", json!(Uuid::from_u128(8)), "ticket_tampered"),
        ("principal", json!("user:eve"), "ticket_tampered"),
        ("tool", json!("wipe"), "ticket_tampered"),
        ("tool_version", json!("1.0.1"), "ticket_tampered"),
        ("schema", json!("0".repeat(64)), "ticket_tampered"),
        ("arguments", other["arguments"].clone(), "ticket_tampered"),
        ("preview", other["preview"].clone(), "ticket_tampered"),
        ("bound_preview", json!(true), "ticket_tampered"),
        ("issued_at", json!(1), "ticket_tampered"),
        ("expires_at", json!(later), "ticket_tampered"),
        ("key", json!("mine"), "ticket_unknown_key"),
        ("signature", other["signature"].clone(), "ticket_tampered"),
        ("signature", json!(""), "ticket_malformed"),
        ("more", json!(1), "ticket_malformed"),
    ];
    let fields = genuine.as_object().unwrap().keys();
    let tried = |field: &String| altered.iter().any(|(name, ..)| name == field);
    assert!(fields.clone().all(tried), "each field is altered once: {fields:?}");
    for (field, value, expected) in altered {
        let mut forged = genuine.clone();
        forged[field] = value;
        check_refused(&fixture, &forged.to_string(), &cx, expected).await;
    }
    for field in genuine.as_object().unwrap().keys().filter(|key| *key != "call_id") {
        let mut shorter = genuine.clone();
        shorter.as_object_mut().unwrap().remove(field);
        check_refused(&fixture, &shorter.to_string(), &cx, "ticket_malformed").await;
    }
    assert!(fixture.approved(&ticket).await.is_ok(), "the ticket itself was not used");
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
}

#[tokio::test]
async fn a_text_that_is_no_ticket_lets_nothing_run() {
    let fixture = Fixture::new(Policy::new());
    for text in ["", "yes", "null", "[]", "{}", "\"approved\"", &"x".repeat(1_000_000)] {
        check_refused(&fixture, text, &jane(), "ticket_malformed").await;
    }
}

#[tokio::test]
async fn a_ticket_is_good_for_whom_it_was_issued_only() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let elsewhere = ToolContext::builder(Uuid::from_u128(8), "trace-1").run_id("run-1");
    let anonymous = ToolContext::builder(TENANT, "trace-1").run_id("run-1");
    let foreign = [
        elsewhere.user_id("jane").build().unwrap(),
        anonymous.build().unwrap(),
        context("eve").build().unwrap(),
        context("jane ").build().unwrap(),
    ];
    for cx in foreign {
        check_refused(&fixture, &ticket, &cx, "ticket_foreign").await;
    }
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_ticket_expires() {
    let fixture = Fixture::new(Policy::new().ticket_lifetime(Duration::from_secs(60)));
    let ticket = fixture.ticket("pay", PAYMENT).await;
    fixture.clock.advance(Duration::from_millis(59_999));
    let held = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert_eq!(held.status(), CallStatus::Pending);
    drop(held);
    let ticket = fixture.ticket("pay", PAYMENT).await;
    fixture.clock.advance(Duration::from_secs(60));
    check_refused(&fixture, &ticket, &jane(), "ticket_expired").await;
}

#[tokio::test]
async fn a_call_that_came_back_in_time_and_is_let_run_too_late_does_not_run() {
    let fixture = Fixture::new(Policy::new().ticket_lifetime(Duration::from_secs(60)));
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    call.approve("boss").unwrap();
    fixture.clock.advance(Duration::from_secs(60));
    assert_eq!(reason(call.execute().await), "ticket_expired");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_model_that_sends_its_ticket_back_gets_nowhere() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    let approved = ticket.replacen('{', r#"{"approver":"boss","#, 1);
    for arguments in [&*ticket, &*approved, &json!({"to": "joe", "ticket": ticket}).to_string()] {
        assert_eq!(code(&fixture.answer("pay", arguments).await), "INVALID_ARGUMENT");
    }
    for name in ["approve", "resume", &*ticket] {
        assert_eq!(code(&fixture.answer(name, &ticket).await), "NOT_FOUND");
    }
    let again = fixture.ticket("pay", PAYMENT).await;
    assert_ne!(again, ticket, "the same call again is another one to decide about");
    assert!(fixture.notes.is_empty());
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_ticket_without_a_name_is_answered_as_before_and_stays_good() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    for _ in 0..3 {
        let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
        assert!(call.needs_approval());
        assert_eq!(ticket_in(call.execute().await), ticket);
    }
    assert!(fixture.notes.is_empty());
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_call_that_was_put_away_needs_a_name_although_its_tool_asks_for_none() {
    let fixture = Fixture::with(Policy::new(), |it| it.permission("pay", Permission::Allow));
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    let ticket = call.ticket().await.unwrap().to_json();
    let mut unnamed = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert_eq!(ticket_in(unnamed.execute().await), ticket);
    assert!(fixture.notes.is_empty());
    assert!(fixture.approved(&ticket).await.is_ok());
}

/// A fixture with a `note` tool of this version and schema, on a store that outlives it.
fn fixture_with_note(folder: &Folder, version: &str, extra: Option<&str>) -> Fixture {
    let mut schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    if let Some(extra) = extra {
        schema["properties"][extra] = json!({"type": "string"});
    }
    let policy =
        Policy::new().store(folder.open()).ticket_keys(KeyRing::new("k", &[1; 32]).unwrap());
    Fixture::with(policy, |builder| {
        let tool = DynamicTool::new("note", Effect::Write).description("Notes.").version(version);
        let tool = tool.input_schema(schema).handles_dry_run();
        builder.dynamic(tool.sync_handler(|call| {
            call.state::<EventLog>().unwrap().record("noted");
            Ok::<_, Failure>(json!(true))
        }))
    })
}

#[tokio::test]
async fn a_ticket_lapses_when_its_tool_changes_or_goes() {
    let folder = Folder::new();
    let ticket = fixture_with_note(&folder, "1.0.0", None).ticket("note", r#"{"text":"a"}"#).await;
    let changed = [("1.0.1", None), ("1.0.0", Some("more"))];
    for (version, extra) in changed {
        let fixture = fixture_with_note(&folder, version, extra);
        check_refused(&fixture, &ticket, &jane(), "ticket_outdated").await;
    }
    let gone = Policy::new().store(folder.open());
    let gone = Fixture::new(gone.ticket_keys(KeyRing::new("k", &[1; 32]).unwrap()));
    check_refused(&gone, &ticket, &jane(), "ticket_outdated").await;
    let same = fixture_with_note(&folder, "1.0.0", None);
    assert!(same.approved(&ticket).await.is_ok());
    assert_eq!(same.notes.all(), ["noted"]);
}

fn keyed(folder: &Folder, keys: KeyRing) -> Fixture {
    Fixture::new(Policy::new().store(folder.open()).ticket_keys(keys))
}

#[tokio::test]
async fn a_ticket_outlives_its_key_as_long_as_that_is_on_the_ring() {
    let folder = Folder::new();
    let (old, new) = ([1; 32], [2; 32]);
    let ticket = keyed(&folder, KeyRing::new("old", &old).unwrap()).ticket("pay", PAYMENT).await;
    let unknown = keyed(&folder, KeyRing::new("new", &new).unwrap());
    check_refused(&unknown, &ticket, &jane(), "ticket_unknown_key").await;
    let renamed = keyed(&folder, KeyRing::new("old", &new).unwrap());
    check_refused(&renamed, &ticket, &jane(), "ticket_tampered").await;
    let rotated = KeyRing::new("new", &new).unwrap().with_former("old", &old).unwrap();
    assert!(keyed(&folder, rotated).approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_ticket_of_another_store_stands_for_nothing() {
    let ring = || KeyRing::new("k", &[1; 32]).unwrap();
    let ticket = keyed(&Folder::new(), ring()).ticket("pay", PAYMENT).await;
    check_refused(&keyed(&Folder::new(), ring()), &ticket, &jane(), "ticket_unknown").await;
}

#[tokio::test]
async fn a_ticket_without_keys_ends_with_its_runtime() {
    let folder = Folder::new();
    let ticket = Fixture::new(Policy::new().store(folder.open())).ticket("pay", PAYMENT).await;
    let next = Fixture::new(Policy::new().store(folder.open()));
    check_refused(&next, &ticket, &jane(), "ticket_unknown_key").await;
}
