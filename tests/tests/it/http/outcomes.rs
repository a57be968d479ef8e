//! Outcomes that are not known, listed and resolved over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes, Users};
use tool_runtime::ledger::{Ledger, Record, RecordedAccess};
use tool_runtime::prelude::*;

use super::{Answer, get, open, post, send};
use crate::ledger::{TestLedger, ring};

/// Why a payment fails.
#[derive(Debug, ToolFailure)]
enum Lost {
    /// The reply of the bank was lost.
    #[failure(UPSTREAM_ERROR, hide)]
    Reply,
}

/// Pays, and loses the bank's replies to the first three payments.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn pay_once(
    runs: &AtomicUsize,
    dry_run: &DryRun,
    /// How much.
    cents: u32,
) -> Result<u32, Lost> {
    if !dry_run.is_active() && runs.fetch_add(1, Ordering::SeqCst) < 3 {
        return Err(Lost::Reply);
    }
    Ok(cents)
}

struct Bank {
    app: Router,
    runs: Arc<AtomicUsize>,
    kept: TestLedger,
    ledger: Ledger,
}

impl Bank {
    fn new(config: HttpConfig) -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let runs = Arc::<AtomicUsize>::default();
        let runtime = Runtime::builder().tool::<PayOnceTool>().shared_state(runs.clone());
        let runtime = runtime.permission("pay_once", Permission::Allow).ledger(&ledger);
        let app = http::router(runtime.build().unwrap(), config.ledger(&ledger));
        Self { app, runs, kept, ledger }
    }

    async fn pay(&self, key: &str) -> Answer {
        let body = json!({"tool_name": "pay_once", "input": {"cents": 5}}).to_string();
        let request = post("/tools/call", body);
        send(&self.app, with(by(request), "idempotency-key", key)).await
    }

    async fn listed(&self, query: &str) -> Answer {
        send(&self.app, by(headed(get(&format!("/outcomes{query}"))))).await
    }

    async fn resolve(&self, id: &Value, body: Value) -> Answer {
        send(&self.app, by(post(&format!("/outcomes/{id}"), body.to_string()))).await
    }

    async fn accesses(&self) -> Vec<RecordedAccess> {
        self.ledger.flush().await.unwrap();
        let access = |record| match record {
            Record::Access(access) => Some(access),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    request
}

fn by(request: Request<Body>) -> Request<Body> {
    with(request, "x-user-id", "jane")
}

fn headed(request: Request<Body>) -> Request<Body> {
    let request = with(request, "x-tenant-id", "yantian");
    with(with(request, "x-site-id", "yantian-main"), "x-trace-id", "trace-2")
}

#[track_caller]
fn check(answer: &Answer, status: u16, reason: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.json()["detail"]["details"]["reason"], reason, "{}", answer.text);
}

