use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method, Request};
use serde_json::{Value, json};
use tool_contracts::envelope::{ResponseEnvelope, ResponseError};
use tool_contracts::{Effect, ErrorCode, Permission};
use tool_runtime_core::policy::{Policy, RateLimit};
use tool_runtime_core::{CallScope, DynamicTool, Failure, Runtime};

use crate::router;
use crate::tests::fixture::{Answer, ToolGate, anonymous, open, post, scoped, send};
use crate::{HttpConfig, RateLimits};

fn envelope(input: &Value) -> Value {
    json!({
        "request_id": "req-1",
        "actor": {"type": "agent", "id": "planner"},
        "idempotency_key": "key-1",
        "client": {"app": "web", "version": "1"},
        "input": input,
    })
}

fn request(tool: &str, body: &Value) -> Request<Body> {
    let mut request = post(&format!("/calls/{tool}"), body.to_string());
    request.headers_mut().remove("x-trace-id");
    request
}

fn with(mut request: Request<Body>, name: HeaderName, value: &'static str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_static(value));
    request
}

async fn answered(app: &Router, request: Request<Body>) -> (Answer, ResponseEnvelope) {
    let answer = send(app, request).await;
    let read = serde_json::from_str(&answer.text).expect("the contract reads it");
    (answer, read)
}

async fn called(app: &Router, tool: &str, input: Value) -> (Answer, ResponseEnvelope) {
    answered(app, request(tool, &envelope(&input))).await
}

#[track_caller]
fn check_refused((answer, read): &(Answer, ResponseEnvelope), status: u16, code: ErrorCode) {
    let error = read.error().map(ResponseError::code);
    assert_eq!((answer.status, error), (status, Some(code)), "{}", answer.text);
    assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
}

#[track_caller]
fn message((answer, read): &(Answer, ResponseEnvelope)) -> &str {
    read.error().unwrap_or_else(|| panic!("no error: {}", answer.text)).message()
}

#[tokio::test]
async fn an_envelope_is_answered_with_an_envelope() {
    let app = ToolGate::new().app(open());
    let (answer, read) = called(&app, "add", json!({"a": 41})).await;
    assert_eq!((answer.status, read.data().map(|data| data.get())), (200, Some("42")));
    assert_eq!(read.ttl_seconds(), Some(60));
    assert_eq!(answer.headers["cache-control"], "no-store");
    let encoded = called(&app, "%61dd", json!({})).await;
    assert_eq!(encoded.0.status, 200, "{}", encoded.0.text);
}

