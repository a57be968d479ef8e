//! Two tenants at one server, one of which tries to reach the other's data in every kind of
//! request.

mod proofs;
mod requests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::evidence::{Contents, EvidenceRequest, EvidenceVerdict, Snapshot, Vault};
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, RateLimits, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, MemoryLedger};
use tool_runtime::policy::{KeyRing, Policy, RateLimit};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use self::requests::{asking, calling, headed, names_a_thing, request, request_of, with};
use super::{Answer, send};

/// A text in everything that the victim sends; no other caller may ever read it.
const MARK: &str = "f3a9c1e7b5";
const VICTIM: &str = "hillside";
const THIEF: &str = "neighbour";
const TRACE: &str = "trace-f3a9c1e7b5";
/// An id of no tenant's attachment: tests of attachments have those of other tenants and users.
const ATTACHMENT: &str = "att_018f3b2c7d1e7c3a9b5d2e4f60718293";
/// The id of the victim's unknown outcome, and an id without one.
const OUTCOME: u64 = 2;
const ABSENT_OUTCOME: u64 = 999_999;
/// The id of the victim's evidence, and one of none.
const EVIDENCE: &str = "ev_018bcfe5680070008000000000000001";
const ABSENT_EVIDENCE: &str = "ev_018bcfe5680070008000000000000002";

/// Every endpoint there is. One that is not here fails the test: say how it is to be crossed.
const ENDPOINTS: &[(&str, &str, Reach)] = &[
    ("POST", "/tools/list", Reach::Tenant),
    ("GET", "/tools", Reach::Tenant),
    ("POST", "/tools/call", Reach::Tenant),
    ("POST", "/tools/call/text", Reach::Tenant),
    ("POST", "/calls/{tool}", Reach::Tenant),
    ("GET", "/approvals", Reach::Tenant),
    ("POST", "/approvals/{ticket}", Reach::Tenant),
    ("GET", "/attachments/{id}", Reach::Tenant),
    ("GET", "/budgets", Reach::Tenant),
    ("GET", "/traces", Reach::Tenant),
    ("GET", "/traces/{id}", Reach::Tenant),
    ("POST", "/traces/{id}/replay", Reach::Tenant),
    ("GET", "/ledger/verification", Reach::NoTenant),
    ("GET", "/outcomes", Reach::Tenant),
    ("POST", "/outcomes/{id}", Reach::Tenant),
    ("GET", "/evidence", Reach::Tenant),
    ("GET", "/evidence/{id}", Reach::Tenant),
    ("POST", "/evidence/{id}/contents", Reach::Tenant),
    ("GET", "/openapi.json", Reach::NoTenant),
    ("GET", "/healthz", Reach::NoTenant),
    ("GET", "/readyz", Reach::NoTenant),
    ("GET", "/metrics", Reach::NoTenant),
];

/// The owner of the data of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those of the tenant that the request names.
    Tenant,
    /// Those of no tenant.
    NoTenant,
}

/// The number of runs of the tools. A handle.
#[derive(Debug, Clone, Default)]
struct Runs(Arc<AtomicU32>);

