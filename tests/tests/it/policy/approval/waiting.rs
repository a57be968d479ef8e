//! Waiting calls, seen and decided by another user than the one who opened them.

use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::policy::{AccessVerdict, Policy, Ticket, WaitingCall};
use tool_runtime::prelude::*;
use tool_runtime::testing::{FaultyStore, StoreFault, StoreOperation};

use super::fixture::{
    Fixture, SECRET, TENANT, code, context, details, jane, meta, reason, rule, ticket_in,
};

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

/// Returns the context of an approver of the same tenant.
fn boss() -> ToolContext {
    context("boss").build().unwrap()
}

fn stranger() -> ToolContext {
    let cx = ToolContext::builder(Uuid::from_u128(8), "trace-1").run_id("run-1");
    cx.user_id("jane").build().unwrap()
}

fn id_of(ticket: &str) -> Uuid {
    Ticket::parse(ticket).unwrap().id()
}

async fn listed(fixture: &Fixture) -> Vec<WaitingCall> {
    fixture.runtime.tickets().waiting(TENANT, None, 100).await.unwrap().calls
}

/// Takes a call up by its id and says yes; what is answered where it cannot be taken up.
async fn decided(fixture: &Fixture, id: Uuid) -> ToolOutput {
    let mut call = fixture.runtime.tickets().resume_by_id(id, &boss()).await;
    let _ = call.approve("boss");
    call.execute().await.clone()
}

#[tokio::test]
async fn a_waiting_call_is_listed_as_a_person_may_see_it() {
    let asks = rule(|_| Ok(AccessVerdict::Ask { reason: "over the limit".to_owned() }));
    let fixture = Fixture::new(Policy::new().access(asks));
    let sent = json!({"to": "joe", "cents": 5, "pin": SECRET}).to_string();
    let ticket = Ticket::parse(&fixture.ticket("pay", &sent).await).unwrap();
    let listed = listed(&fixture).await;
    let [waiting] = &listed[..] else { panic!("one waits: {listed:?}") };
    assert_eq!(waiting.ticket(), &ticket);
    assert_eq!((waiting.cx().user_id(), waiting.cx().trace_id()), (Some("jane"), "trace-1"));
    assert_eq!(waiting.reason(), Some("over the limit"));
    let shown: Value = serde_json::from_str(waiting.arguments().unwrap()).unwrap();
    assert_eq!((&shown["to"], &shown["cents"]), (&json!("joe"), &json!(5)));
    let all = format!("{waiting:?} {shown}");
    assert!(shown["pin"].is_string() && !all.contains(SECRET), "{all}");
    let found = fixture.runtime.tickets().find_waiting(ticket.id(), TENANT).await.unwrap().unwrap();
    assert_eq!(found.ticket(), &ticket);
    assert!(fixture.notes.is_empty(), "looking runs nothing");
}

#[tokio::test]
async fn waiting_calls_are_listed_in_pages_oldest_first() {
    let fixture = Fixture::new(Policy::new());
    let mut tickets = Vec::new();
    for cents in 1..=5 {
        tickets.push(id_of(
            &fixture.ticket("pay", &json!({"to": "joe", "cents": cents}).to_string()).await,
        ));
    }
    tickets.sort();
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = fixture.runtime.tickets().waiting(TENANT, after, 2).await.unwrap();
        pages.push(page.calls.iter().map(|call| call.ticket().id()).collect::<Vec<_>>());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages.concat(), tickets);
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
}

#[tokio::test]
async fn an_approver_takes_a_call_up_by_its_id_and_it_runs_for_whom_it_was_opened() {
    let fixture = Fixture::new(Policy::new());
    let id = id_of(&fixture.ticket("pay", PAYMENT).await);
    let mut call = fixture.runtime.tickets().resume_by_id(id, &boss()).await;
    assert_eq!((call.status(), call.cx().user_id()), (CallStatus::Pending, Some("jane")));
    call.approve("boss").unwrap();
    assert!(call.execute().await.is_ok());
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
    assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));
    assert_eq!(reason(&decided(&fixture, id).await), "ticket_used");
    assert!(listed(&fixture).await.is_empty(), "what was decided waits no more");
    assert_eq!(fixture.notes.all().len(), 1);
}

#[tokio::test]
async fn an_approvers_credentials_are_not_the_callers() {
    let fixture = Fixture::new(Policy::new());
    let id = id_of(&fixture.ticket("pay", PAYMENT).await);
    let token = json!({"token": SECRET}).as_object().cloned();
    let call = fixture.runtime.tickets().resume_by_id(id, &boss().with_auth(token)).await;
    assert!(call.cx().auth().is_none());
}