#[tokio::test]
async fn null_is_taken_for_every_key_that_is_not_set() {
    let app = ToolGate::new().app(open());
    let mut body = envelope(&Value::Null);
    for key in ["user_id", "session_id", "locale", "currency", "timezone", "client", "dry_run"] {
        body[key] = Value::Null;
    }
    body["idempotency_key"] = Value::Null;
    body["trace"] = Value::Null;
    let (answer, read) = answered(&app, request("add", &body)).await;
    assert_eq!(read.data().map(|data| data.get()), Some("1"), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn each_failure_of_a_call_is_an_envelope_under_its_status() {
    let app = ToolGate::new().app(open());
    check_refused(&called(&app, "nothing", json!({})).await, 404, ErrorCode::NotFound);
    let unfit = called(&app, "add", json!({"a": "x"})).await;
    check_refused(&unfit, 422, ErrorCode::InvalidArgument);
    assert_eq!(unfit.0.json()["error"]["details"]["violations"][0]["pointer"], "/a");
    let panicked = called(&app, "panics", json!({})).await;
    assert_eq!(panicked.0.json()["meta"]["attempts"], 1, "the meta is the call's own");
    check_refused(&called(&app, "forbidden", json!({})).await, 403, ErrorCode::Forbidden);
    check_refused(&called(&app, "panics", json!({})).await, 500, ErrorCode::Internal);
    for (code, status) in [
        (ErrorCode::Conflict, 409),
        (ErrorCode::UpstreamError, 502),
        (ErrorCode::Timeout, 504),
        (ErrorCode::PriceChanged, 409),
        (ErrorCode::ComplianceBlocked, 403),
    ] {
        let failed = called(&app, "fail", json!({"code": code.as_str()})).await;
        check_refused(&failed, status, code);
    }
    let limited = called(&app, "fail", json!({"code": "RATE_LIMITED"})).await;
    check_refused(&limited, 429, ErrorCode::RateLimited);
    assert_eq!(limited.0.headers[RETRY_AFTER], "2");
}

#[tokio::test]
async fn each_refusal_of_a_request_is_an_envelope_under_its_status() {
    let small = HttpConfig::max_body_bytes(open(), 300);
    let app = ToolGate::new().app(small);
    let whole = || request("add", &envelope(&json!({})));
    let broken = answered(&app, post("/calls/add", r#"{"request_id":"#)).await;
    check_refused(&broken, 400, ErrorCode::InvalidArgument);
    assert_eq!(broken.0.json()["error"]["details"]["position"], 14);
    let no_actor = answered(&app, post("/calls/add", r#"{"request_id":"r"}"#)).await;
    check_refused(&no_actor, 422, ErrorCode::InvalidArgument);
    assert!(message(&no_actor).contains("`actor`"));
    let long = called(&app, "add", json!({"code": "x".repeat(300)})).await;
    check_refused(&long, 413, ErrorCode::InvalidArgument);
    let text = answered(&app, with(whole(), CONTENT_TYPE, "text/plain")).await;
    check_refused(&text, 415, ErrorCode::InvalidArgument);
    let events = answered(&app, with(whole(), ACCEPT, "text/event-stream")).await;
    check_refused(&events, 406, ErrorCode::InvalidArgument);
    assert_eq!(message(&events), "accept: expected `application/json` among the types");
    let name = answered(&app, post("/calls/%ff", envelope(&json!({})).to_string())).await;
    check_refused(&name, 400, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn a_method_that_the_path_does_not_take_is_refused_with_an_envelope() {
    let app = ToolGate::new().app(open());
    let mut get = request("add", &json!({}));
    *get.method_mut() = Method::GET;
    let refused = answered(&app, get).await;
    check_refused(&refused, 405, ErrorCode::InvalidArgument);
    assert_eq!(refused.0.headers[ALLOW], "POST");
    assert_eq!(refused.0.json()["error"]["details"]["allowed"], json!(["POST"]));
}

#[tokio::test]
async fn a_caller_that_may_not_call_the_tool_is_refused_with_an_envelope() {
    let other = ToolGate::new().app(scoped("tools:wait"));
    check_refused(&called(&other, "add", json!({})).await, 403, ErrorCode::Forbidden);
    let strangers = ToolGate::new().app(anonymous());
    let stranger = called(&strangers, "guess", json!({})).await;
    check_refused(&stranger, 401, ErrorCode::Unauthorized);
    assert!(message(&stranger).contains("a request envelope names an actor"));
}

#[tokio::test]
async fn a_caller_above_its_rate_is_refused_with_an_envelope() {
    let limit = RateLimit::per_minute(1).expect("a rate");
    let app = ToolGate::new().app(open().rates(RateLimits::new().calls(limit)));
    assert_eq!(called(&app, "add", json!({})).await.0.status, 200);
    let limited = called(&app, "add", json!({})).await;
    check_refused(&limited, 429, ErrorCode::RateLimited);
    assert_eq!(limited.0.headers[RETRY_AFTER], "60");
}

#[tokio::test]
async fn headers_give_what_an_envelope_has_no_field_for_and_may_not_contradict_it() {
    let app = ToolGate::new().app(open());
    let mut nameless = request("add", &envelope(&json!({})));
    nameless.headers_mut().remove("x-tenant-id");
    nameless.headers_mut().remove("x-site-id");
    let nameless = answered(&app, nameless).await;
    check_refused(&nameless, 400, ErrorCode::InvalidArgument);
    let problems = &nameless.0.json()["error"]["details"]["problems"];
    assert_eq!(problems[0]["places"], json!(["X-Tenant-ID"]));
    assert_eq!(problems[1]["places"], json!(["X-Site-ID"]));

    let mut body = envelope(&json!({}));
    body["trace"] = json!({"span_id": "span-a"});
    let mut contrary = request("add", &body);
    for name in ["x-span-id", "idempotency-key", "x-actor-type"] {
        let value = HeaderValue::from_static("user");
        contrary.headers_mut().insert(HeaderName::from_static(name), value);
    }
    let contrary = answered(&app, contrary).await;
    check_refused(&contrary, 400, ErrorCode::InvalidArgument);
    let problems = contrary.0.json()["error"]["details"]["problems"].clone();
    let places: Vec<&Value> =
        problems.as_array().expect("a list").iter().map(|it| &it["places"][1]).collect();
    assert_eq!(places, ["trace.span_id", "idempotency_key", "actor.type"]);
}

#[tokio::test]
async fn an_id_that_is_longer_than_a_server_takes_is_named_by_the_envelopes_field() {
    let app = ToolGate::new().app(open());
    let mut body = envelope(&json!({}));
    body["request_id"] = "x".repeat(257).into();
    body["trace"] = json!({"span_id": "x".repeat(257)});
    let refused = answered(&app, request("add", &body)).await;
    check_refused(&refused, 422, ErrorCode::InvalidArgument);
    let message = message(&refused);
    assert!(message.contains("`request_id`: ") && message.contains("`trace.span_id`: "));
    assert!(!message.contains("`trace_id`"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlasts_its_request_is_answered_with_an_envelope() {
    let app = ToolGate::new().app(open().request_timeout(Duration::from_secs(3)));
    let late = called(&app, "save", json!({})).await;
    check_refused(&late, 504, ErrorCode::Timeout);
    assert_eq!(late.0.json()["error"]["details"]["effect"], "unknown");
}

#[tokio::test]
async fn an_envelope_that_is_repeated_under_its_key_gets_the_first_answer() {
    let save = DynamicTool::new("save", Effect::Write)
        .description("Saves.")
        .input_schema(json!({"type": "object"}))
        .handles_dry_run()
        .sync_handler(|call: &CallScope| {
            let cx = call.cx();
            Ok::<_, Failure>(json!([
                cx.invocation_id(),
                cx.trace_id(),
                cx.request_id(),
                cx.attributes().get("actor_id"),
                cx.client().map(|it| it.version().to_owned()),
            ]))
        });
    let builder = Runtime::builder().dynamic(save).permission("save", Permission::Allow);
    let app = router(builder.policy(Policy::new()).build().expect("a runtime"), open());
    let (_, first) = called(&app, "save", json!({})).await;
    let (_, again) = called(&app, "save", json!({})).await;
    let data = first.data().expect("it was saved").get();
    assert_eq!(again.data().map(|data| data.get()), Some(data));
    assert!(data.ends_with(r#""req-1","req-1","planner","1"]"#), "{data}");
    let replayed: Value = serde_json::to_value(&again).expect("JSON");
    assert_eq!(replayed["meta"]["replayed"], true);
    let other = called(&app, "save", json!({"a": 2})).await;
    check_refused(&other, 422, ErrorCode::InvalidArgument);
}
