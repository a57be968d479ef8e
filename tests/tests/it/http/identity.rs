//! The users that a credential may name, and the consequences for approvals, keys and records.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::contracts::ActorType;
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, LedgerQuery, MemoryLedger, RecordedCall};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;

use super::{Answer, post, send};

/// Gives somebody's salary.
#[ai_tool(effect = "read")]
async fn salary() -> u32 {
    100_000
}

/// Counts one more.
#[ai_tool(effect = "write")]
async fn tally(runs: &AtomicU32, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() { 0 } else { runs.fetch_add(1, Ordering::SeqCst) + 1 }
}

/// Pays joe.
#[ai_tool(effect = "write")]
async fn pay_joe(runs: &AtomicU32, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() { 0 } else { runs.fetch_add(1, Ordering::SeqCst) + 1 }
}

/// A server with a key for each of these principals, which may all call and approve.
struct Town {
    app: Router,
    keys: Vec<ApiKey>,
    ledger: Ledger,
    runs: Arc<AtomicU32>,
}

impl Town {
    fn of(principals: &[Principal]) -> Self {
        let keys: Vec<_> = principals.iter().map(|_| ApiKey::generate().unwrap()).collect();
        let set = keys.iter().zip(principals).fold(ApiKeySet::new(), |set, (key, principal)| {
            let principal = principal.clone().for_every_tenant().with_scopes(Scopes::all());
            set.with(key.hash(), principal).unwrap()
        });
        let ledger = Ledger::builder(KeyRing::ephemeral().unwrap());
        let ledger = ledger.open(MemoryLedger::new(1_000)).unwrap();
        let runs = Arc::<AtomicU32>::default();
        let runtime =
            Runtime::builder().tool::<SalaryTool>().tool::<TallyTool>().tool::<PayJoeTool>();
        let runtime = runtime.shared_state(runs.clone()).ledger(&ledger).policy(Policy::new());
        let runtime = runtime.permission("tally", Permission::Allow);
        let runtime = runtime.permission("salary", Permission::Ask).build().unwrap();
        let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(set))).ledger(&ledger);
        Self { app: http::router(runtime, config), keys, ledger, runs }
    }

    /// Sends a request with the key of the principal at this index.
    async fn send(&self, by: usize, request: Request<Body>) -> Answer {
        send(&self.app, with(request, "x-internal-api-key", self.keys[by].expose())).await
    }

    async fn call(&self, by: usize, tool: &str, headers: &[(&'static str, &str)]) -> Answer {
        self.call_with(by, tool, json!({}), headers).await
    }

    async fn call_with(
        &self,
        by: usize,
        tool: &str,
        context: Value,
        headers: &[(&'static str, &str)],
    ) -> Answer {
        let body = json!({"tool_name": tool, "context": context}).to_string();
        self.send(by, all(post("/tools/call", body), headers)).await
    }

    /// Makes a payment call, and returns its ticket.
    async fn ask(&self, by: usize, headers: &[(&'static str, &str)]) -> String {
        let answer = self.call(by, "pay_joe", headers).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        answer.json()["detail"]["details"]["ticket"]["id"].as_str().unwrap().to_owned()
    }

    async fn approve(&self, by: usize, ticket: &str, headers: &[(&'static str, &str)]) -> Answer {
        let request = post(&format!("/approvals/{ticket}"), r#"{"decision":"approve"}"#);
        self.send(by, all(request, headers)).await
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    /// Returns the record of the last call.
    async fn last(&self) -> RecordedCall {
        self.ledger.flush().await.unwrap();
        crate::ledger::all(&self.ledger, LedgerQuery::new()).await.pop().unwrap()
    }
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    request
}

fn all(request: Request<Body>, headers: &[(&'static str, &str)]) -> Request<Body> {
    headers.iter().fold(request, |request, (name, value)| with(request, name, value))
}

fn user(name: &str) -> [(&'static str, &str); 1] {
    [("x-user-id", name)]
}

fn person(name: &str) -> Principal {
    Principal::new(format!("key-of-{name}")).with_users(Users::Only(name.into()))
}

fn gateway(name: &str) -> Principal {
    Principal::new(name).with_users(Users::OfItsTenants)
}

#[track_caller]
fn check_refused(answer: &Answer, reason: &str) {
    let body = answer.json();
    assert_eq!((answer.status, &body["error_type"]), (403, &"FORBIDDEN".into()), "{body}");
    assert_eq!(body["detail"]["details"]["reason"], reason, "{body}");
}

#[tokio::test]
async fn a_dry_run_of_a_read_over_http_waits_for_its_approval() {
    let town = Town::of(&[Principal::new("service")]);
    for context in [json!({}), json!({"dry_run": true})] {
        let answer = town.call_with(0, "salary", context, &[]).await;
        assert_eq!((answer.status, answer.json().get("output")), (409, None), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_credential_names_no_user_that_the_host_has_not_granted() {
    let town = Town::of(&[Principal::new("service"), person("jane"), gateway("gateway")]);
    for by in [0, 1] {
        check_refused(&town.call(by, "tally", &user("boss")).await, "user");
        let in_body = json!({"user_id": "boss"});
        check_refused(&town.call_with(by, "tally", in_body, &[]).await, "user");
    }
    assert_eq!(town.runs(), 0);
    assert_eq!(town.call(1, "tally", &user("jane")).await.status, 200);
    assert_eq!(town.last().await.principal.user_id.as_deref(), Some("jane"));
    assert_eq!(town.call(1, "tally", &[]).await.status, 200);
    assert_eq!(town.last().await.principal.user_id.as_deref(), Some("jane"));
    assert_eq!(town.call(2, "tally", &user("boss")).await.status, 200);
    assert_eq!(town.last().await.principal.user_id.as_deref(), Some("boss"));
}

#[tokio::test]
async fn a_call_without_a_user_is_not_approved_by_the_credential_that_made_it() {
    let town = Town::of(&[gateway("gateway"), Principal::new("service"), person("boss")]);
    let ticket = town.ask(0, &[]).await;
    check_refused(&town.approve(0, &ticket, &user("boss")).await, "own_call");
    check_refused(&town.approve(0, &ticket, &[]).await, "own_call");
    assert_eq!(town.runs(), 0);
    assert_eq!(town.approve(2, &ticket, &[]).await.status, 200, "another principal may");

    let ticket = town.ask(1, &[]).await;
    check_refused(&town.approve(1, &ticket, &[]).await, "own_call");
    assert_eq!(town.approve(0, &ticket, &user("boss")).await.status, 200);
}

#[tokio::test]
async fn a_call_is_approved_by_another_user_and_by_another_credential_unless_that_is_trusted() {
    let second = Principal::new("second-key-of-jane").with_users(Users::Only("jane".into()));
    let town = Town::of(&[person("jane"), second, person("boss"), gateway("gateway")]);
    let ticket = town.ask(0, &[]).await;
    for (by, headers) in [(0, &[][..]), (1, &[]), (3, &user("jane"))] {
        check_refused(&town.approve(by, &ticket, headers).await, "own_call");
    }
    assert_eq!(town.approve(2, &ticket, &[]).await.status, 200);

    let ticket = town.ask(3, &user("jane")).await;
    for (by, headers) in [(0, &[][..]), (3, &user("jane")), (3, &[])] {
        check_refused(&town.approve(by, &ticket, headers).await, "own_call");
    }
    assert_eq!(town.approve(3, &ticket, &user("boss")).await.status, 200);
}

#[tokio::test]
async fn lookalike_names_count_as_the_same_approver() {
    let town = Town::of(&[gateway("gateway")]);
    let ticket = town.ask(0, &user("boss")).await;
    for alike in ["Boss", "\u{ff42}oss", "bos\u{17f}", "b\u{a0}oss", "boss\u{2800}"] {
        let answer = town.approve(0, &ticket, &user(alike)).await;
        check_refused(&answer, "own_call");
    }
    for hidden in ["bo\u{200b}ss", "boss\u{2060}", "\u{202d}boss", "bo\u{ad}ss"] {
        let answer = town.approve(0, &ticket, &user(hidden)).await;
        assert_eq!(answer.status, 400, "{}: {}", hidden.escape_unicode(), answer.text);
    }
    assert_eq!(town.runs(), 0);
    let ticket = town.ask(0, &user("jose\u{301}")).await;
    check_refused(&town.approve(0, &ticket, &user("jos\u{e9}")).await, "own_call");
}

#[tokio::test]
async fn a_key_of_calls_is_out_of_reach_of_another_credential() {
    let town = Town::of(&[person("jane"), Principal::new("jane"), Principal::new("joe")]);
    let key = ("idempotency-key", "order-1");
    let mut outputs = Vec::new();
    for by in [0, 1, 2] {
        let answer = town.call(by, "tally", &[key]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.json()["meta"].get("replayed").is_none(), "{}", answer.text);
        outputs.push(answer.json()["output"].clone());
    }
    assert_eq!(town.runs(), 3);
    for by in [0, 1, 2] {
        assert_eq!(town.call(by, "tally", &[key]).await.json()["output"], outputs[by]);
    }
    check_refused(&town.call(2, "tally", &[key, ("x-user-id", "jane")]).await, "user");
    assert_eq!(town.runs(), 3);
}

#[tokio::test]
async fn credentials_that_name_one_user_share_the_answers_of_the_user() {
    let town = Town::of(&[gateway("one"), gateway("other")]);
    let named = [("idempotency-key", "order-1"), ("x-user-id", "jane")];
    let first = town.call(0, "tally", &named).await.json();
    let second = town.call(1, "tally", &named).await.json();
    assert_eq!((&first["output"], town.runs()), (&second["output"], 1));
    assert_eq!(second["meta"]["replayed"], true, "{second}");
    let unnamed = [("idempotency-key", "order-2")];
    for by in [0, 1] {
        assert_eq!(town.call(by, "tally", &unnamed).await.status, 200);
    }
    assert_eq!(town.runs(), 3);
}

#[tokio::test]
async fn a_repeat_under_another_type_of_actor_is_a_repeat() {
    let town = Town::of(&[Principal::new("service")]);
    let key = ("idempotency-key", "order-1");
    for kind in ["agent", "system", "agent"] {
        let answer = town.call(0, "tally", &[key, ("x-actor-type", kind)]).await;
        assert_eq!(answer.json()["output"], 1, "{}", answer.text);
    }
    assert_eq!(town.runs(), 1);
}

#[tokio::test]
async fn the_type_of_actor_that_a_caller_may_say_reaches_the_ledger() {
    let town = Town::of(&[
        Principal::new("service"),
        person("jane"),
        gateway("gateway"),
        Principal::new("chat").acting_as([ActorType::Agent]),
    ]);
    let jane = ("x-user-id", "jane");
    let kind = |kind| ("x-actor-type", kind);
    for (by, headers, expected, id) in [
        (0, &[][..], ActorType::System, "key:service"),
        (0, &[kind("agent")], ActorType::Agent, "key:service"),
        (1, &[], ActorType::User, "key:key-of-jane"),
        (1, &[kind("agent")], ActorType::Agent, "key:key-of-jane"),
        (2, &[jane, kind("user")], ActorType::User, "key:gateway"),
        (2, &[jane], ActorType::System, "key:gateway"),
        (3, &[], ActorType::Agent, "key:chat"),
    ] {
        let answer = town.call(by, "tally", headers).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let principal = town.last().await.principal;
        assert_eq!(
            (principal.actor_type, principal.actor_id.as_deref()),
            (Some(expected), Some(id))
        );
    }
    let in_body = json!({"actor_type": "agent"});
    assert_eq!(town.call_with(0, "tally", in_body, &[]).await.status, 200);
    assert_eq!(town.last().await.principal.actor_type, Some(ActorType::Agent));
    for (by, said) in [(0, "user"), (1, "system"), (3, "user"), (3, "system")] {
        check_refused(&town.call(by, "tally", &[kind(said)]).await, "actor_type");
    }
}
