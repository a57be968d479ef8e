//! Standing grants.

use std::time::Duration;

use serde_json::json;
use tool_runtime::DynamicTool;
use tool_runtime::policy::{Decision, GrantError, GrantFor, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{GrantStore, SqliteStore};

use super::fixture::{EventLog, Fixture, START, TENANT, approver, context, jane, ticket_in};
use crate::sqlite::Folder;

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

/// A fixture whose boss allows everything always, and notes what they are asked about.
fn generous(what: GrantFor) -> (Fixture, EventLog) {
    let asked = EventLog::default();
    let notes = asked.clone();
    let boss = approver(move |request| {
        notes.record(request.tool().name());
        Decision::approve("boss").always(what)
    });
    (Fixture::new(Policy::new().approver(boss)), asked)
}

#[tokio::test]
async fn a_tool_that_is_always_allowed_is_asked_about_once() {
    let (fixture, asked) = generous(GrantFor::Tool);
    for arguments in [PAYMENT, r#"{"to":"eve"}"#, PAYMENT] {
        assert!(fixture.answer("pay", arguments).await.is_ok());
        assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));
    }
    assert_eq!(asked.all(), ["pay"]);
}

#[tokio::test]
async fn arguments_that_are_always_allowed_are_asked_about_once() {
    let (fixture, asked) = generous(GrantFor::TheseArguments);
    assert!(fixture.answer("pay", r#"{"to":"joe"}"#).await.is_ok());
    assert!(fixture.answer("pay", r#"{ "cents": 1, "to": "joe" }"#).await.is_ok());
    assert_eq!(asked.all().len(), 1, "the same arguments in other words");
    assert!(fixture.answer("pay", r#"{"to":"joe","cents":2}"#).await.is_ok());
    assert_eq!(asked.all().len(), 2);
}

#[tokio::test]
async fn a_destructive_call_is_asked_about_each_time() {
    for what in [GrantFor::Tool, GrantFor::TheseArguments] {
        let (fixture, asked) = generous(what);
        for _ in 0..2 {
            assert!(fixture.answer("wipe", r#"{"what":"it"}"#).await.is_ok());
        }
        assert_eq!(asked.all(), ["wipe", "wipe"]);
        assert!(fixture.runtime.grants().list(TENANT, None, 10).await.unwrap().is_empty());
        let refused = fixture.runtime.grants().give("wipe", &jane(), "boss").await;
        assert!(matches!(refused, Err(GrantError::Destructive(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_grant_is_for_one_user_of_one_tenant() {
    let fixture = Fixture::new(Policy::new());
    fixture.runtime.grants().give("pay", &jane(), "boss").await.unwrap();
    assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    let elsewhere = ToolContext::builder(Uuid::from_u128(8), "trace-1").run_id("run-1");
    for cx in [context("eve").build().unwrap(), elsewhere.user_id("jane").build().unwrap()] {
        ticket_in(fixture.runtime.call("pay", PAYMENT, &cx).execute().await);
    }
    assert_eq!(fixture.notes.all().len(), 1);
}

async fn check_given_listed_and_taken_back(policy: Policy) {
    let fixture = Fixture::new(policy);
    let given = fixture.runtime.grants().give("pay", &jane(), "boss").await.unwrap();
    assert_eq!((&*given.granted_by, given.granted_at), ("boss", START));
    assert_eq!(
        fixture.runtime.grants().list(TENANT, None, 10).await.unwrap(),
        std::slice::from_ref(&given)
    );
    assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    assert!(fixture.runtime.grants().revoke(&given.scope).await.unwrap());
    assert!(!fixture.runtime.grants().revoke(&given.scope).await.unwrap());
    ticket_in(&fixture.answer("pay", PAYMENT).await);
}

#[tokio::test]
async fn a_grant_can_be_given_listed_and_taken_back() {
    let folder = Folder::new();
    check_given_listed_and_taken_back(Policy::new()).await;
    check_given_listed_and_taken_back(Policy::new().store(folder.open())).await;
}

#[tokio::test]
async fn a_grant_needs_an_approver_a_principal_and_a_tool() {
    let fixture = Fixture::new(Policy::new());
    let anonymous = ToolContext::builder(TENANT, "trace-1").run_id("run-1").build().unwrap();
    let refused = fixture.runtime.grants().give("pay", &anonymous, "boss").await;
    assert!(matches!(refused, Err(GrantError::NoPrincipal)));
    let refused = fixture.runtime.grants().give("pay", &jane(), "  ").await;
    assert!(matches!(refused, Err(GrantError::InvalidApprover)));
    let refused = fixture.runtime.grants().give("pey", &jane(), "boss").await;
    assert!(matches!(refused, Err(GrantError::UnknownTool(_))));
}

#[tokio::test]
async fn a_grant_that_is_over_counts_no_more() {
    let folder = Folder::new();
    let fixture = Fixture::new(Policy::new().store(folder.open()));
    let given = fixture.runtime.grants().give("pay", &jane(), "boss").await.unwrap();
    folder.open().put_grant(given.until(START.after(Duration::from_secs(60)))).await.unwrap();
    assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    fixture.clock.advance(Duration::from_secs(60));
    ticket_in(&fixture.answer("pay", PAYMENT).await);
    assert_eq!(fixture.notes.all().len(), 1);
}

/// A fixture with a `note` tool of this schema.
fn fixture_with_note(store: SqliteStore, version: &str, extra: &str) -> Fixture {
    let schema = json!({"type": "object", "properties": {extra: {"type": "string"}}});
    Fixture::with(Policy::new().store(store), |builder| {
        let tool = DynamicTool::new("note", Effect::Write).description("Notes.").version(version);
        let tool = tool.input_schema(schema).handles_dry_run();
        builder.dynamic(tool.sync_handler(|_| Ok::<_, Failure>(json!(true))))
    })
}

#[tokio::test]
async fn a_grant_lapses_when_its_tool_changes() {
    let folder = Folder::new();
    let first = fixture_with_note(folder.open(), "1.0.0", "text");
    first.runtime.grants().give("note", &jane(), "boss").await.unwrap();
    assert!(first.answer("note", "{}").await.is_ok());
    ticket_in(&fixture_with_note(folder.open(), "1.0.0", "title").answer("note", "{}").await);
    ticket_in(&fixture_with_note(folder.open(), "1.0.1", "text").answer("note", "{}").await);
    assert!(fixture_with_note(folder.open(), "1.0.0", "text").answer("note", "{}").await.is_ok());
}

#[tokio::test]
async fn a_call_that_came_back_waits_for_a_name_and_not_for_a_grant() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    fixture.runtime.grants().give("pay", &jane(), "boss").await.unwrap();
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert_eq!(ticket_in(call.execute().await), ticket);
    assert!(fixture.notes.is_empty());
}
