//! Calls by request envelopes: their findings, their records, their approval.

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::Router;
use serde_json::{Value, json};
use tool_runtime::contracts::envelope::{ResponseEnvelope, ResponseError};
use tool_runtime::contracts::{ActorType, ErrorCode, Evidence};
use tool_runtime::evidence::{EvidenceKeeper, Vault};
use tool_runtime::http;
use tool_runtime::ledger::{Ledger, RecordedCall};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;
use tool_runtime::trace::JsonLog;

use super::{Answer, get, open, post, send};
use crate::ledger::{ledger, recorded, ring};

#[derive(Debug, ToolFailure)]
enum OrderError {
    #[failure(OUT_OF_STOCK, message = "it is sold")]
    Sold,
}

impl std::fmt::Display for OrderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sold")
    }
}

impl std::error::Error for OrderError {}

/// Quotes an article.
#[ai_tool(effect = "read", evidence, ttl = "60s")]
async fn quote(
    meta: &MetaRecorder,
    /// Its number.
    sku: u32,
) -> Result<u32, OrderError> {
    meta.warning("the rate is two hours old");
    if sku == 0 { Err(OrderError::Sold) } else { Ok(sku * 10) }
}

/// Orders an article.
#[ai_tool(effect = "write")]
async fn order(
    ordered: &Arc<Mutex<Vec<u32>>>,
    dry_run: &DryRun,
    /// Its number.
    sku: u32,
) -> usize {
    let mut ordered = ordered.lock().unwrap();
    if !dry_run.is_active() {
        ordered.push(sku);
    }
    ordered.len()
}

#[derive(Debug, Clone, Default)]
struct LogText(Arc<Mutex<Vec<u8>>>);

impl Write for LogText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Shop {
    app: Router,
    ledger: Ledger,
    ordered: Arc<Mutex<Vec<u32>>>,
    log: JsonLog,
    text: LogText,
}

impl Shop {
    fn new() -> Self {
        let (ledger, text, ordered) = (ledger(), LogText::default(), Arc::default());
        let log = JsonLog::new(text.clone()).unwrap();
        let keeper = EvidenceKeeper::new(Vault::new(MemoryStore::new(), ring()), &ledger);
        let builder = Runtime::builder().tool::<QuoteTool>().tool::<OrderTool>();
        let builder = builder.state(Arc::clone(&ordered)).policy(Policy::new());
        let builder = builder.ledger(&ledger).evidence(keeper).observe(log.clone());
        let app = http::router(builder.build().unwrap(), open().ledger(&ledger));
        Self { app, ledger, ordered, log, text }
    }

    async fn call(&self, tool: &str, body: &Value) -> (Answer, ResponseEnvelope) {
        let mut request = post(&format!("/calls/{tool}"), body.to_string());
        request.headers_mut().remove("x-trace-id");
        let answer = send(&self.app, request).await;
        let read = serde_json::from_str(&answer.text).expect("the contract reads it");
        (answer, read)
    }

    async fn decide(&self, ticket: &str, decision: Value) -> Answer {
        let mut request = post(&format!("/approvals/{ticket}"), decision.to_string());
        request.headers_mut().insert("x-user-id", "boss".parse().unwrap());
        send(&self.app, request).await
    }

    /// Returns the one call on the ledger, and its line in the log.
    async fn recorded(&self) -> (RecordedCall, Value) {
        let mut records = recorded(&self.ledger).await;
        assert_eq!(records.len(), 1, "{records:?}");
        self.log.flush();
        let text = String::from_utf8(self.text.0.lock().unwrap().clone()).unwrap();
        (records.remove(0), serde_json::from_str(&text).unwrap())
    }
}

fn envelope(input: &Value) -> Value {
    json!({
        "request_id": "2f1a6c7e-58d0-4b7f-9f0e-0f3c8f0a7b11",
        "actor": {"type": "agent", "id": "planner-2"},
        "user_id": "jane",
        "session_id": "s_12",
        "idempotency_key": "cart-77-1",
        "trace": {"span_id": "span-b", "parent_span_id": "span-a"},
        "input": input,
    })
}

