//! What a person has allowed once and for all.

use std::time::Duration;

use serde_json::json;
use tool_runtime::DynamicTool;
use tool_runtime::policy::{Decision, GrantError, GrantFor, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{GrantStore, Sqlite};

use super::desk::{Desk, Notes, START, TENANT, context, jane, person, ticket_in};
use crate::sqlite::Folder;

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

/// A desk whose boss allows everything always, and notes what they are asked about.
fn generous(what: GrantFor) -> (Desk, Notes) {
    let asked = Notes::default();
    let notes = asked.clone();
    let boss = person(move |request| {
        notes.note(request.tool().name());
        Decision::approve("boss").always(what)
    });
    (Desk::new(Policy::new().approver(boss)), asked)
}

#[tokio::test]
async fn a_tool_that_is_always_allowed_is_asked_about_once() {
    let (desk, asked) = generous(GrantFor::Tool);
    for arguments in [PAYMENT, r#"{"to":"eve"}"#, PAYMENT] {
        assert!(desk.answer("pay", arguments).await.is_ok());
        assert_eq!(desk.closed.last().approver.as_deref(), Some("boss"));
    }
    assert_eq!(asked.all(), ["pay"]);
}

#[tokio::test]
async fn arguments_that_are_always_allowed_are_asked_about_once() {
    let (desk, asked) = generous(GrantFor::TheseArguments);
    assert!(desk.answer("pay", r#"{"to":"joe"}"#).await.is_ok());
    assert!(desk.answer("pay", r#"{ "cents": 1, "to": "joe" }"#).await.is_ok());
    assert_eq!(asked.all().len(), 1, "the same arguments in other words");
    assert!(desk.answer("pay", r#"{"to":"joe","cents":2}"#).await.is_ok());
    assert_eq!(asked.all().len(), 2);
}

#[tokio::test]
async fn what_is_destructive_is_asked_about_each_time() {
    for what in [GrantFor::Tool, GrantFor::TheseArguments] {
        let (desk, asked) = generous(what);
        for _ in 0..2 {
            assert!(desk.answer("wipe", r#"{"what":"it"}"#).await.is_ok());
        }
        assert_eq!(asked.all(), ["wipe", "wipe"]);
        assert!(desk.runtime.grants(TENANT, None, 10).await.unwrap().is_empty());
        let refused = desk.runtime.grant("wipe", &jane(), "boss").await;
        assert!(matches!(refused, Err(GrantError::Destructive(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_grant_is_for_one_user_of_one_tenant() {
    let desk = Desk::new(Policy::new());
    desk.runtime.grant("pay", &jane(), "boss").await.unwrap();
    assert!(desk.answer("pay", PAYMENT).await.is_ok());
    let elsewhere = ToolContext::builder(Uuid::from_u128(8), "trace-1").run_id("run-1");
    for cx in [context("eve").build().unwrap(), elsewhere.user_id("jane").build().unwrap()] {
        ticket_in(desk.runtime.call("pay", PAYMENT, &cx).execute().await);
    }
    assert_eq!(desk.notes.all().len(), 1);
}

async fn check_given_listed_and_taken_back(policy: Policy) {
    let desk = Desk::new(policy);
    let given = desk.runtime.grant("pay", &jane(), "boss").await.unwrap();
    assert_eq!((&*given.granted_by, given.granted_at), ("boss", START));
    assert_eq!(desk.runtime.grants(TENANT, None, 10).await.unwrap(), std::slice::from_ref(&given));
    assert!(desk.answer("pay", PAYMENT).await.is_ok());
    assert!(desk.runtime.revoke(&given.scope).await.unwrap());
    assert!(!desk.runtime.revoke(&given.scope).await.unwrap());
    ticket_in(&desk.answer("pay", PAYMENT).await);
}

#[tokio::test]
async fn a_grant_can_be_given_listed_and_taken_back() {
    let folder = Folder::new();
    check_given_listed_and_taken_back(Policy::new()).await;
    check_given_listed_and_taken_back(Policy::new().store(folder.open())).await;
}

#[tokio::test]
async fn a_grant_is_given_by_somebody_to_somebody_for_a_tool() {
    let desk = Desk::new(Policy::new());
    let nobody = ToolContext::builder(TENANT, "trace-1").run_id("run-1").build().unwrap();
    let refused = desk.runtime.grant("pay", &nobody, "boss").await;
    assert!(matches!(refused, Err(GrantError::Nobody)));
    let refused = desk.runtime.grant("pay", &jane(), "  ").await;
    assert!(matches!(refused, Err(GrantError::NoApprover)));
    let refused = desk.runtime.grant("pey", &jane(), "boss").await;
    assert!(matches!(refused, Err(GrantError::UnknownTool(_))));
}

#[tokio::test]
async fn a_grant_that_is_over_counts_no_more() {
    let folder = Folder::new();
    let desk = Desk::new(Policy::new().store(folder.open()));
    let given = desk.runtime.grant("pay", &jane(), "boss").await.unwrap();
    folder.open().put_grant(given.until(START.after(Duration::from_secs(60)))).await.unwrap();
    assert!(desk.answer("pay", PAYMENT).await.is_ok());
    desk.clock.advance(Duration::from_secs(60));
    ticket_in(&desk.answer("pay", PAYMENT).await);
    assert_eq!(desk.notes.all().len(), 1);
}

/// A desk with a `note` tool of this schema.
fn noting(store: Sqlite, version: &str, extra: &str) -> Desk {
    let schema = json!({"type": "object", "properties": {extra: {"type": "string"}}});
    Desk::with(Policy::new().store(store), |builder| {
        let tool = DynamicTool::new("note", Effect::Write).description("Notes.").version(version);
        let tool = tool.input_schema(schema).handles_dry_run();
        builder.dynamic(tool.sync_handler(|_| Ok::<_, Failure>(json!(true))))
    })
}

#[tokio::test]
async fn a_grant_lapses_when_its_tool_changes() {
    let folder = Folder::new();
    let first = noting(folder.open(), "1.0.0", "text");
    first.runtime.grant("note", &jane(), "boss").await.unwrap();
    assert!(first.answer("note", "{}").await.is_ok());
    ticket_in(&noting(folder.open(), "1.0.0", "title").answer("note", "{}").await);
    ticket_in(&noting(folder.open(), "1.0.1", "text").answer("note", "{}").await);
    assert!(noting(folder.open(), "1.0.0", "text").answer("note", "{}").await.is_ok());
}

#[tokio::test]
async fn a_call_that_came_back_waits_for_a_name_and_not_for_a_grant() {
    let desk = Desk::new(Policy::new());
    let ticket = desk.ticket("pay", PAYMENT).await;
    desk.runtime.grant("pay", &jane(), "boss").await.unwrap();
    let mut call = desk.runtime.resume(&ticket, &jane()).await;
    assert_eq!(ticket_in(call.execute().await), ticket);
    assert!(desk.notes.is_empty());
}