#[tokio::test]
async fn an_id_without_a_name_approves_nothing_and_stays_good() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", PAYMENT).await;
    for _ in 0..2 {
        let mut call = fixture.runtime.tickets().resume_by_id(id_of(&ticket), &boss()).await;
        assert!(call.needs_approval() && call.approve(" ").is_err());
        assert_eq!(ticket_in(call.execute().await), ticket);
    }
    assert!(fixture.notes.is_empty());
    assert!(decided(&fixture, id_of(&ticket)).await.is_ok());
}

#[tokio::test]
async fn another_tenants_approver_finds_nothing() {
    let fixture = Fixture::new(Policy::new());
    let id = id_of(&fixture.ticket("pay", PAYMENT).await);
    let elsewhere = stranger().tenant_id();
    assert!(
        fixture.runtime.tickets().waiting(elsewhere, None, 100).await.unwrap().calls.is_empty()
    );
    assert!(fixture.runtime.tickets().find_waiting(id, elsewhere).await.unwrap().is_none());
    let mut call = fixture.runtime.tickets().resume_by_id(id, &stranger()).await;
    assert!(call.approve("boss").is_err());
    let foreign = call.execute().await.clone();
    let absent = decided(&fixture, Uuid::from_u128(1)).await;
    assert_eq!(foreign.error(), absent.error(), "it is told as what never was");
    assert_eq!(code(&foreign), "NOT_FOUND");
    assert!(fixture.notes.is_empty());
    assert!(decided(&fixture, id).await.is_ok(), "the ticket was not used");
}

#[tokio::test]
async fn an_approver_edits_and_declines_by_the_id() {
    let fixture = Fixture::new(Policy::new());
    let edited = id_of(&fixture.ticket("pay", PAYMENT).await);
    let mut call = fixture.runtime.tickets().resume_by_id(edited, &boss()).await;
    assert!(call.approve_edited("boss", r#"{"to":""}"#).is_err());
    call.approve_edited("boss", r#"{"to":"joe","cents":4}"#).unwrap();
    assert_eq!(meta(call.execute().await)["edits"], json!(["/cents"]));
    let declined = id_of(&fixture.ticket("pay", PAYMENT).await);
    let mut call = fixture.runtime.tickets().resume_by_id(declined, &boss()).await;
    call.decline("boss", "too much").unwrap();
    assert_eq!(details(call.execute().await)["feedback"], "too much");
    assert_eq!(reason(&decided(&fixture, declined).await), "ticket_declined");
    assert_eq!(fixture.notes.all(), ["paid 4 to joe"]);
}

#[tokio::test]
async fn a_call_edited_before_it_waits_is_shown_and_run_as_edited() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    call.approve_edited("jill", r#"{"to":"joe","cents":3}"#).unwrap();
    let id = call.ticket().await.unwrap().id();
    assert_eq!(listed(&fixture).await[0].arguments(), Some(r#"{"to":"joe","cents":3}"#));
    assert!(decided(&fixture, id).await.is_ok());
    assert_eq!(fixture.notes.all(), ["paid 3 to joe"]);
}

#[tokio::test]
async fn an_expired_ticket_is_neither_listed_nor_taken_up() {
    let fixture = Fixture::new(Policy::new().ticket_lifetime(Duration::from_secs(60)));
    let id = id_of(&fixture.ticket("pay", PAYMENT).await);
    fixture.clock.advance(Duration::from_millis(59_999));
    assert_eq!(listed(&fixture).await.len(), 1);
    fixture.clock.advance(Duration::from_millis(1));
    assert!(listed(&fixture).await.is_empty());
    assert!(fixture.runtime.tickets().find_waiting(id, TENANT).await.unwrap().is_none());
    assert_eq!(reason(&decided(&fixture, id).await), "ticket_expired");
}

#[tokio::test]
async fn a_store_that_is_down_says_so() {
    let store = FaultyStore::new();
    let fixture = Fixture::new(Policy::new().store(store.clone()));
    let id = id_of(&fixture.ticket("pay", PAYMENT).await);
    store.fail_always(StoreOperation::Tickets, StoreFault::Fails);
    assert!(fixture.runtime.tickets().waiting(TENANT, None, 100).await.is_err());
    assert_eq!(reason(&decided(&fixture, id).await), "store_unavailable");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn one_callers_waiting_tickets_refuse_no_other_caller() {
    let fixture = Fixture::new(Policy::new().tickets_per_caller(2));
    let first = fixture.ticket("pay", PAYMENT).await;
    fixture.ticket("pay", PAYMENT).await;
    let refused = fixture.answer("pay", PAYMENT).await;
    assert_eq!((&*code(&refused), &*reason(&refused)), ("RATE_LIMITED", "waiting_tickets_full"));
    let joe = context("joe").build().unwrap();
    ticket_in(&fixture.runtime.call("pay", PAYMENT, &joe).execute().await.clone());
    assert_eq!(listed(&fixture).await.len(), 3, "what is refused is not kept");
    decided(&fixture, id_of(&first)).await;
    fixture.ticket("pay", PAYMENT).await;
}