fn ticket(answer: &Answer) -> String {
    answer.json()["error"]["details"]["ticket"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_answer_in_an_envelope_has_its_findings_and_is_recorded_under_the_envelopes_ids() {
    let shop = Shop::new();
    let (answer, read) = shop.call("quote", &envelope(&json!({"sku": 7}))).await;
    assert_eq!((answer.status, read.data().map(|data| data.get())), (200, Some("70")));
    assert_eq!((read.warnings().len(), read.ttl_seconds()), (1, Some(60)));
    let (record, line) = shop.recorded().await;
    assert_eq!(record.evidence.as_deref(), read.evidence().map(Evidence::snapshot_id));
    assert!(record.evidence.is_some());
    let id = "2f1a6c7e-58d0-4b7f-9f0e-0f3c8f0a7b11";
    assert_eq!((record.request_id.as_deref(), &*record.trace_id), (Some(id), id));
    assert_eq!(record.tenant_slug.as_deref(), Some("yantian"));
    let principal = &record.principal;
    assert_eq!(
        (principal.user_id.as_deref(), principal.session_id.as_deref()),
        (Some("jane"), Some("s_12"))
    );
    assert_eq!(principal.actor_type, Some(ActorType::Agent));
    assert_eq!(principal.actor_id.as_deref(), Some("network:laptop"), "the one that is proven");
    assert_eq!((&line["trace_id"], &line["tool_name"]), (&id.into(), &"quote".into()));
}

#[tokio::test]
async fn a_failure_in_an_envelope_has_its_warnings_and_its_evidence() {
    let shop = Shop::new();
    let (answer, read) = shop.call("quote", &envelope(&json!({"sku": 0}))).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert_eq!(read.error().map(ResponseError::code), Some(ErrorCode::OutOfStock));
    assert_eq!(read.warnings(), ["the rate is two hours old"]);
    let (record, _) = shop.recorded().await;
    assert!(record.evidence.is_some());
    assert_eq!(record.evidence.as_deref(), read.evidence().map(Evidence::snapshot_id));
}

#[tokio::test]
async fn an_envelope_that_is_sent_again_after_its_approval_gets_the_answer() {
    let shop = Shop::new();
    let body = envelope(&json!({"sku": 7}));
    let (waits, read) = shop.call("order", &body).await;
    assert_eq!(waits.status, 409, "{}", waits.text);
    assert_eq!(read.error().map(ResponseError::code), Some(ErrorCode::NeedsUserConfirmation));
    let approved = shop.decide(&ticket(&waits), json!({"decision": "approve"})).await;
    let body_of_approver = approved.json();
    assert_eq!(
        (approved.status, &body_of_approver["output"]),
        (200, &1.into()),
        "{}",
        approved.text
    );
    assert_eq!(body_of_approver["audit"]["tool_name"], "order", "an approver reads a CallResponse");
    let (answer, read) = shop.call("order", &body).await;
    assert_eq!((answer.status, read.data().map(|data| data.get())), (200, Some("1")));
    assert_eq!(answer.json()["meta"]["replayed"], true);
    assert_eq!(*shop.ordered.lock().unwrap(), [7]);
}

#[tokio::test]
async fn an_envelope_that_is_sent_again_after_a_refusal_waits_again() {
    let shop = Shop::new();
    let body = envelope(&json!({"sku": 7}));
    let (waits, _) = shop.call("order", &body).await;
    let declined = shop.decide(&ticket(&waits), json!({"decision": "decline"})).await;
    assert_eq!(declined.status, 200, "{}", declined.text);
    let (again, _) = shop.call("order", &body).await;
    assert_eq!(again.status, 409);
    assert_ne!(ticket(&again), ticket(&waits));
    assert!(shop.ordered.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_document_admits_the_envelopes_that_are_taken_and_answered() {
    let shop = Shop::new();
    let document = send(&shop.app, get("/openapi.json")).await.json();
    let schema = |name: &str| {
        let mut root = json!({"$ref": format!("#/components/schemas/{name}")});
        root["components"] = document["components"].clone();
        jsonschema::draft202012::new(&root).unwrap()
    };
    let operation = &document["paths"]["/calls/{tool}"]["post"];
    let tool = operation["parameters"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&tool["name"], &tool["schema"]["enum"]),
        (&json!("tool"), &json!(["order", "quote"]))
    );
    for (tool, sku, status, response) in [
        ("quote", json!(7), 200, "EnvelopeSuccess"),
        ("quote", json!(0), 409, "EnvelopeFailure"),
        ("quote", json!("x"), 422, "EnvelopeFailure"),
        ("order", json!(7), 409, "EnvelopeFailure"),
        ("none", json!(7), 404, "EnvelopeFailure"),
    ] {
        let body = envelope(&json!({"sku": sku}));
        assert!(schema("CallEnvelope").is_valid(&body));
        let (answer, _) = shop.call(tool, &body).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert!(schema(response).is_valid(&answer.json()), "{}", answer.text);
        assert!(operation["responses"].get(status.to_string()).is_some(), "{status}");
    }
}
