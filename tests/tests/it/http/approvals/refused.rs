//! Rejected decisions: they are recorded, and start nothing.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::DynamicTool;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, LedgerQuery, Record, RecordedAccess, RecordedCall};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::{Answer, ApprovalServer, by, check, headed, open, post, send, with};
use crate::http::get;
use crate::ledger::{TestLedger, all, ring};

/// An id without a ticket.
const ABSENT: &str = "0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a";

/// A rejected decision: action, approver, ticket and reason.
type Attempt = (String, String, Option<String>, String);

/// A server whose calls and rejected decisions are recorded in a ledger.
pub(super) struct Recorded {
    pub(super) approval_server: ApprovalServer,
    ledger: Ledger,
    kept: TestLedger,
}

impl Recorded {
    pub(super) fn new() -> Self {
        Self::with(open())
    }

    fn with(config: HttpConfig) -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let policy = Policy::new().ticket_lifetime(Duration::from_secs(60));
        let builder = Runtime::builder().ledger(&ledger);
        let approval_server = ApprovalServer::of(builder, config.ledger(&ledger), policy);
        Self { approval_server, ledger, kept }
    }

    /// Returns the calls in the order of their ends.
    pub(super) async fn calls(&self) -> Vec<RecordedCall> {
        self.ledger.flush().await.unwrap();
        all(&self.ledger, LedgerQuery::new()).await
    }

    /// Returns the rejected decisions.
    async fn accesses(&self) -> Vec<RecordedAccess> {
        self.ledger.flush().await.unwrap();
        let access = |record| match record {
            Record::Access(access) => Some(access),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }

    /// Returns the only rejected decision: action, approver, ticket and reason.
    pub(super) async fn only(&self) -> Attempt {
        let accesses = self.accesses().await;
        let [access] = &accesses[..] else { panic!("{accesses:?}") };
        assert_eq!(access.outcome, "refused");
        let RecordedAccess { action, by, reason, subject, .. } = access.clone();
        (action, by, subject, reason)
    }

    #[track_caller]
    pub(super) fn expected(action: &str, by: &str, ticket: &str, why: &str) -> Attempt {
        (action.into(), by.into(), Some(ticket.into()), why.into())
    }
}

fn approve() -> Value {
    json!({"decision": "approve"})
}

fn edit(cents: u32) -> Value {
    json!({"decision": "edit", "arguments": {"cents": cents}})
}

fn deciding(ticket: &str) -> Request<Body> {
    by("boss", post(&format!("/approvals/{ticket}"), approve().to_string()))
}

#[tokio::test]
async fn an_approval_of_an_own_call_is_refused_and_recorded() {
    for (decision, action) in [(approve(), "approve"), (edit(4), "edit")] {
        let place = Recorded::new();
        let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
        check(&place.approval_server.decide("jane", &ticket, decision).await, 403, "own_call");
        let expected = Recorded::expected(action, "user:jane by laptop", &ticket, "own_call");
        assert_eq!(place.only().await, expected);
        let tenant = Tenant::parse("yantian").unwrap().id();
        assert_eq!(place.accesses().await[0].tenant_id, Some(tenant));
    }
}

#[tokio::test]
async fn an_edit_that_is_not_valid_is_recorded() {
    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    assert_eq!(place.approval_server.decide("boss", &ticket, edit(500)).await.status, 409);
    let expected = Recorded::expected("edit", "user:boss by laptop", &ticket, "edit_not_valid");
    assert_eq!(place.only().await, expected);
}

#[tokio::test]
async fn a_decision_on_an_ended_ticket_is_recorded_and_names_the_tool() {
    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    assert_eq!(place.approval_server.approve("boss", &ticket).await.status, 200);
    let answer = place.approval_server.approve("chief", &ticket).await;
    check(&answer, 409, "ticket_used");
    check_names_its_tool(&answer);
    let expected = Recorded::expected("approve", "user:chief by laptop", &ticket, "ticket_used");
    assert_eq!(place.only().await, expected);

    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    let decline = json!({"decision": "decline"});
    assert_eq!(place.approval_server.decide("boss", &ticket, decline.clone()).await.status, 200);
    let answer = place.approval_server.decide("chief", &ticket, decline).await;
    check(&answer, 409, "ticket_declined");
    check_names_its_tool(&answer);
    let expected =
        Recorded::expected("decline", "user:chief by laptop", &ticket, "ticket_declined");
    assert_eq!(place.only().await, expected);

    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    place.approval_server.clock.advance(Duration::from_secs(60));
    let answer = place.approval_server.approve("boss", &ticket).await;
    check(&answer, 410, "ticket_expired");
    check_names_its_tool(&answer);
    let expected = Recorded::expected("approve", "user:boss by laptop", &ticket, "ticket_expired");
    assert_eq!(place.only().await, expected);
}

