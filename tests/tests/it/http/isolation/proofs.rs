//! Two tenants with the same names for traces, users, sessions and keys. One tenant's data,
//! including evidence and its contents, must not appear in the other's answers or runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::evidence::{Access, EvidenceKeeper, SnapshotQuery, Vault};
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, Record};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::{MARK, THIEF, VICTIM, check_unmarked, headed, id, request, said, with};
use crate::http::{Answer, send};
use crate::ledger::{TestLedger, ring};

const TRACE: &str = "trace-of-both";

/// The number of runs of each tenant's calls. A handle.
#[derive(Debug, Clone, Default)]
struct Runs(Arc<Mutex<BTreeMap<Uuid, u32>>>);

impl Runs {
    fn next(&self, cx: &ToolContext) -> u32 {
        let mut runs = self.0.lock().unwrap();
        let count = runs.entry(cx.tenant_id()).or_default();
        *count += 1;
        *count
    }

    fn of(&self, tenant: &str) -> u32 {
        let tenant = Tenant::parse(tenant).unwrap().id();
        self.0.lock().unwrap().get(&tenant).copied().unwrap_or_default()
    }
}

/// Looks somebody up.
#[ai_tool(effect = "read", ttl = "1h", evidence)]
async fn look_up(
    cx: &ToolContext,
    runs: &Runs,
    /// Whom; it is sealed with the proof and stands nowhere else.
    #[arg(pii)]
    whom: String,
) -> String {
    runs.next(cx);
    let _ = whom;
    format!("found for {}", cx.tenant_id())
}

/// Writes something down.
#[ai_tool(effect = "write", evidence)]
async fn jot(
    cx: &ToolContext,
    runs: &Runs,
    dry_run: &DryRun,
    /// What.
    #[arg(pii)]
    note: String,
) -> String {
    let run = if dry_run.is_active() { 0 } else { runs.next(cx) };
    let _ = note;
    format!("{run} for {}", cx.tenant_id())
}

/// A server with all stores, and a key with every scope for each of two tenants.
struct EvidenceServer {
    app: Router,
    runs: Runs,
    kept: TestLedger,
    vault: Vault,
    keys: BTreeMap<&'static str, ApiKey>,
}

impl EvidenceServer {
    fn new(permission: Permission) -> Self {
        let keys: BTreeMap<_, _> =
            [VICTIM, THIEF].map(|tenant| (tenant, ApiKey::generate().unwrap())).into();
        let known = keys.iter().fold(ApiKeySet::new(), |set, (tenant, key)| {
            // Even their services have one name.
            let principal = Principal::new("orchestrator").with_scopes(Scopes::all());
            let principal = principal.with_users(Users::OfItsTenants);
            let principal = principal.for_tenants([Tenant::parse(tenant).unwrap().id()]);
            set.with(key.hash(), principal).unwrap()
        });
        let (kept, runs) = (TestLedger::default(), Runs::default());
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let keeper = EvidenceKeeper::new(Vault::new(MemoryStore::new(), ring()), &ledger);
        let vault = keeper.vault().clone();
        let runtime = Runtime::builder().tool::<LookUpTool>().tool::<JotTool>().state(runs.clone());
        let runtime = runtime.permission("jot", permission).policy(Policy::new());
        let runtime = runtime.ledger(&ledger).evidence(keeper).build().unwrap();
        let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(known)));
        let config = config.ledger(&ledger).vault(&vault);
        Self { app: http::router(runtime, config), runs, kept, vault, keys }
    }

    /// Sends a request as a tenant's own, and names all that both tenants name alike.
    async fn ask(&self, tenant: &str, mut request: Request<Body>) -> Answer {
        for (name, value) in [
            ("x-internal-api-key", self.keys[tenant].expose()),
            ("x-tenant-id", tenant),
            ("x-site-id", "main"),
            ("x-trace-id", TRACE),
            ("x-request-id", "request-1"),
            ("x-user-id", "jane"),
            ("x-session-id", "session-1"),
            ("idempotency-key", "order-1"),
        ] {
            request = with(request, name, value);
        }
        send(&self.app, request).await
    }

    async fn call(&self, tenant: &str, tool: &str, argument: &str, text: &str) -> Answer {
        let context = json!({ "run_id": "run-1" });
        let body = json!({ "tool_name": tool, "input": { argument: text }, "context": context });
        self.ask(tenant, request("POST", "/tools/call", &body)).await
    }

    async fn look_up(&self, tenant: &str, whom: &str) -> Answer {
        let answer = self.call(tenant, "look_up", "whom", whom).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer
    }

    async fn read(&self, tenant: &str, path: &str) -> Answer {
        self.ask(tenant, request("GET", path, &Value::Null)).await
    }

    async fn send(&self, tenant: &str, path: &str, body: Value) -> Answer {
        self.ask(tenant, request("POST", path, &body)).await
    }
}

fn snapshot(answer: &Answer) -> String {
    let body = answer.json();
    let id = body["meta"]["evidence"]["snapshot_id"].as_str();
    id.unwrap_or_else(|| panic!("it leaves a proof: {body}")).to_owned()
}

