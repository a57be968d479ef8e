//! Decisions that take effect: the context of the call, and the recorded approver.

use serde_json::{Value, json};
use tool_runtime::Runtime;
use tool_runtime::http::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users};
use tool_runtime::ledger::RecordedCall;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::CallStatus;

use super::refused::Recorded;
use super::{ApprovalServer, by, check, post, send, text, with};

/// Returns the record of the call that ran.
async fn ran(place: &Recorded) -> RecordedCall {
    let calls = place.calls().await;
    let mut ran = calls.into_iter().filter(|call| call.final_status == CallStatus::Executed);
    let (Some(call), None) = (ran.next(), ran.next()) else { panic!("one call ran") };
    call
}

#[tokio::test]
async fn a_call_record_names_the_approver_and_the_principal() {
    let edit = json!({"decision": "edit", "arguments": {"cents": 4}});
    for decision in [json!({"decision": "approve"}), edit] {
        let place = Recorded::new();
        let ticket = place.approval_server.ask(&json!({"cents": 5})).await;
        let request = by("boss", post(&format!("/approvals/{ticket}"), decision.to_string()));
        let answer = send(&place.approval_server.app, with(request, "x-trace-id", "trace-9")).await;
        assert_eq!(answer.json()["audit"]["trace_id"], "trace-1", "{}", answer.text);
        let call = ran(&place).await;
        let approval = call.approval.expect("it was approved");
        assert_eq!(approval.by.as_deref(), Some("user:boss by laptop"));
        assert_eq!(approval.ticket.map(|id| id.to_string()), Some(ticket));
        assert_eq!((&*call.trace_id, call.principal.user_id.as_deref()), ("trace-1", Some("jane")));
    }
}

/// A server with two services that name the users of a village.
struct Desks {
    approval_server: ApprovalServer,
    first: ApiKey,
    second: ApiKey,
}

impl Desks {
    fn new() -> Self {
        let [first, second] = [(); 2].map(|()| ApiKey::generate().unwrap());
        let of = |name: &str| {
            let service = Principal::new(name).for_every_tenant().with_scopes(Scopes::all());
            service.with_users(Users::OfItsTenants)
        };
        let keys = ApiKeySet::new()
            .with(first.hash(), of("first"))
            .and_then(|keys| keys.with(second.hash(), of("second")));
        let auth = Auth::new().api_keys(&ApiKeys::new(keys.unwrap()));
        let approval_server =
            ApprovalServer::of(Runtime::builder(), HttpConfig::new(auth), Policy::new());
        Self { approval_server, first, second }
    }

    async fn send(
        &self,
        key: &ApiKey,
        user: Option<&str>,
        path: &str,
        body: Value,
    ) -> super::Answer {
        let request = with(post(path, body.to_string()), "x-internal-api-key", key.expose());
        let request = match user {
            Some(user) => by(user, request),
            None => request,
        };
        send(&self.approval_server.app, request).await
    }

    /// Makes a payment call through the first service, and returns the ticket's id.
    async fn ask(&self, user: Option<&str>) -> String {
        let body = json!({"tool_name": "pay_joe", "input": {"cents": 5}});
        let answer = self.send(&self.first, user, "/tools/call", body).await;
        text(&answer.json()["detail"]["details"]["ticket"]["id"])
    }

    async fn approve(&self, key: &ApiKey, user: Option<&str>, ticket: &str) -> super::Answer {
        let body = json!({"decision": "approve"});
        self.send(key, user, &format!("/approvals/{ticket}"), body).await
    }
}

#[tokio::test]
async fn a_user_is_the_same_whichever_service_speaks_for_them() {
    let desks = Desks::new();
    let ticket = desks.ask(Some("jane")).await;
    for key in [&desks.first, &desks.second] {
        check(&desks.approve(key, Some("jane"), &ticket).await, 403, "own_call");
    }
    let answer = desks.approve(&desks.first, Some("boss"), &ticket).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test]
async fn a_service_without_user_names_approves_the_call_of_another() {
    let desks = Desks::new();
    for user in [Some("jane"), None] {
        let ticket = desks.ask(user).await;
        check(&desks.approve(&desks.first, None, &ticket).await, 403, "own_call");
        let answer = desks.approve(&desks.second, None, &ticket).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}