#[track_caller]
fn check_names_its_tool(answer: &Answer) {
    assert_eq!(answer.json()["audit"]["tool_name"], "pay_joe", "{}", answer.text);
}

#[tokio::test]
async fn a_person_of_a_credential_whose_name_has_invisible_characters_declines_for_good() {
    let laptop = Principal::trusted("lap\u{200b}top\u{202e}");
    let place = Recorded::with(HttpConfig::new(Auth::unauthenticated_as(laptop)));
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    let decline = json!({"decision": "decline"});
    let hidden = post(&format!("/approvals/{ticket}"), decline.to_string());
    let hidden = with_bytes(hidden, "x-user-id", "bo\u{200b}ss");
    let answer = send(&place.approval_server.app, hidden).await;
    assert_eq!(answer.status, 400, "a user's name is checked: {}", answer.text);
    assert_eq!(place.approval_server.decide("boss", &ticket, decline).await.status, 200);
    check(&place.approval_server.approve("boss", &ticket).await, 409, "ticket_declined");
    let decliners = place.calls().await.into_iter().filter_map(|call| call.approval?.declined_by);
    assert_eq!(decliners.collect::<Vec<_>>(), ["user:boss by laptop"]);
    assert!(place.approval_server.paid.0.lock().unwrap().is_empty());
}

fn with_bytes(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    request
}

#[tokio::test]
async fn a_decision_on_another_tenants_ticket_is_recorded_and_names_no_tool() {
    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    let answer =
        send(&place.approval_server.app, with(deciding(&ticket), "x-tenant-id", "other")).await;
    check(&answer, 404, "ticket_unknown");
    assert_eq!(answer.json()["audit"]["tool_name"], "");
    let expected = Recorded::expected("approve", "user:boss by laptop", &ticket, "ticket_unknown");
    assert_eq!(place.only().await, expected);
    let other = Tenant::parse("other").unwrap().id();
    assert_eq!(place.accesses().await[0].tenant_id, Some(other));
}

#[tokio::test]
async fn a_decision_without_the_scope_is_recorded() {
    let clerk = Principal::new("clerk").for_every_tenant().with_users(Users::OfItsTenants);
    let clerk =
        clerk.with_scopes("tools internal traces replay metrics".parse::<Scopes>().unwrap());
    let place = Recorded::with(HttpConfig::new(Auth::unauthenticated_as(clerk)));
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    assert_eq!(place.approval_server.approve("boss", &ticket).await.status, 403);
    let expected = Recorded::expected("decide", "user:boss by clerk", &ticket, "missing_scope");
    assert_eq!(place.only().await, expected);
    let listed = send(&place.approval_server.app, headed(get("/approvals"))).await;
    assert_eq!(listed.status, 403);
    assert_eq!(place.accesses().await.len(), 1, "who only looks decides nothing");
}

