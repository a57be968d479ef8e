//! A newer message of the user, which supersedes waiting calls.

use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::{NotPending, Withdrawal};

use super::fixture::{Fixture, code, context, jane, reason};

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

#[tokio::test]
async fn a_held_call_that_is_superseded_does_not_run() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    call.approve("boss").unwrap();
    call.withdraw(Withdrawal::Superseded).unwrap();
    assert_eq!(call.status(), CallStatus::NotExecuted);
    assert!(call.approve("boss").is_err());
    assert_eq!(call.withdraw(Withdrawal::Superseded), Err(NotPending));
    assert_eq!(reason(call.execute().await), "superseded");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_newer_message_ends_the_tickets_of_one_conversation_of_one_tenant() {
    let fixture = Fixture::new(Policy::new());
    let in_session = |session: &str| context("jane").session_id(session).build().unwrap();
    let elsewhere = ToolContext::builder(Uuid::from_u128(8), "trace-1").run_id("run-1");
    let elsewhere = elsewhere.user_id("jane").session_id("one").build().unwrap();
    let mut tickets = Vec::new();
    for cx in [in_session("one"), in_session("one"), in_session("two"), elsewhere] {
        let mut call = fixture.runtime.call("pay", PAYMENT, &cx);
        tickets.push((call.ticket().await.unwrap().to_json(), cx));
    }
    assert_eq!(fixture.runtime.tickets().supersede(&in_session("one")).await.unwrap(), 2);
    assert_eq!(fixture.runtime.tickets().supersede(&in_session("one")).await.unwrap(), 0);
    for (index, (ticket, cx)) in tickets.iter().enumerate() {
        let mut call = fixture.runtime.tickets().resume(ticket, cx).await;
        let _ = call.approve("boss");
        let output = call.execute().await;
        if index < 2 {
            assert_eq!((&*code(output), &*reason(output)), ("CANCELLED", "ticket_superseded"));
        } else {
            assert!(output.is_ok(), "{output}");
        }
    }
    assert_eq!(fixture.notes.all().len(), 2);
}

#[tokio::test]
async fn a_call_that_came_back_and_is_superseded_then_does_not_run() {
    let fixture = Fixture::new(Policy::new());
    let cx = context("jane").idempotency_key("key-1").build().unwrap();
    let mut call = fixture.runtime.call("pay", PAYMENT, &cx);
    let ticket = call.ticket().await.unwrap().to_json();
    let mut held = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    held.approve("boss").unwrap();
    assert_eq!(fixture.runtime.tickets().supersede(&jane()).await.unwrap(), 1);
    assert_eq!(reason(held.execute().await), "ticket_superseded");
    assert!(fixture.notes.is_empty());

    let mut again = fixture.runtime.call("pay", PAYMENT, &cx);
    again.approve("boss").unwrap();
    assert!(again.execute().await.is_ok(), "its key was given back");
}
