//! The OpenAPI document of a server.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tool_runtime::evidence::{EvidenceRequest, EvidenceVerdict, Vault};
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::ledger::{Ledger, MemoryLedger};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::{get, open, post, send};

/// How far a path leads.
#[ai_type]
struct Step {
    /// How many paces.
    #[arg(range(1..=100))]
    paces: u32,
    /// What comes after.
    #[arg(default)]
    then: Vec<Step>,
}

/// Leads a visitor along a path.
#[ai_tool(effect = "read", version = "1.2.0", category = "map")]
async fn lead_visitor(
    /// Where to begin.
    step: Step,
) -> Step {
    step
}

/// Opens a gate of the village.
#[ai_tool(effect = "write", version = "1.0.0", category = "gates")]
async fn open_gate(
    dry_run: &DryRun,
    /// Which.
    #[arg(length(1..=20))]
    gate: String,
) -> bool {
    !dry_run.is_active() && !gate.is_empty()
}

/// Counts the visitors of today.
#[ai_tool(effect = "read", version = "1.0.0", category = "upkeep", ai_callable = false)]
async fn count_visitors() -> u32 {
    0
}

fn runtime(ledger: Option<&Ledger>) -> Runtime {
    let builder = Runtime::builder()
        .tool::<LeadVisitorTool>()
        .tool::<CountVisitorsTool>()
        .tool::<OpenGateTool>();
    let builder = match ledger {
        Some(ledger) => builder.ledger(ledger),
        None => builder,
    };
    builder.build().unwrap()
}

fn ledger() -> Ledger {
    let ledger = Ledger::builder(KeyRing::ephemeral().unwrap());
    ledger.open(MemoryLedger::new(10)).unwrap()
}

async fn document(config: HttpConfig) -> Value {
    let app = http::router(runtime(None), config);
    let answer = send(&app, get("/openapi.json")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn scoped(scopes: &str) -> HttpConfig {
    let clerk = Principal::new("clerk").with_scopes(scopes.parse::<Scopes>().unwrap());
    HttpConfig::new(Auth::unauthenticated_as(clerk))
}

#[track_caller]
fn names(document: &Value) -> Vec<&str> {
    let mapping = &document["components"]["schemas"]["ToolCall"]["discriminator"]["mapping"];
    mapping.as_object().map(|it| it.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Every reference of the document.
fn references<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                found.push(reference);
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_document_is_what_it_was() {
    let ledger = ledger();
    let vault = Vault::new(MemoryStore::new(), KeyRing::ephemeral().unwrap());
    let vault = vault.with_authorizer(|_: &EvidenceRequest<'_>| EvidenceVerdict::Deny);
    let config = open().ledger(&ledger).vault(&vault);
    let app = http::router(runtime(Some(&ledger)), config);
    let mut document = send(&app, get("/openapi.json")).await.json();
    document["info"]["version"] = json!("0.0.0");
    let text = format!("{document:#}\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/openapi.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == kept,
        "the document differs from {}: look at it, then run UPDATE_GOLDEN=1 cargo test -p \
         tool-tests --test it http::openapi",
        file.display(),
    );
}

#[tokio::test]
async fn every_reference_in_the_document_resolves() {
    let document = document(open()).await;
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("it refers to itself");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[tokio::test]
async fn a_caller_reads_of_the_tools_that_it_may_call() {
    let all = document(open()).await;
    assert_eq!(names(&all), ["count_visitors", "lead_visitor", "open_gate"]);
    let some = document(scoped("category:map")).await;
    assert_eq!(names(&some), ["lead_visitor"]);
    assert!(!some.to_string().contains("count_visitors"));
    let none = document(scoped("approvals")).await;
    assert!(names(&none).is_empty());
    assert!(!none.to_string().contains("visitor"));
}

#[tokio::test]
async fn a_body_that_the_document_admits_is_taken() {
    let ledger = ledger();
    let app = http::router(runtime(Some(&ledger)), open().ledger(&ledger));
    let document = send(&app, get("/openapi.json")).await.json();
    let schema = |name: &str| {
        let mut root = json!({"$ref": format!("#/components/schemas/{name}")});
        root["components"] = document["components"].clone();
        jsonschema::draft202012::new(&root).unwrap()
    };
    let body = json!({
        "tool_name": "lead_visitor", "input": {"step": {"paces": 3, "then": [{"paces": 4}]}},
    });
    assert!(schema("LeadVisitorCall").is_valid(&body));
    let answer = send(&app, post("/tools/call", body.to_string())).await;
    assert!(schema("LeadVisitorAnswer").is_valid(&answer.json()), "{}", answer.text);
    for bad in [json!({"step": {"paces": 0}}), json!({"step": {"paces": 1, "then": [{}]}})] {
        let body = json!({"tool_name": "lead_visitor", "input": bad});
        assert!(!schema("LeadVisitorCall").is_valid(&body));
        let answer = send(&app, post("/tools/call", body.to_string())).await;
        assert_eq!(answer.status, 422);
        assert!(schema("CallFailure").is_valid(&answer.json()), "{}", answer.text);
    }
}

#[tokio::test]
async fn the_document_says_where_the_router_is_nested() {
    let app = axum::Router::new().nest("/api/v1", http::router(runtime(None), open()));
    let document = send(&app, get("/api/v1/openapi.json")).await.json();
    assert_eq!(document["servers"][0]["url"], "/api/v1");
}

#[tokio::test]
async fn a_server_without_a_ledger_offers_no_traces() {
    let document = document(open()).await;
    for path in ["/traces", "/traces/{id}"] {
        assert!(document["paths"].get(path).is_none(), "{path}");
    }
    assert!(document["paths"].get("/approvals/{ticket}").is_some());
}

/// Looks after the boats of the village.
#[derive(Debug)]
struct Boats;

/// Looks after the boats of the village.
#[ai_toolkit]
impl Boats {
    /// Counts the boats at the pier.
    #[ai_tool(effect = "read")]
    async fn count(&self) -> u32 {
        3
    }
}

#[tokio::test]
async fn a_call_of_a_toolkits_tool_is_described_with_the_toolkit() {
    let runtime = Runtime::builder().toolkit(Boats).tool::<LeadVisitorTool>().build().unwrap();
    let app = http::router(runtime, open());
    let document = send(&app, get("/openapi.json")).await.json();
    let schemas = &document["components"]["schemas"];
    let of_toolkit = "Counts the boats at the pier.\n\n\
        Toolkit `boats`: Looks after the boats of the village.";
    assert_eq!(schemas["BoatsCountCall"]["description"], of_toolkit);
    assert_eq!(schemas["BoatsCountAnswer"]["description"], "Counts the boats at the pier.");
    assert_eq!(schemas["LeadVisitorCall"]["description"], "Leads a visitor along a path.");
    assert!(schemas["ToolkitSpec"].is_object(), "a list may hold one");
}
