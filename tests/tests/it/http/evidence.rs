//! Evidence over HTTP: listing, reading, and opening contents for a reason.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::evidence::{
    AccessAction, EvidenceKeeper, EvidenceRequest, EvidenceStore, EvidenceVerdict, Vault,
};
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, Record, RecordedAccess};
use tool_runtime::mcp::McpConfig;
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, UnixMillis};

use super::wire::{Running, patient};
use super::{Answer, call, get, open, post, send};
use crate::ledger::{TestLedger, ring};
use crate::mcp::http::stateless;

const PERSON: &str = "jane-doe-canary";
const ANSWER: &str = "answer-canary";

/// Quotes a price.
#[ai_tool(effect = "read", version = "1.2.0", evidence)]
async fn quote(
    /// The article.
    sku: String,
    /// The customer.
    #[arg(pii)]
    customer: String,
) -> String {
    let _ = (sku, customer);
    ANSWER.to_owned()
}

/// Reads a wage.
#[ai_tool(effect = "read", version = "1.0.0", evidence)]
async fn wage() -> String {
    ANSWER.to_owned()
}

/// A server whose callers see evidence as an authorizer decides.
struct EvidenceServer {
    app: Router,
    ledger: Ledger,
    kept: TestLedger,
}

fn allow(_: &EvidenceRequest<'_>) -> EvidenceVerdict {
    EvidenceVerdict::Allow
}

/// Wages are shown to no caller.
fn no_wages(request: &EvidenceRequest<'_>) -> EvidenceVerdict {
    match request.snapshot() {
        Some(snapshot) if snapshot.tool() != "wage" => EvidenceVerdict::Allow,
        _ => EvidenceVerdict::Deny,
    }
}

impl EvidenceServer {
    fn new(rule: fn(&EvidenceRequest<'_>) -> EvidenceVerdict) -> Self {
        Self::with(open(), |vault| vault.with_authorizer(rule))
    }

    fn with(config: HttpConfig, change: impl FnOnce(Vault) -> Vault) -> Self {
        Self::on(MemoryStore::new(), config, change)
    }

    fn on(store: MemoryStore, config: HttpConfig, change: impl FnOnce(Vault) -> Vault) -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let keeper = EvidenceKeeper::new(Vault::new(store, ring()), &ledger);
        let vault = change(keeper.vault().clone());
        let runtime = Runtime::builder().tool::<QuoteTool>().tool::<WageTool>();
        let runtime = runtime.ledger(&ledger).evidence(keeper).build().unwrap();
        let app = http::router(runtime, config.ledger(&ledger).vault(&vault));
        Self { app, ledger, kept }
    }

    /// Lets a tool prove an answer; gives the id of the proof.
    async fn prove(&self, tool: &str) -> String {
        let input = if tool == "wage" {
            "{}".to_owned()
        } else {
            json!({"sku": "A-1", "customer": PERSON}).to_string()
        };
        let answer = call(&self.app, tool, &input).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let id = answer.json()["meta"]["evidence"]["snapshot_id"].clone();
        id.as_str().expect("evidence").to_owned()
    }

    async fn read(&self, path: &str) -> Answer {
        send(&self.app, headed(get(path))).await
    }

    async fn contents(&self, id: &str) -> Answer {
        send(&self.app, contents(id)).await
    }