impl Runs {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// Says whose call it is.
#[ai_tool(effect = "read", ttl = "1h")]
async fn whose(
    cx: &ToolContext,
    /// Words that stand in records.
    #[arg(default)]
    note: String,
) -> String {
    format!("{} {note}", cx.tenant_id())
}

/// Counts.
#[ai_tool(effect = "write")]
async fn count(
    runs: &Runs,
    dry_run: &DryRun,
    /// Words that stand in records.
    #[arg(default)]
    note: String,
) -> String {
    let run = if dry_run.is_active() { 0 } else { runs.next() };
    format!("{run} {note}")
}

/// Why a reply is lost.
#[derive(Debug, ToolFailure)]
enum Lost {
    /// The reply was lost.
    #[failure(UPSTREAM_ERROR, hide)]
    Reply,
}

/// Writes, and never learns whether it did.
#[ai_tool(effect = "write")]
async fn lose(
    dry_run: &DryRun,
    /// Words that stand in records.
    #[arg(default)]
    note: String,
) -> Result<String, Lost> {
    if dry_run.is_active() { Ok(note) } else { Err(Lost::Reply) }
}

/// Pays a debt, if a person agrees.
#[ai_tool(effect = "write")]
async fn pay_joe(
    runs: &Runs,
    dry_run: &DryRun,
    /// Words that stand in records.
    note: String,
) -> String {
    if !dry_run.is_active() {
        runs.next();
    }
    note
}

/// A server with a victim and an attacker, each with a key and every scope.
struct Town {
    app: Router,
    runs: Runs,
    vault: Vault,
    victim: ApiKey,
    thief: ApiKey,
    second: ApiKey,
}

impl Town {
    fn new() -> Self {
        Self::with(RateLimits::new())
    }

