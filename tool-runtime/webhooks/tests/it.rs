//! Webhooks to a server on this machine: what is sent, when it is sent again, and what is refused.

use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tool_runtime::budgets::Budget;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::policy::{EventType, KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{DeadReason, MemoryStore, UnixMillis};
use tool_runtime::testing::ManualClock;
use tool_runtime::webhooks::{WebhookReceiver, WebhookSender, Webhooks};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/// Pays an amount.
#[ai_tool(effect = "write")]
fn pay(
    dry_run: &DryRun,
    /// The amount in euros.
    amount: u32,
    /// The payee's name.
    #[arg(pii)]
    payee: String,
    /// The PIN of the card.
    #[arg(secret)]
    pin: String,
) -> u32 {
    let _ = (dry_run, payee, pin);
    amount
}

/// Orders from a seller that does not answer.
#[ai_tool(effect = "write", cost = "8.00 EUR")]
fn order(dry_run: &DryRun) -> Result<u32, Failure> {
    let _ = dry_run;
    Err(Failure::from_code(ErrorCode::Timeout).with_effect_unknown())
}

const ARGUMENTS: &str = r#"{"amount": 40, "payee": "Ada Lovelace", "pin": "7319"}"#;

/// A request that the receiver got.
#[derive(Debug)]
struct Received {
    headers: HeaderMap,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("ASCII")
    }

    fn event(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// The answers of the receiver, in their order; then 204.
type Answers = Arc<Mutex<VecDeque<Response>>>;

/// A server that receives webhooks, on this machine.
struct Receiver {
    url: String,
    requests: mpsc::UnboundedReceiver<Received>,
    answers: Answers,
    server: JoinHandle<()>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hooks", listener.local_addr().expect("an address"));
        let (sender, requests) = mpsc::unbounded_channel();
        let answers = Answers::default();
        let app =
            Router::new().route("/hooks", post(receive)).with_state((sender, answers.clone()));
        let server =
            tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        Self { url, requests, answers, server }
    }

    fn answer(&self, answers: impl IntoIterator<Item = Response>) {
        self.answers.lock().expect("no panic").extend(answers);
    }

    async fn next(&mut self) -> Received {
        self.requests.recv().await.expect("the server runs")
    }

    /// A receiver that retries twice, at once.
    fn configured(&self) -> WebhookReceiver {
        WebhookReceiver::new("ops", &*self.url, SECRET)
            .allow_private_addresses()
            .retry_delays([Duration::ZERO, Duration::ZERO])
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(
    State((requests, answers)): State<(mpsc::UnboundedSender<Received>, Answers)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = String::from_utf8(body.to_vec()).expect("UTF-8");
    requests.send(Received { headers, body }).expect("the test runs");
    let answer = answers.lock().expect("no panic").pop_front();
    answer.unwrap_or_else(|| StatusCode::NO_CONTENT.into_response())
}

fn status(code: u16) -> Response {
    StatusCode::from_u16(code).expect("a status").into_response()
}

struct Host {
    runtime: Runtime,
    cx: ToolContext,
    clock: ManualClock,
    sender: WebhookSender,
}

fn host(receiver: WebhookReceiver) -> Host {
    let webhooks = Webhooks::new([receiver]).expect("valid settings");
    let clock = ManualClock::at(UnixMillis::new(1_800_000_000_000));
    let policy = Policy::new()
        .clock(clock.clone())
        .ticket_keys(KeyRing::ephemeral().expect("random bytes"))
        .budget(Budget::new("orders").per_day("20 EUR").tools(["order"]))
        .event_receivers(webhooks.receivers());
    let runtime = Runtime::builder()
        .tool::<PayTool>()
        .tool::<OrderTool>()
        .permission("order", Permission::Allow)
        .policy(policy)
        .store(MemoryStore::new())
        .build()
        .expect("it builds");
    let sender = webhooks.start(&runtime);
    Host { runtime, cx: ToolContext::local(), clock, sender }
}

impl Host {
    /// Makes a call that waits; returns its ticket.
    async fn wait(&self) -> String {
        let mut call = self.runtime.call("pay", ARGUMENTS, &self.cx);
        call.ticket().await.expect("a ticket").to_json()
    }
}

fn ticket_id(ticket: &str) -> String {
    let ticket: Value = serde_json::from_str(ticket).expect("JSON");
    ticket["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn a_waiting_call_is_requested_and_its_decision_reported() {
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().with_console("https://tools.example/console/"));
    let ticket = host.wait().await;
    let requested = receiver.next().await.event();
    let data = &requested["data"];
    let id = ticket_id(&ticket);
    assert_eq!(requested["type"], "approval.requested");
    assert_eq!(requested["timestamp"], "2027-01-15T08:00:00.000Z");
    assert_eq!((&data["ticket_id"], &data["tool"]), (&Value::from(&*id), &Value::from("pay")));
    assert_eq!(data["expires_at"], "2027-01-16T08:00:00.000Z");
    assert_eq!(data["url"], format!("https://tools.example/console/approvals/{id}"));
    assert_eq!(data.get("arguments"), None, "arguments are sent only if the host asks for them");

    let mut call = host.runtime.tickets().resume(&ticket, &host.cx).await;
    let edited = r#"{"amount": 20, "payee": "Ada Lovelace", "pin": "***"}"#;
    call.approve_edited("boss", edited).expect("it is approved");
    assert!(call.execute().await.is_ok());
    let decided = receiver.next().await.event();
    assert_eq!(decided["type"], "approval.decided");
    let data = &decided["data"];
    assert_eq!((&data["ticket_id"], &data["decision"]), (&Value::from(id), &"approved".into()));
    assert_eq!((&data["decided_by"], &data["edited"]), (&"boss".into(), &true.into()));
    host.sender.shutdown().await;
}

#[tokio::test]
async fn a_declined_and_a_superseded_call_are_reported() {
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().events([EventType::ApprovalDecided]));
    let ticket = host.wait().await;
    let mut call = host.runtime.tickets().resume(&ticket, &host.cx).await;
    call.decline("boss", "too much").expect("it is declined");
    call.execute().await;
    let declined = receiver.next().await.event();
    assert_eq!(
        (&declined["data"]["decision"], &declined["data"]["decided_by"]),
        (&"declined".into(), &"boss".into())
    );
    assert!(!declined.to_string().contains("too much"), "the model alone reads the feedback");

    let ticket = host.wait().await;
    host.runtime.tickets().supersede(&host.cx).await.expect("the store works");
    let superseded = receiver.next().await.event();
    assert_eq!(superseded["data"]["ticket_id"], ticket_id(&ticket));
    assert_eq!(
        (&superseded["data"]["decision"], superseded["data"].get("decided_by")),
        (&"superseded".into(), None)
    );
}

#[tokio::test]
async fn a_call_that_nobody_decides_expires_once() {
    let mut receiver = Receiver::start().await;
    let host = host(
        receiver.configured().events([EventType::ApprovalExpired, EventType::ApprovalDecided]),
    );
    let ticket = host.wait().await;
    host.clock.advance(Duration::from_secs(24 * 60 * 60));
    let expired = receiver.next().await.event();
    assert_eq!(
        (&expired["type"], &expired["data"]["ticket_id"]),
        (&"approval.expired".into(), &ticket_id(&ticket).into())
    );
    assert_eq!(expired["timestamp"], "2027-01-16T08:00:00.000Z");
    let mut call = host.runtime.tickets().resume(&ticket, &host.cx).await;
    assert!(call.approve("boss").is_err(), "an expired call is not approved");
    host.sender.shutdown().await;
    assert!(receiver.requests.try_recv().is_err(), "one end has one event");
}

#[tokio::test]
async fn an_unknown_outcome_and_a_budget_that_is_nearly_used_are_announced() {
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().with_console("https://tools.example/console"));
    let order = async |key: &str| {
        let cx =
            ToolContext::builder(host.cx.tenant_id(), "trace-1").run_id("run-1").user_id("jane");
        let cx = cx.idempotency_key(key).build().expect("a context");
        host.runtime.call("order", "{}", &cx).execute().await.clone()
    };
    order("first").await;
    let unknown = receiver.next().await.event();
    let records = host.runtime.outcomes().unknown(host.cx.tenant_id(), None, 9).await;
    let id = records.expect("a list")[0].fence.get();
    assert_eq!(unknown["type"], "outcome.unknown");
    let data = &unknown["data"];
    assert_eq!((&data["outcome_id"], &data["tool"]), (&id.into(), &"order".into()));
    assert_eq!(data["url"], format!("https://tools.example/console/outcomes/{id}"));
    // A repeat is told so, and is no news.
    order("first").await;

    order("second").await;
    let mut events = [receiver.next().await.event(), receiver.next().await.event()];
    events.sort_by_key(|event| event["type"].to_string());
    assert_eq!(
        (&events[0]["type"], &events[1]["type"]),
        (&"budget.low".into(), &"outcome.unknown".into())
    );
    let expected = serde_json::json!({
        "tenant_id": host.cx.tenant_id(), "budget": "orders", "limit": "day", "scope": "tenant", "unit": "EUR",
        "used": "16.00", "total": "20.00", "percent": 80,
    });
    assert_eq!(events[0]["data"], expected);
    host.sender.shutdown().await;
    assert!(receiver.requests.try_recv().is_err(), "each is announced once");
}

#[tokio::test]
async fn arguments_are_masked() {
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().with_arguments());
    host.wait().await;
    let requested = receiver.next().await;
    let expected = serde_json::json!({"amount": 40, "payee": "***", "pin": "***"});
    assert_eq!(requested.event()["data"]["arguments"], expected);
    assert!(!requested.body.contains("Lovelace") && !requested.body.contains("7319"));
}