#[tokio::test]
async fn an_unauthorized_decision_reveals_nothing_of_ticket_or_body() {
    let clerk = Principal::new("clerk").for_every_tenant().with_users(Users::OfItsTenants);
    let clerk = HttpConfig::new(Auth::unauthenticated_as(clerk));
    for (config, status) in [(clerk, 403), (HttpConfig::new(Auth::new()), 401)] {
        let place = Recorded::with(config);
        for (ticket, body) in [("no-id", "{}"), (ABSENT, "{}"), (ABSENT, "no JSON")] {
            let answer =
                send(&place.approval_server.app, post(&format!("/approvals/{ticket}"), body)).await;
            assert_eq!(answer.status, status, "{ticket} {body}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_decision_for_a_foreign_tenant_is_recorded() {
    let key = ApiKey::generate().unwrap();
    let yantian = Tenant::parse("yantian").unwrap().id();
    let boss = Principal::new("desk").for_tenants([yantian]).with_scopes(Scopes::all());
    let keys = ApiKeySet::new().with(key.hash(), boss).unwrap();
    let auth = Auth::new().api_keys(&ApiKeys::new(keys));
    let place = Recorded::with(HttpConfig::new(auth));
    let request = with(deciding(ABSENT), "x-internal-api-key", key.expose());
    let answer = send(&place.approval_server.app, with(request, "x-tenant-id", "other")).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    let expected = Recorded::expected("decide", "key:desk", ABSENT, "foreign_tenant");
    assert_eq!(place.only().await, expected);
}

#[tokio::test]
async fn a_stranger_leaves_nothing_on_the_record() {
    let place = Recorded::with(HttpConfig::new(Auth::new().anonymous(Scopes::all())));
    let request = post(&format!("/approvals/{ABSENT}"), approve().to_string());
    assert_eq!(send(&place.approval_server.app, request).await.status, 401);
    assert_eq!(place.accesses().await, []);
}

#[tokio::test]
async fn a_decision_that_counts_is_on_the_record_with_its_call_alone() {
    let place = Recorded::new();
    let first = place.approval_server.ask(&json!({"cents": 5})).await;
    assert_eq!(place.approval_server.approve("boss", &first).await.status, 200);
    let second = place.approval_server.ask(&json!({"cents": 5})).await;
    let decline = json!({"decision": "decline"});
    assert_eq!(place.approval_server.decide("jane", &second, decline).await.status, 200);
    assert_eq!(place.accesses().await, []);
}

#[tokio::test]
async fn a_refusal_is_answered_though_it_cannot_be_recorded() {
    let place = Recorded::new();
    let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
    place.ledger.flush().await.unwrap();
    place.kept.fail(true);
    check(&place.approval_server.approve("jane", &ticket).await, 403, "own_call");
    place.kept.fail(false);
}

#[tokio::test]
async fn a_call_refused_before_it_runs_takes_no_slot() {
    let approval_server = ApprovalServer::with(open().max_tasks(0), Policy::new());
    let asking = async |cents: u32| {
        let body = json!({"tool_name": "pay_joe", "input": {"cents": cents}}).to_string();
        send(&approval_server.app, by("jane", post("/tools/call", body))).await
    };
    let answer = asking(500).await;
    assert_eq!((answer.status, &answer.json()["error_type"]), (422, &"INVALID_ARGUMENT".into()));
    // Creating a ticket needs a slot too, so the ticket comes from another server.
    assert_eq!(asking(5).await.status, 503);
}

#[tokio::test]
async fn a_refused_decision_takes_no_place_of_a_call_that_runs() {
    let store = MemoryStore::new();
    let keys = || KeyRing::new("k", &[7; 32]).unwrap();
    let policy = || Policy::new().store(store.clone()).ticket_keys(keys());
    let asked = ApprovalServer::with(open(), policy());
    let ticket = asked.ask(&json!({"cents": 5})).await;
    let full = ApprovalServer::with(open().max_tasks(0), policy());
    check(&full.approve("jane", &ticket).await, 403, "own_call");
    let answer = full.decide("boss", &ticket, edit(500)).await;
    assert_eq!((answer.status, &answer.json()["error_type"]), (409, &"INVALID_ARGUMENT".into()));
    check(&full.approve("boss", &ticket).await, 503, "busy");
    assert_eq!(asked.approve("boss", &ticket).await.status, 200, "the ticket stays good");
}

#[tokio::test]
async fn a_ticket_superseded_by_a_newer_message_is_gone() {
    let place = Recorded::new();
    let body = json!({"tool_name": "pay_joe", "input": {"cents": 5}}).to_string();
    let request = with(by("jane", post("/tools/call", body)), "x-session-id", "evening");
    let asked = send(&place.approval_server.app, request).await.json();
    let ticket = super::text(&asked["detail"]["details"]["ticket"]["id"]);
    let tenant = Tenant::parse("yantian").unwrap().id();
    let newer = ToolContext::builder(tenant, "trace-3").session_id("evening").run_id("run-3");
    let superseded =
        place.approval_server.runtime.tickets().supersede(&newer.build().unwrap()).await;
    assert_eq!(superseded.unwrap(), 1);
    let answer = place.approval_server.approve("boss", &ticket).await;
    check(&answer, 410, "ticket_superseded");
    check_names_its_tool(&answer);
}

#[tokio::test]
async fn a_tool_that_has_changed_since_conflicts() {
    let keys = || KeyRing::new("k", &[7; 32]).unwrap();
    let store = MemoryStore::new();
    let policy = || Policy::new().store(store.clone()).ticket_keys(keys());
    let asked = ApprovalServer::with(open(), policy());
    let ticket = asked.ask(&json!({"cents": 5})).await;
    let changed = DynamicTool::new("pay_joe", Effect::Write).description("Pays nobody.");
    let changed = changed
        .input_schema(json!({"type": "object"}))
        .handles_dry_run()
        .sync_handler(|_| Ok::<_, Failure>(0));
    let runtime = Runtime::builder().dynamic(changed).policy(policy().clock(asked.clock.clone()));
    let app = http::router(runtime.build().unwrap(), open());
    let answer = send(&app, deciding(&ticket)).await;
    check(&answer, 409, "ticket_outdated");
    check_names_its_tool(&answer);
}