    fn with(limits: RateLimits) -> Self {
        let [victim, thief, second] = [(); 3].map(|()| ApiKey::generate().unwrap());
        let of = |name: &str, tenant: &str| {
            let tenant = Tenant::parse(tenant).unwrap().id();
            let service = Principal::new(name).for_tenants([tenant]).with_scopes(Scopes::all());
            service.with_users(Users::OfItsTenants)
        };
        let keys = ApiKeySet::new()
            .with(victim.hash(), of(&format!("service-{MARK}"), VICTIM))
            .and_then(|keys| keys.with(thief.hash(), of("service-two", THIEF)))
            .and_then(|keys| keys.with(second.hash(), of("service-three", VICTIM)));
        let auth = Auth::new().api_keys(&ApiKeys::new(keys.unwrap()));
        let ledger = Ledger::builder(KeyRing::ephemeral().unwrap());
        let ledger = ledger.open(MemoryLedger::new(1_000)).unwrap();
        let runs = Runs::default();
        let runtime =
            Runtime::builder().tool::<WhoseTool>().tool::<CountTool>().tool::<PayJoeTool>();
        let runtime = runtime.tool::<LoseTool>().permission("lose", Permission::Allow);
        let counted = Budget::new("counted").per_day("1000 calls").scope(BudgetScope::Actor);
        let policy = Policy::new().budget(counted.tools(["count"]));
        let runtime = runtime.state(runs.clone()).ledger(&ledger).policy(policy);
        let runtime = runtime.permission("count", Permission::Allow).build().unwrap();
        let vault = Vault::new(MemoryStore::new(), KeyRing::ephemeral().unwrap());
        let vault = vault
            .with_access_log(ledger.clone())
            .with_authorizer(|_: &EvidenceRequest<'_>| EvidenceVerdict::Allow);
        let config = HttpConfig::new(auth).ledger(&ledger).vault(&vault).rates(limits);
        Self { app: http::router(runtime, config), runs, vault, victim, thief, second }
    }

    async fn ask(&self, key: &ApiKey, request: Request<Body>) -> Answer {
        send(&self.app, with(request, "x-internal-api-key", key.expose())).await
    }

    /// Calls a tool as its tenant's own service would.
    async fn call(&self, key: &ApiKey, tenant: &str, tool: &str, note: &str) -> Answer {
        self.ask(key, headed(calling(tool, note), tenant)).await
    }

    /// Makes the victim's calls that leave data behind, and returns a waiting ticket.
    async fn plant(&self) -> String {
        for tool in ["whose", "count"] {
            let request = headed(calling(tool, MARK), VICTIM);
            let request = with(with(request, "x-trace-id", TRACE), "x-user-id", MARK);
            let answer = self.ask(&self.victim, with(request, "idempotency-key", MARK)).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        let request = headed(calling("lose", MARK), VICTIM);
        let request = with(with(request, "x-user-id", MARK), "idempotency-key", MARK);
        assert_eq!(self.ask(&self.victim, request).await.status, 502);
        self.prove().await;
        let listed = headed(request_of("GET", "/outcomes"), VICTIM);
        let listed = self.ask(&self.victim, listed).await.json();
        assert_eq!(listed["outcomes"][0]["id"], OUTCOME, "{listed}");
        let answer = self.call(&self.victim, VICTIM, "pay_joe", MARK).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        let ticket = answer.json()["detail"]["details"]["ticket"]["id"].clone();
        ticket.as_str().unwrap().to_owned()
    }
}

impl Town {
    /// Keeps a proof of the victim's, under an id that is known.
    async fn prove(&self) {
        let snapshot = json!({
            "snapshot_id": EVIDENCE,
            "tenant_id": id(VICTIM),
            "trace_id": TRACE,
            "invocation_id": Uuid::from_u128(1),
            "tool": "whose",
            "version": "1.0.0",
            "at": 1_700_000_000_000_u64,
            "input_summary": {"note": MARK},
        });
        let snapshot: Snapshot = serde_json::from_value(snapshot).unwrap();
        let contents = Contents::new().with_arguments(MARK).with_output(MARK);
        self.vault.keep(snapshot, &contents).await.unwrap();
        let asked = headed(asking("POST", "/evidence/{id}/contents", "", TRACE), VICTIM);
        let own = self.ask(&self.victim, asked).await;
        assert!(own.status == 200 && own.text.contains(MARK), "{}", own.text);
    }
}

fn id(tenant: &str) -> String {
    Tenant::parse(tenant).unwrap().id().to_string()
}

#[track_caller]
fn check_unmarked(answer: &Answer, what: &str) {
    let headers = format!("{:?}", answer.headers);
    for secret in [MARK, &id(VICTIM)] {
        assert!(!answer.text.contains(secret) && !headers.contains(secret), "{what}: {answer:?}");
    }
}

/// Returns an answer's content without the parts that differ in every answer.
fn said(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    for member in ["latency_ms", "request_payload_hash"] {
        body["audit"][member] = Value::Null;
    }
    (answer.status, body)
}

#[test]
fn every_path_of_the_router_has_its_place_in_the_table() {
    const ROUTES: &str = include_str!("../../../../../tool-runtime/http/src/routes.rs");
    let rows =
        ROUTES.lines().filter(|line| line.contains(" = GET \"") || line.contains(" = POST \""));
    let paths = rows.filter_map(|row| row.split('"').nth(1));
    let table = ENDPOINTS.iter().map(|(_, path, _)| *path);
    assert_eq!(paths.collect::<BTreeSet<_>>(), table.collect());
}

#[tokio::test]
async fn every_endpoint_of_the_document_has_its_place_in_the_table() {
    let town = Town::new();
    let document = town.ask(&town.thief, request("GET", "/openapi.json", &Value::Null)).await;
    let document = document.json();
    let mut known = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys();
        let methods =
            methods.filter(|name| ["get", "post", "put", "patch", "delete"].contains(&&***name));
        known.extend(methods.map(|method| (method.to_uppercase(), path.clone())));
    }
    let table = ENDPOINTS.iter().map(|(method, path, _)| ((*method).into(), (*path).into()));
    assert_eq!(known, table.collect::<BTreeSet<(String, String)>>());
}

#[tokio::test]
async fn no_caller_acts_for_a_foreign_tenant_however_it_is_named() {
    let town = Town::new();
    let ticket = town.plant().await;
    for (method, path, _) in ENDPOINTS.iter().filter(|endpoint| endpoint.2 == Reach::Tenant) {
        for name in [VICTIM.to_owned(), id(VICTIM), id(VICTIM).to_uppercase()] {
            let asked = headed(asking(method, path, &ticket, TRACE), &name);
            let answer = town.ask(&town.thief, asked).await;
            assert_eq!(answer.status, 403, "{method} {path} as {name}: {}", answer.text);
            if name == VICTIM {
                check_unmarked(&answer, path);
            }
        }
        for name in ["HILLSIDE", "hillside ", "hillside,neighbour", "", "*", "%68illside"] {
            let asked = headed(asking(method, path, &ticket, TRACE), name);
            let answer = town.ask(&town.thief, asked).await;
            assert!([400, 403].contains(&answer.status), "{method} {path} as {name}");
        }
    }
}

#[tokio::test]
async fn a_body_names_no_other_tenant_than_its_headers_and_none_that_is_not_the_callers() {
    let town = Town::new();
    for name in [VICTIM.to_owned(), id(VICTIM)] {
        let context = json!({ "tenant_id": name, "site_id": "main", "trace_id": "trace-1" });
        let body = json!({ "tool_name": "whose", "input": {}, "context": context });
        let alone = town.ask(&town.thief, request("POST", "/tools/call", &body)).await;
        assert_eq!(alone.status, 403, "{}", alone.text);
        let both = headed(request("POST", "/tools/call", &body), THIEF);
        let both = town.ask(&town.thief, both).await;
        assert!([400, 422].contains(&both.status), "{}", both.text);
        let twice = headed(request("POST", "/tools/call", &body), THIEF);
        let (mut parts, body) = twice.into_parts();
        parts.headers.append("x-tenant-id", HeaderValue::from_str(&name).unwrap());
        let twice = town.ask(&town.thief, Request::from_parts(parts, body)).await;
        assert_eq!(twice.status, 400, "{}", twice.text);
    }
    for smuggled in ["tenant", "tenant_slug", "attributes", "actor"] {
        let body = json!({ "tool_name": "whose", "input": {}, "context": { smuggled: VICTIM } });
        let answer =
            town.ask(&town.thief, headed(request("POST", "/tools/call", &body), THIEF)).await;
        assert!([400, 422].contains(&answer.status), "{smuggled}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_foreign_resource_is_answered_like_an_absent_one() {
    let town = Town::new();
    let ticket = town.plant().await;
    let runs = town.runs.0.load(Ordering::SeqCst);
    let absent = "00000000-0000-4000-8000-000000000000";
    for (method, path, _) in ENDPOINTS.iter().filter(|endpoint| names_a_thing(endpoint.1)) {
        let foreign = headed(asking(method, path, &ticket, TRACE), THIEF);
        let nothing = headed(asking(method, path, absent, "trace-none"), THIEF);
        let foreign = town.ask(&town.thief, foreign).await;
        let nothing = town.ask(&town.thief, nothing).await;
        assert_eq!(said(&foreign), said(&nothing), "{method} {path}");
        assert!(foreign.status >= 400, "{method} {path}: {}", foreign.text);
        check_unmarked(&foreign, path);
    }
    for decision in [
        json!({"decision": "decline", "feedback": "no"}),
        json!({"decision": "edit", "arguments": {"note": "x"}}),
    ] {
        let asked = request("POST", &format!("/approvals/{ticket}"), &decision);
        let answer = town.ask(&town.thief, headed(asked, THIEF)).await;
        assert!(answer.status >= 400, "{}", answer.text);
        check_unmarked(&answer, "decision");
    }
    assert_eq!(town.runs.0.load(Ordering::SeqCst), runs, "nothing ran");
    let approve = request("POST", &format!("/approvals/{ticket}"), &json!({"decision": "approve"}));
    let approved = town.ask(&town.second, headed(approve, VICTIM)).await;
    assert_eq!(approved.status, 200, "the ticket is still good: {}", approved.text);
}

#[tokio::test]
async fn no_list_shows_what_is_anothers() {
    let town = Town::new();
    let ticket = town.plant().await;
    for (method, path, _) in ENDPOINTS.iter().filter(|endpoint| !names_a_thing(endpoint.1)) {
        let asked = headed(asking(method, path, &ticket, TRACE), THIEF);
        let answer = town.ask(&town.thief, asked).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
        check_unmarked(&answer, path);
    }
    let own =
        town.ask(&town.second, headed(request("GET", "/approvals", &Value::Null), VICTIM)).await;
    assert!(own.text.contains(&ticket), "its own tenant sees it: {}", own.text);
}

#[tokio::test]
async fn a_kept_answer_is_its_tenants_own() {
    let town = Town::new();
    let calls = [(&town.victim, VICTIM), (&town.thief, THIEF), (&town.victim, VICTIM)];
    for (key, tenant) in calls {
        let answer = town.call(key, tenant, "whose", "x").await;
        assert_eq!(answer.json()["output"], format!("{} x", id(tenant)));
    }
}

#[tokio::test]
async fn a_key_of_a_call_is_its_tenants_and_its_users_own() {
    let town = Town::new();
    let keyed = async |key: &ApiKey, tenant: &str, user: Option<&str>, note: &str| {
        let request = with(headed(calling("count", note), tenant), "idempotency-key", "order-1");
        let request = match user {
            Some(user) => with(request, "x-user-id", user),
            None => request,
        };
        let answer = town.ask(key, request).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["output"].as_str().unwrap().to_owned()
    };
    let (victim, thief, second) = (&town.victim, &town.thief, &town.second);
    assert_eq!(keyed(victim, VICTIM, Some("jane"), "a").await, "1 a");
    assert_eq!(keyed(victim, VICTIM, Some("jane"), "a").await, "1 a");
    assert_eq!(keyed(thief, THIEF, Some("jane"), "a").await, "2 a");
    assert_eq!(keyed(thief, THIEF, Some("jane"), "a").await, "2 a");
    assert_eq!(keyed(victim, VICTIM, Some("joe"), "b").await, "3 b");
    assert_eq!(keyed(victim, VICTIM, None, "c").await, "4 c");
    assert_eq!(
        keyed(second, VICTIM, None, "d").await,
        "5 d",
        "another service is another principal"
    );
}

#[tokio::test]
async fn no_tenant_uses_up_what_another_may_call() {
    let town = Town::with(RateLimits::new().calls(RateLimit::per_minute(2).unwrap()));
    let statuses = async |key: &ApiKey, tenant: &str, tool: &str| {
        let mut statuses = Vec::new();
        for _ in 0..3 {
            statuses.push(town.call(key, tenant, tool, "x").await.status);
        }
        statuses
    };
    assert_eq!(statuses(&town.thief, THIEF, "whose").await, [200, 200, 429]);
    let refused = town.call(&town.thief, THIEF, "whose", "x").await;
    assert_eq!(refused.json()["error_type"], "RATE_LIMITED");
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    assert_eq!(statuses(&town.victim, VICTIM, "whose").await, [200, 200, 429]);
    assert_eq!(statuses(&town.thief, VICTIM, "count").await, [403; 3]);
    let own = statuses(&town.victim, VICTIM, "count").await;
    assert_eq!(own, [200, 200, 429], "what is refused is not counted as the victim's");
}

#[tokio::test]
async fn without_a_good_key_no_endpoint_about_tenants_answers() {
    // There are more endpoints than bad keys that one address may send in a minute.
    let many = RateLimit::per_minute(1_000).unwrap();
    let town = Town::with(RateLimits::new().failed_authentications(many));
    let ticket = town.plant().await;
    let stranger = ApiKey::generate().unwrap();
    for (method, path, _) in ENDPOINTS.iter().filter(|endpoint| endpoint.2 == Reach::Tenant) {
        let asked = || headed(asking(method, path, &ticket, TRACE), VICTIM);
        let unproven = send(&town.app, asked()).await;
        let forged = town.ask(&stranger, asked()).await;
        for answer in [unproven, forged] {
            assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text);
            assert!(answer.header("www-authenticate").starts_with("ApiKey "), "{path}");
            check_unmarked(&answer, path);
        }
    }
}