#[tokio::test]
async fn a_trace_that_two_tenants_name_is_two_traces() {
    let evidence_server = EvidenceServer::new(Permission::Allow);
    evidence_server.look_up(VICTIM, MARK).await;
    evidence_server.call(VICTIM, "jot", "note", MARK).await;
    let path = format!("/traces/{TRACE}");
    let replay = format!("{path}/replay");
    for early in [
        evidence_server.read(THIEF, &path).await,
        evidence_server.send(THIEF, &replay, why()).await,
    ] {
        assert_eq!(early.status, 404, "{}", early.text);
        check_unmarked(&early, "before it has a call of its own");
    }

    evidence_server.look_up(THIEF, "somebody").await;
    let read = evidence_server.read(THIEF, &path).await;
    assert_eq!(read.json()["records"].as_array().map(Vec::len), Some(1), "{}", read.text);
    check_unmarked(&read, "its own trace");
    let replayed = evidence_server.send(THIEF, &replay, why()).await;
    let calls = replayed.json()["calls"].clone();
    assert_eq!(calls.as_array().map(Vec::len), Some(1), "{}", replayed.text);
    assert_eq!(calls[0]["verdict"]["verdict"], "same", "out of its own vault: {}", replayed.text);
    check_unmarked(&replayed, "its own replay");
    assert_eq!(
        [evidence_server.runs.of(VICTIM), evidence_server.runs.of(THIEF)],
        [2, 2],
        "no other call ran"
    );

    let own = evidence_server.read(VICTIM, &path).await;
    assert_eq!(own.json()["records"].as_array().map(Vec::len), Some(2), "{}", own.text);
    let victim = Tenant::parse(VICTIM).unwrap().id();
    let looked_at = evidence_server.kept.records().into_iter().filter_map(|record| match record {
        // The tenant's own read of its trace is recorded too.
        Record::Access(access) if access.action != "read_trace" => access.tenant_id,
        _ => None,
    });
    assert!(!looked_at.collect::<Vec<_>>().contains(&victim), "sealed contents were not opened");
}

#[tokio::test]
async fn a_proofs_id_opens_nothing_for_another_tenant() {
    let evidence_server = EvidenceServer::new(Permission::Allow);
    let proof = snapshot(&evidence_server.look_up(VICTIM, MARK).await);
    evidence_server.look_up(THIEF, "somebody").await;
    let victim = Tenant::parse(VICTIM).unwrap().id();
    let (query, reader) = (SnapshotQuery::new(victim), Access::new("test", "a test").unwrap());
    let kept = evidence_server.vault.list(&query, None, 10, &reader).await.unwrap().snapshots;
    let uuid = kept[0].id().uuid().to_string();
    assert_eq!((kept.len(), kept[0].id().to_string()), (1, proof.clone()));
    for theirs in [&*proof, &uuid] {
        let none = theirs.replace(|digit: char| digit.is_ascii_digit(), "0");
        for (method, path) in [
            ("GET", "/traces/{id}"),
            ("POST", "/traces/{id}/replay"),
            ("POST", "/approvals/{id}"),
            ("GET", "/approvals?after={id}"),
        ] {
            let body =
                if path.ends_with("replay") { why() } else { json!({"decision": "approve"}) };
            let ask = async |id: &str| {
                evidence_server.ask(THIEF, request(method, &path.replace("{id}", id), &body)).await
            };
            let (foreign, nothing) = (ask(theirs).await, ask(&none).await);
            assert_eq!(said(&foreign), said(&nothing), "{method} {path}");
            check_unmarked(&foreign, path);
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_kept_is_given_to_no_other_tenant_who_asks_alike() {
    let evidence_server = EvidenceServer::new(Permission::Allow);
    for (tool, argument) in [("look_up", "whom"), ("jot", "note")] {
        let first = evidence_server.call(VICTIM, tool, argument, MARK).await;
        let again = evidence_server.call(VICTIM, tool, argument, MARK).await;
        assert_eq!(first.json()["output"], again.json()["output"], "{tool}: it is kept");
        let others = evidence_server.call(THIEF, tool, argument, MARK).await.json();
        let output = others["output"].as_str().unwrap();
        assert!(output.ends_with(&id(THIEF)), "{tool}: {others}");
        for sign in ["replayed", "cache_hit"] {
            assert!(others["meta"].get(sign).is_none(), "{tool}: {others}");
        }
    }
    assert_eq!([evidence_server.runs.of(VICTIM), evidence_server.runs.of(THIEF)], [2, 2]);
}

#[tokio::test]
async fn a_call_that_waits_is_disturbed_by_no_other_tenant_whose_own_is_alike() {
    let evidence_server = EvidenceServer::new(Permission::Ask);
    let mut tickets = BTreeMap::new();
    for tenant in [VICTIM, THIEF] {
        let answer = evidence_server.call(tenant, "jot", "note", "x").await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        let ticket = answer.json()["detail"]["details"]["ticket"]["id"].clone();
        tickets.insert(tenant, ticket.as_str().unwrap().to_owned());
    }
    let listed = evidence_server.read(THIEF, "/approvals").await;
    assert!(listed.text.contains(&tickets[THIEF]) && !listed.text.contains(&tickets[VICTIM]));
    check_unmarked(&listed, "approvals");
    let decline = json!({"decision": "decline", "feedback": "no"});
    let declined =
        evidence_server.send(THIEF, &format!("/approvals/{}", tickets[THIEF]), decline).await;
    assert_eq!(declined.status, 200, "{}", declined.text);
    let approve = json!({"decision": "approve"});
    let path = format!("/approvals/{}", tickets[VICTIM]);
    let stolen = evidence_server.send(THIEF, &path, approve.clone()).await;
    assert_eq!(stolen.status, 404, "{}", stolen.text);
    let boss = with(headed(request("POST", &path, &approve), VICTIM), "x-user-id", "boss");
    let boss = with(boss, "x-internal-api-key", evidence_server.keys[VICTIM].expose());
    let approved = send(&evidence_server.app, boss).await;
    assert_eq!(approved.json()["output"], format!("1 for {}", id(VICTIM)), "{}", approved.text);
    assert_eq!([evidence_server.runs.of(VICTIM), evidence_server.runs.of(THIEF)], [1, 0]);
}

fn why() -> Value {
    json!({"reason": "curiosity"})
}
