//! Reads of an inbox or a trace leave access records.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::ledger::{Ledger, Record, RecordedAccess};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::{Answer, call, get, open, post, send};
use crate::ledger::{TestLedger, ring};

/// Reads a number.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn read_number() -> u32 {
    7
}

/// Sells a number.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn sell_number(dry_run: &DryRun) -> bool {
    !dry_run.is_active()
}

struct TraceServer {
    app: Router,
    ledger: Ledger,
    kept: TestLedger,
}

impl TraceServer {
    fn with(config: HttpConfig) -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let runtime = Runtime::builder().tool::<ReadNumberTool>().tool::<SellNumberTool>();
        let runtime = runtime.policy(Policy::new()).ledger(&ledger).build().unwrap();
        Self { app: http::router(runtime, config.ledger(&ledger)), ledger, kept }
    }

    async fn read(&self, path: &str) -> Answer {
        send(&self.app, reading(path)).await
    }

    /// Returns the accesses in the order of their records.
    async fn accesses(&self) -> Vec<RecordedAccess> {
        self.ledger.flush().await.unwrap();
        let access = |record| match record {
            Record::Access(access) => Some(access),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }
}

fn reading(path: &str) -> Request<Body> {
    let mut request = get(path);
    for (name, value) in
        [("x-tenant-id", "yantian"), ("x-site-id", "yantian-main"), ("x-trace-id", "trace-2")]
    {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

#[tokio::test]
async fn every_read_of_an_inbox_or_a_trace_leaves_an_access_record() {
    let trace_server = TraceServer::with(open());
    assert_eq!(call(&trace_server.app, "read_number", "{}").await.status, 200);
    let mut tickets = Vec::new();
    for _ in 0..2 {
        let asked = call(&trace_server.app, "sell_number", "{}").await.json();
        let id = &asked["detail"]["details"]["ticket"]["id"];
        tickets.push(id.as_str().unwrap().to_owned());
    }
    tickets.sort();
    assert_eq!(trace_server.read("/approvals").await.status, 200);
    assert_eq!(trace_server.read("/approvals?limit=1").await.status, 200);
    assert_eq!(trace_server.read(&format!("/approvals?after={}", tickets[1])).await.status, 200);
    assert_eq!(trace_server.read("/traces/trace-1").await.status, 200);
    assert_eq!(trace_server.read("/traces/trace-9").await.status, 404);
    assert_eq!(trace_server.read("/traces?request_id=request-1").await.status, 200);
    let accesses = trace_server.accesses().await;
    let tenant = Some(Tenant::parse("yantian").unwrap().id());
    for access in &accesses {
        assert_eq!((&*access.by, access.tenant_id, &*access.outcome), ("laptop", tenant, "done"));
    }
    let (first, last) = (&tickets[0], &tickets[1]);
    let told = |it: &RecordedAccess| (it.action.clone(), it.subject.clone());
    let expected = [
        ("read_approvals", Some(format!("{first}..{last}"))),
        ("read_approvals", Some(first.clone())),
        ("read_approvals", None),
        ("read_trace", Some("trace-1".to_owned())),
        ("read_trace", Some("trace-9".to_owned())),
        ("read_request", Some("request-1".to_owned())),
    ];
    let expected = expected.map(|(action, subject)| (action.to_owned(), subject));
    assert_eq!(accesses.iter().map(told).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn an_access_that_cannot_be_recorded_is_refused() {
    let trace_server = TraceServer::with(open());
    assert_eq!(call(&trace_server.app, "read_number", "{}").await.status, 200);
    assert_eq!(call(&trace_server.app, "sell_number", "{}").await.status, 409);
    trace_server.ledger.flush().await.unwrap();
    trace_server.kept.fail(true);
    for path in ["/approvals", "/traces/trace-1", "/traces?request_id=request-1"] {
        let answer = trace_server.read(path).await;
        assert_eq!(answer.status, 503, "{}", answer.text);
        assert!(!answer.text.contains("_number"), "{}", answer.text);
    }
    trace_server.kept.fail(false);
}

#[tokio::test]
async fn a_replay_runs_the_tools_of_its_readers_scopes_alone() {
    for (scopes, verdict) in [
        ("replay tools:sell_number", json!({"verdict": "skipped", "reason": "not_allowed"})),
        ("replay approvals", json!({"verdict": "skipped", "reason": "not_allowed"})),
        ("replay tools:read_number", json!({"verdict": "same"})),
    ] {
        let scopes = format!("{scopes} traces").parse::<Scopes>().unwrap();
        let auditor = Principal::new("auditor").for_every_tenant().with_scopes(scopes);
        let trace_server = TraceServer::with(HttpConfig::new(Auth::unauthenticated_as(auditor)));
        let runtime = Runtime::builder().tool::<ReadNumberTool>().ledger(&trace_server.ledger);
        let app = http::router(runtime.build().unwrap(), open());
        assert_eq!(call(&app, "read_number", "{}").await.status, 200);
        let request = post("/traces/trace-1/replay", r#"{"reason":"complaint 4711"}"#);
        let answer = send(&trace_server.app, request).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json()["calls"][0]["verdict"], verdict, "{}", answer.text);
        let trace = trace_server.read("/traces/trace-1").await.json();
        let runs = trace["records"].as_array().unwrap().len();
        assert_eq!(runs, if verdict["verdict"] == "same" { 2 } else { 1 });
    }
}