#[tokio::test]
async fn each_secret_signs_the_request() {
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().old_secret(OLD_SECRET));
    host.wait().await;
    let request = receiver.next().await;
    let signatures: Vec<_> = request.header("webhook-signature").split(' ').collect();
    assert!(signatures.len() == 2 && signatures[0] != signatures[1], "{signatures:?}");
    assert!(signatures.iter().all(|signature| signature.starts_with("v1,")), "{signatures:?}");
    assert_eq!(request.header("content-type"), "application/json");
    assert!(request.header("webhook-timestamp").parse::<u64>().is_ok());
    drop(host.sender);
}

/// Has the library of Standard Webhooks verify a request; returns the type of the event, or the error.
fn verified(modules: &OsStr, secret: &str, request: &Received, body: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/webhooks/verify.mjs");
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: BTreeMap<_, _> = headers.map(|name| (name, request.header(name))).into();
    let input = serde_json::json!({"secret": secret, "headers": headers, "body": body});
    let mut node = Command::new("node")
        .arg(script)
        .arg(modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let pipe = node.stdin.take().expect("it has a pipe");
    serde_json::to_writer(pipe, &input).expect("it reads");
    let output = node.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

#[tokio::test]
async fn standard_webhooks_verifies_the_requests() {
    // `tests/webhooks/run` sets it.
    let Some(modules) = env::var_os("WEBHOOK_MODULES") else { return };
    let mut receiver = Receiver::start().await;
    let host = host(receiver.configured().old_secret(OLD_SECRET).with_arguments());
    host.wait().await;
    let request = receiver.next().await;
    for secret in [SECRET, OLD_SECRET] {
        let verified = verified(&modules, secret, &request, &request.body);
        assert_eq!(verified, "approval.requested");
    }
    let altered = request.body.replace("40", "41");
    assert!(verified(&modules, SECRET, &request, &altered).contains("No matching signature"));
    let foreign = "whsec_YW5vdGhlciBzZWNyZXQgb2YgYW5vdGhlciByZWNlaXZlcg==";
    assert!(verified(&modules, foreign, &request, &request.body).contains("No matching signature"));
}

#[tokio::test]
async fn a_failed_event_is_sent_again_under_the_same_id_until_its_last_attempt() {
    let mut receiver = Receiver::start().await;
    // A redirect is a failure: it would lead past the check of the address.
    receiver.answer([status(500), Redirect::temporary("/elsewhere").into_response(), status(404)]);
    let host = host(receiver.configured().events([EventType::ApprovalRequested]));
    host.wait().await;
    let requests = [receiver.next().await, receiver.next().await, receiver.next().await];
    let ids = requests.each_ref().map(|request| request.header("webhook-id"));
    assert!(ids[0] == ids[1] && ids[1] == ids[2], "{ids:?}");
    assert!(requests.iter().all(|request| request.body == requests[0].body));
    host.sender.shutdown().await;

    let events = host.runtime.events();
    let undelivered = events.undelivered("ops", None, 10).await.expect("the store works");
    assert_eq!(undelivered.len(), 1);
    assert_eq!((undelivered[0].id.to_string().as_str(), undelivered[0].failures), (ids[0], 2));
    assert_eq!(undelivered[0].reason, DeadReason::AttemptsExhausted);
    assert_eq!(undelivered[0].body.as_deref(), Some(&*requests[0].body));
    assert!(events.redeliver("ops", undelivered[0].id).await.expect("the store works"));
    let again = events.lease("ops", Duration::from_secs(1), 10).await.expect("the store works");
    assert_eq!((again.len(), again[0].failures), (1, 0), "it has all its attempts again");
}

#[tokio::test]
async fn a_receiver_that_is_gone_gets_an_event_once() {
    let mut receiver = Receiver::start().await;
    receiver.answer([status(410)]);
    let host = host(receiver.configured().events([EventType::ApprovalRequested]));
    host.wait().await;
    receiver.next().await;
    host.sender.shutdown().await;
    let undelivered = host.runtime.events().undelivered("ops", None, 10).await;
    let reasons =
        undelivered.expect("the store works").iter().map(|event| event.reason).collect::<Vec<_>>();
    assert_eq!(reasons, [DeadReason::Gone]);
}

#[tokio::test]
async fn a_receiver_may_delay_the_next_attempt() {
    let mut receiver = Receiver::start().await;
    receiver.answer([(StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "60")]).into_response()]);
    let host = host(receiver.configured().events([EventType::ApprovalRequested]));
    host.wait().await;
    receiver.next().await;
    host.sender.shutdown().await;
    let lease = async || {
        let leased = host.runtime.events().lease("ops", Duration::from_secs(1), 10).await;
        leased.expect("the store works").len()
    };
    host.clock.advance(Duration::from_secs(59));
    assert_eq!(lease().await, 0);
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(lease().await, 1);
}