#[tokio::test]
async fn an_operator_lists_and_resolves_unknown_outcomes_and_is_on_the_record() {
    let bank = Bank::new(open());
    for key in ["a", "b", "c"] {
        assert_eq!(bank.pay(key).await.status, 502);
    }
    check(&bank.pay("a").await, 409, "outcome_unknown");

    let first = bank.listed("?limit=2").await.json();
    assert_eq!(first["outcomes"].as_array().unwrap().len(), 2, "{first}");
    let next = first["next"].as_str().unwrap();
    let second = bank.listed(&format!("?limit=2&after={next}")).await.json();
    assert_eq!(second["outcomes"][0]["key"], "key:c");
    assert!(second.get("next").is_none(), "{second}");
    let shown = &first["outcomes"][0];
    assert_eq!((&shown["tool_name"], &shown["key"]), (&json!("pay_once"), &json!("key:a")));
    assert_eq!((&shown["principal"], &shown["damaged"]), (&json!("user:jane"), &json!(false)));
    assert!(shown["global_key"].as_str().unwrap().len() == 64 && shown["since"].is_string());
    let alone = |id: &Value| format!("?limit=1&id={id}");
    let single = bank.listed(&alone(&shown["id"])).await.json();
    assert_eq!(single, json!({"outcomes": [shown]}));

    let happened = json!({"decision": "happened", "answer": 5, "reason": "the bank has it"});
    let resolved = bank.resolve(&shown["id"], happened).await;
    assert_eq!(resolved.status, 200, "{}", resolved.text);
    let again = bank.pay("a").await;
    assert_eq!((again.status, &again.json()["output"]), (200, &json!(5)), "{}", again.text);
    let none = bank.listed(&alone(&shown["id"])).await.json();
    assert_eq!(none, json!({"outcomes": []}), "a resolved outcome is not unknown");
    let did_not = json!({"decision": "did_not_happen", "reason": "the bank has no such payment"});
    assert_eq!(bank.resolve(&first["outcomes"][1]["id"], did_not).await.status, 200);
    assert_eq!(bank.pay("b").await.status, 200, "what did not happen runs");
    assert_eq!(bank.runs.load(Ordering::SeqCst), 4);

    let accesses = bank.accesses().await;
    let told: Vec<_> = accesses.iter().map(|it| (&*it.action, &*it.outcome)).collect();
    let expected = [
        ("list_outcomes", "done"),
        ("list_outcomes", "done"),
        ("list_outcomes", "done"),
        ("resolve_happened", "asked"),
        ("resolve_happened", "done"),
        ("list_outcomes", "done"),
        ("resolve_did_not_happen", "asked"),
        ("resolve_did_not_happen", "done"),
    ];
    assert_eq!(told, expected);
    assert_eq!(accesses[2].subject, Some(shown["id"].to_string()));
    let resolution = &accesses[4];
    assert_eq!((&*resolution.by, &*resolution.reason), ("user:jane by laptop", "the bank has it"));
    let global_key = shown["global_key"].as_str().unwrap();
    assert_eq!(resolution.subject, Some(format!("pay_once {global_key}")));

    let figures = send(&bank.app, get("/metrics")).await.text;
    for line in ["tool_server_outcomes_unknown_total 3", "tool_server_outcomes_resolved_total 2"] {
        assert!(figures.contains(line), "{line}: {figures}");
    }
}

#[tokio::test]
async fn a_resolution_that_does_not_fit_changes_nothing() {
    let bank = Bank::new(open());
    bank.pay("a").await;
    let id = bank.listed("").await.json()["outcomes"][0]["id"].clone();
    let said = |answer: Value| json!({"decision": "happened", "answer": answer, "reason": "x"});
    check(&bank.resolve(&id, said(json!("five"))).await, 422, "answer_not_valid");
    check(&bank.resolve(&json!(999_999), said(json!(5))).await, 404, "unknown_outcome");
    let wrong = [
        json!({"decision": "happened", "reason": "x"}),
        json!({"decision": "did_not_happen"}),
        json!({"decision": "did_not_happen", "reason": " "}),
        json!({"decision": "did_not_happen", "reason": "x", "answer": 5}),
    ];
    for body in wrong {
        assert_eq!(bank.resolve(&id, body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(bank.listed("?after=zz").await.status, 422);
    let elsewhere = with(headed(get("/outcomes")), "x-tenant-id", "elsewhere");
    assert_eq!(send(&bank.app, elsewhere).await.json()["outcomes"], json!([]));
    check(&bank.pay("a").await, 409, "outcome_unknown");
    assert_eq!(bank.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn outcomes_are_not_for_callers_without_their_scope() {
    let scopes: Scopes = "tools approvals traces replay internal metrics".parse().unwrap();
    let caller = Principal::new("caller").for_every_tenant().with_scopes(scopes);
    let caller = caller.with_users(Users::OfItsTenants);
    let bank = Bank::new(HttpConfig::new(Auth::unauthenticated_as(caller)));
    bank.pay("a").await;
    assert_eq!(bank.listed("").await.status, 403);
    let body = json!({"decision": "did_not_happen", "reason": "x"});
    for id in [json!(1), json!(2)] {
        assert_eq!(bank.resolve(&id, body.clone()).await.status, 403);
    }
    check(&bank.pay("a").await, 409, "outcome_unknown");
}