    /// The accesses to evidence, in the order in which they were recorded.
    async fn accesses(&self) -> Vec<RecordedAccess> {
        self.ledger.flush().await.unwrap();
        let access = |record| match record {
            Record::Access(access) => Some(access),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }
}

fn headed(mut request: Request<Body>) -> Request<Body> {
    for (name, value) in
        [("x-tenant-id", "yantian"), ("x-site-id", "yantian-main"), ("x-trace-id", "trace-2")]
    {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

fn contents(id: &str) -> Request<Body> {
    post(&format!("/evidence/{id}/contents"), r#"{"reason":"complaint 4711"}"#)
}

fn scoped(scopes: &str) -> HttpConfig {
    let clerk = Principal::new("clerk").for_every_tenant();
    let clerk =
        clerk.with_scopes(scopes.parse::<Scopes>().unwrap()).with_users(Users::OfItsTenants);
    HttpConfig::new(Auth::unauthenticated_as(clerk))
}

/// The answer without its time and trace.
fn said(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.json()["detail"].clone())
}

fn ids(page: &Answer) -> Vec<String> {
    assert_eq!(page.status, 200, "{}", page.text);
    let page = page.json();
    let shown = page["evidence"].as_array().unwrap();
    shown.iter().map(|it| it["snapshot_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_snapshot_is_shown_redacted_and_opened_for_a_reason() {
    let evidence_server = EvidenceServer::new(allow);
    let id = evidence_server.prove("quote").await;
    let shown = evidence_server.read(&format!("/evidence/{id}")).await;
    let body = shown.json();
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert_eq!(shown.header("cache-control"), "no-store");
    assert_eq!((&body["snapshot_id"], &body["trace_id"]), (&json!(id), &json!("trace-1")));
    assert_eq!((&body["tool"], &body["version"]), (&json!("quote"), &json!("1.2.0")));
    assert_eq!((&body["sealed"], &body["rules"]), (&json!(["arguments", "output"]), &json!({})));
    assert_eq!(body["input_summary"]["sku"], "A-1");
    let customer = body["input_summary"]["customer"].as_str().unwrap();
    assert!(customer.starts_with("pii:"), "{body}");
    assert!(body["output_hash"].as_str().unwrap().starts_with("hmac-sha256:"), "{body}");
    let listed = evidence_server.read("/evidence").await;
    assert_eq!(listed.json(), json!({"evidence": [body]}));
    for answer in [&shown, &listed] {
        assert!(!answer.text.contains(PERSON) && !answer.text.contains(ANSWER));
    }

    let opened = evidence_server.contents(&id).await;
    assert_eq!(opened.status, 200, "{}", opened.text);
    assert_eq!(opened.header("cache-control"), "no-store");
    let expected = json!({
        "snapshot": body,
        "redacted": false,
        "arguments": {"sku": "A-1", "customer": PERSON},
        "output": ANSWER,
    });
    assert_eq!(opened.json(), expected);
}

#[tokio::test]
async fn every_access_to_evidence_is_on_the_ledger() {
    let evidence_server =
        EvidenceServer::with(scoped("tools evidence evidence_contents"), |vault| {
            vault.with_authorizer(no_wages)
        });
    let (quote, wage) = (evidence_server.prove("quote").await, evidence_server.prove("wage").await);
    let as_user = |request| with(request, "x-user-id", "boss");
    for id in [&quote, &wage] {
        send(&evidence_server.app, as_user(headed(get(&format!("/evidence/{id}"))))).await;
        send(&evidence_server.app, as_user(contents(id))).await;
    }
    send(&evidence_server.app, as_user(headed(get("/evidence")))).await;
    let accesses = evidence_server.accesses().await;
    let tenant = Some(Tenant::parse("yantian").unwrap().id());
    for access in &accesses {
        assert_eq!((&*access.by, access.tenant_id), ("user:boss by clerk", tenant));
    }
    let told = |it: &RecordedAccess| {
        let subject = it.subject.clone().unwrap_or_default();
        [it.action.clone(), it.reason.clone(), subject, it.outcome.clone()]
    };
    let (find, why) = ("GET /evidence/{id}", "complaint 4711");
    let expected = [
        ["find", find, &quote, "done"],
        ["read", why, &quote, "done"],
        ["find", find, &wage, "refused"],
        ["read", why, &wage, "refused"],
        ["list", "GET /evidence", &quote, "done"],
    ];
    assert_eq!(accesses.iter().map(told).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn evidence_that_is_denied_is_answered_as_evidence_that_there_is_not() {
    let evidence_server = EvidenceServer::new(no_wages);
    let (quote, wage) = (evidence_server.prove("quote").await, evidence_server.prove("wage").await);
    let absent = wage.replace(|digit: char| ('1'..='6').contains(&digit), "0");
    assert_ne!(wage, absent);
    let path = |id: &str| format!("/evidence/{id}");
    let (denied, none) =
        (evidence_server.read(&path(&wage)).await, evidence_server.read(&path(&absent)).await);
    assert_eq!(said(&denied), said(&none));
    assert_eq!((denied.status, denied.text.contains("wage")), (404, false), "{}", denied.text);
    assert_eq!(denied.json()["detail"]["details"]["reason"], "unknown_evidence");
    let (denied, none) =
        (evidence_server.contents(&wage).await, evidence_server.contents(&absent).await);
    assert_eq!((said(&denied), denied.status), (said(&none), 404));
    assert_eq!(ids(&evidence_server.read("/evidence").await), [quote]);
}

#[tokio::test]
async fn an_authorizer_may_withhold_what_is_sealed() {
    let evidence_server = EvidenceServer::new(|_| EvidenceVerdict::AllowRedacted);
    let id = evidence_server.prove("quote").await;
    let opened = evidence_server.contents(&id).await;
    assert_eq!(opened.status, 200, "{}", opened.text);
    let body = opened.json();
    assert_eq!((&body["redacted"], &body["snapshot"]["snapshot_id"]), (&json!(true), &json!(id)));
    assert!(body.get("arguments").is_none() && body.get("output").is_none(), "{body}");
    assert!(!opened.text.contains(PERSON) && !opened.text.contains(ANSWER));
    let last = evidence_server.accesses().await.pop().expect("it is recorded");
    assert_eq!((&*last.action, &*last.outcome), ("read", "redacted"));
}

#[tokio::test]
async fn the_authorizer_knows_the_caller_and_its_scopes() {
    let rule = |request: &EvidenceRequest<'_>| {
        let access = request.access();
        let is_boss = access.user() == Some("boss") && access.principal() == "network:clerk";
        let is_asked =
            request.action() != AccessAction::Read || access.reason() == "complaint 4711";
        if is_boss && is_asked && access.has_scope("evidence") && !access.has_scope("traces") {
            EvidenceVerdict::Allow
        } else {
            EvidenceVerdict::Deny
        }
    };
    let config = scoped("tools evidence evidence_contents");
    let evidence_server = EvidenceServer::with(config, |vault| vault.with_authorizer(rule));
    let id = evidence_server.prove("quote").await;
    let path = format!("/evidence/{id}");
    for (user, status) in [("boss", 200), ("jane", 404)] {
        for request in [headed(get(&path)), contents(&id)] {
            let answer = send(&evidence_server.app, with(request, "x-user-id", user)).await;
            assert_eq!(answer.status, status, "{user}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn each_path_of_evidence_takes_its_own_scope_and_a_refusal_is_recorded() {
    for (scopes, shows, opens) in [
        ("evidence", 200, 403),
        ("evidence_contents", 403, 200),
        ("traces replay approvals outcomes metrics internal", 403, 403),
    ] {
        let evidence_server = EvidenceServer::with(scoped(&format!("tools {scopes}")), |vault| {
            vault.with_authorizer(allow)
        });
        let id = evidence_server.prove("quote").await;
        let path = format!("/evidence/{id}");
        let statuses = [
            evidence_server.read("/evidence").await.status,
            evidence_server.read(&path).await.status,
            evidence_server.contents(&id).await.status,
        ];
        assert_eq!(statuses, [shows, shows, opens], "{scopes}");
        let refused = |it: &RecordedAccess| it.outcome == "refused" && it.reason == "missing_scope";
        let accesses = evidence_server.accesses().await;
        let actions = accesses.iter().map(|it| (&*it.action, refused(it)));
        let expected = [("list", shows == 403), ("find", shows == 403), ("read", opens == 403)];
        assert_eq!(actions.collect::<Vec<_>>(), expected, "{scopes}");
        assert_eq!(accesses[2].subject.as_deref(), Some(&*id));
    }
}

#[tokio::test]
async fn a_server_without_an_authorizer_serves_no_evidence() {
    let evidence_server = EvidenceServer::with(open(), |vault| vault);
    let id = evidence_server.prove("quote").await;
    let path = format!("/evidence/{id}");
    for answer in [
        evidence_server.read("/evidence").await,
        evidence_server.read(&path).await,
        evidence_server.contents(&id).await,
    ] {
        assert_eq!(answer.status, 404, "{}", answer.text);
        assert_eq!(answer.json()["detail"]["details"]["reason"], "no_evidence");
        assert!(!answer.text.contains("quote"), "{}", answer.text);
    }
    let document = send(&evidence_server.app, get("/openapi.json")).await.json();
    assert!(document["paths"].get("/evidence").is_none());
    assert_eq!(evidence_server.accesses().await, []);
}

#[tokio::test]
async fn evidence_is_its_tenants_whatever_the_authorizer_says() {
    let keys = ["yantian", "other"].map(|tenant| (tenant, ApiKey::generate().unwrap()));
    let known = keys.iter().fold(ApiKeySet::new(), |set, (tenant, key)| {
        let tenant = Tenant::parse(tenant).unwrap().id();
        let principal = Principal::new("orchestrator").with_scopes(Scopes::all());
        set.with(key.hash(), principal.for_tenants([tenant])).unwrap()
    });
    let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(known)));
    let evidence_server = EvidenceServer::with(config, |vault| vault.with_authorizer(allow));
    let keyed = |request, number: usize, tenant: &str| {
        let request = with(request, "x-internal-api-key", keys[number].1.expose());
        with(request, "x-tenant-id", tenant)
    };
    let asked = json!({"tool_name": "wage", "input": {}}).to_string();
    let own =
        send(&evidence_server.app, keyed(post("/tools/call", asked), 0, "yantian")).await.json();
    let id = own["meta"]["evidence"]["snapshot_id"].as_str().expect("evidence").to_owned();
    let path = format!("/evidence/{id}");
    let requests = || [headed(get("/evidence")), headed(get(&path)), contents(&id)];
    for (request, status) in requests().into_iter().zip([200, 404, 404]) {
        let answer = send(&evidence_server.app, keyed(request, 1, "other")).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert!(!answer.text.contains(&id) && !answer.text.contains(ANSWER), "{}", answer.text);
    }
    for request in requests() {
        let answer = send(&evidence_server.app, keyed(request, 1, "yantian")).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
    }
    for request in requests() {
        assert_eq!(send(&evidence_server.app, keyed(request, 0, "yantian")).await.status, 200);
    }
    let accesses = evidence_server.accesses().await;
    let foreign: Vec<_> = accesses.iter().filter(|it| it.reason == "foreign_tenant").collect();
    assert_eq!(foreign.len(), 3, "{accesses:?}");
    assert!(foreign.iter().all(|it| it.by == "key:orchestrator" && it.outcome == "refused"));
}

#[tokio::test]
async fn evidence_is_not_shown_where_the_access_cannot_be_recorded() {
    let evidence_server = EvidenceServer::new(allow);
    let id = evidence_server.prove("quote").await;
    evidence_server.ledger.flush().await.unwrap();
    evidence_server.kept.fail(true);
    let path = format!("/evidence/{id}");
    for answer in [
        evidence_server.read("/evidence").await,
        evidence_server.read(&path).await,
        evidence_server.contents(&id).await,
    ] {
        assert_eq!(answer.status, 503, "{}", answer.text);
        assert!(!answer.text.contains("quote") && !answer.text.contains(ANSWER));
    }
    evidence_server.kept.fail(false);
    assert_eq!(evidence_server.read(&path).await.status, 200);
}

#[tokio::test]
async fn a_list_has_pages_and_filters() {
    let evidence_server = EvidenceServer::new(allow);
    let mut proofs = Vec::new();
    for tool in ["quote", "wage", "quote"] {
        proofs.push(evidence_server.prove(tool).await);
    }
    proofs.sort();
    let first = evidence_server.read("/evidence?limit=2").await;
    assert_eq!(ids(&first), proofs[..2]);
    let next = first.json()["next"].as_str().expect("there is more").to_owned();
    let rest = evidence_server.read(&format!("/evidence?limit=2&after={next}")).await;
    assert_eq!((ids(&rest), rest.json().get("next")), (proofs[2..].to_vec(), None));
    assert_eq!(ids(&evidence_server.read("/evidence?tool=wage").await).len(), 1);
    assert_eq!(ids(&evidence_server.read("/evidence?trace=trace-1").await), proofs);
    assert!(ids(&evidence_server.read("/evidence?trace=trace-9").await).is_empty());
    let snapshot = evidence_server.read(&format!("/evidence/{}", proofs[0])).await.json();
    let call = snapshot["invocation_id"].as_str().unwrap();
    assert_eq!(
        ids(&evidence_server.read(&format!("/evidence?invocation_id={call}")).await),
        proofs[..1]
    );
    let at = snapshot["at"].as_str().unwrap();
    assert_eq!(ids(&evidence_server.read(&format!("/evidence?since={at}")).await), proofs);
    assert!(ids(&evidence_server.read(&format!("/evidence?until={at}")).await).is_empty());
}

#[tokio::test]
async fn a_list_with_an_altered_snapshot_says_where_it_continues() {
    let store = MemoryStore::new();
    let evidence_server =
        EvidenceServer::on(store.clone(), open(), |vault| vault.with_authorizer(allow));
    let mut proofs = Vec::new();
    for _ in 0..3 {
        proofs.push(evidence_server.prove("quote").await);
    }
    let tenant = Tenant::parse("yantian").unwrap().id();
    let altered = proofs[1].parse().unwrap();
    let mut stored = store.find_snapshot(tenant, altered).await.unwrap().unwrap();
    stored.checksum.clear();
    let end = UnixMillis::new(u64::MAX);
    let kept = [proofs[0].parse().unwrap(), proofs[2].parse().unwrap()];
    let mut others = Vec::new();
    for id in kept {
        others.push(store.find_snapshot(tenant, id).await.unwrap().unwrap());
    }
    store.sweep_snapshots(end, 100).await.unwrap();
    for snapshot in others.into_iter().chain([stored]) {
        assert!(store.put_snapshot(snapshot).await.unwrap());
    }
    let list = evidence_server.read("/evidence").await;
    let details = list.json()["detail"]["details"].clone();
    assert_eq!((list.status, &details["reason"]), (500, &json!("evidence_altered")));
    assert_eq!(details["after"], *proofs[1]);
    let after = details["after"].as_str().unwrap();
    assert_eq!(ids(&evidence_server.read(&format!("/evidence?after={after}")).await), proofs[2..]);
    assert_eq!(ids(&evidence_server.read("/evidence?limit=1").await), proofs[..1]);
}

#[tokio::test]
async fn a_request_for_evidence_that_cannot_be_read_is_refused() {
    let evidence_server = EvidenceServer::new(allow);
    let id = evidence_server.prove("quote").await;
    for path in
        ["/evidence/ev_1", "/evidence?after=ev_1", "/evidence?limit=101", "/evidence?until=1"]
    {
        assert_eq!(evidence_server.read(path).await.status, 422, "{path}");
    }
    let turned = json!({"reason": "complaint \u{202e}4711"}).to_string();
    for body in ["{}", r#"{"reason":" "}"#, r#"{"reason":"x","more":1}"#, &turned] {
        let request = post(&format!("/evidence/{id}/contents"), body.to_owned());
        assert_eq!(send(&evidence_server.app, request).await.status, 422, "{body}");
    }
    assert_eq!(
        send(&evidence_server.app, get("/evidence")).await.status,
        400,
        "it names no tenant"
    );
    assert_eq!(evidence_server.accesses().await, [], "nothing was looked at");
}

#[tokio::test]
async fn evidence_is_served_over_a_connection_and_not_to_strangers() {
    let key = ApiKey::generate().unwrap();
    let console = Principal::new("console").for_every_tenant();
    let console = console.with_scopes("tools evidence".parse::<Scopes>().unwrap());
    let known = ApiKeySet::new().with(key.hash(), console).unwrap();
    let auth = Auth::new().api_keys(&ApiKeys::new(known)).anonymous(Scopes::all());
    let evidence_server =
        EvidenceServer::with(HttpConfig::new(auth), |vault| vault.with_authorizer(allow));
    let asked = post("/tools/call", r#"{"tool_name":"wage","input":{}}"#);
    let proved =
        send(&evidence_server.app, with(asked, "x-internal-api-key", key.expose())).await.json();
    let id = proved["meta"]["evidence"]["snapshot_id"].as_str().expect("evidence").to_owned();
    let server = Running::start(evidence_server.app.clone(), patient()).await;
    let mut wire = server.connect().await;
    let head = "host: localhost\r\nx-tenant-id: yantian\r\nx-site-id: main\r\nx-trace-id: t\r\n";
    let keyed = format!("{head}x-internal-api-key: {}\r\n", key.expose());
    wire.write(&format!("GET /evidence/{id} HTTP/1.1\r\n{keyed}\r\n")).await;
    let shown = wire.hear().await;
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.head.contains("cache-control: no-store"), "{}", shown.head);
    assert!(shown.body.contains(&id) && !shown.body.contains(ANSWER), "{}", shown.body);
    wire.write(&format!("GET /evidence/{id} HTTP/1.1\r\n{head}\r\n")).await;
    let stranger = wire.hear().await;
    assert_eq!(stranger.status, 401, "{stranger:?}");
}

#[tokio::test]
async fn a_result_of_the_context_protocol_has_the_id_of_its_evidence() {
    let config = open().without_tenants().mcp(McpConfig::new("office", "1"));
    let evidence_server = EvidenceServer::with(config, |vault| vault.with_authorizer(allow));
    let params = json!({"name": "wage", "arguments": {}});
    let answer = send(&evidence_server.app, stateless("tools/call", params)).await.json();
    let meta = &answer["result"]["_meta"]["tool-runtime/audit"]["meta"];
    let id = meta["evidence"]["snapshot_id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let read = send(&evidence_server.app, get(&format!("/evidence/{id}"))).await;
    assert_eq!((read.status, &read.json()["tool"]), (200, &json!("wage")), "{}", read.text);
}