#[test]
fn settings_that_are_not_safe_are_refused() {
    let fault = |url: &str, secret: &str| {
        let webhooks = Webhooks::new([WebhookReceiver::new("ops", url, secret)]);
        webhooks.expect_err("it is refused").to_string()
    };
    for (url, expected) in [
        ("ops.example", "not one with `https`"),
        ("ftp://ops.example/", "not one with `https`"),
        ("http://ops.example/", "no TLS"),
        ("https://key:secret@ops.example/", "credentials"),
        ("https://127.0.0.1/", "private address"),
        ("https://[::1]/", "private address"),
        ("https://[fd00::1]/", "private address"),
        ("https://169.254.169.254/", "private address"),
        ("https://localhost/", "private address"),
        ("http://localhost/", "private address"),
    ] {
        let fault = fault(url, SECRET);
        assert!(fault.contains(expected) && !fault.contains("secret@"), "{url}: {fault}");
    }
    let both = fault("https://10.0.0.1/", "hunter2");
    assert!(both.contains("private address") && both.contains("`whsec_`"), "{both}");
    assert!(!both.contains("hunter2"), "{both}");
    let endless = WebhookReceiver::new("ops", "https://ops.example/", SECRET);
    let endless = endless.retry_delays(std::iter::repeat(Duration::MAX));
    let fault = Webhooks::new([endless]).expect_err("it is refused").to_string();
    assert!(fault.contains("`retry_delays`"), "{fault}");
}

#[test]
fn neither_secrets_nor_urls_are_shown() {
    let url = "https://ops.example/services/T01/planted";
    let receiver = WebhookReceiver::new("ops", url, SECRET).old_secret(OLD_SECRET);
    let debug_text = format!("{receiver:?} {:?}", Webhooks::new([receiver.clone()]));
    for planted in ["planted", &SECRET[6..], &OLD_SECRET[6..]] {
        assert!(!debug_text.contains(planted), "{debug_text}");
    }
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_not_connected_to() {
    let mut receiver = Receiver::start().await;
    // The check of the URL knows no other name of this machine, so the name of a host is checked when it is resolved.
    let port =
        receiver.url.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port");
    let url = format!("https://localhost.:{port}/hooks");
    let configured = WebhookReceiver::new("ops", url, SECRET).retry_delays([]);
    let host = host(configured.events([EventType::ApprovalRequested]));
    host.wait().await;
    let undelivered = async || {
        let undelivered_events = host.runtime.events().undelivered("ops", None, 10).await;
        undelivered_events.expect("the store works").len()
    };
    while undelivered().await == 0 {
        tokio::task::yield_now().await;
    }
    assert!(receiver.requests.try_recv().is_err(), "no request was sent");
}
