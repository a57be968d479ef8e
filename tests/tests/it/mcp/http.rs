//! The protocol over streamable HTTP: callers, tenants, scopes, sessions, headers, refusals.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, RateLimits, Scopes, Users,
};
use tool_runtime::mcp;
use tool_runtime::policy::RateLimit;
use tool_runtime::prelude::*;

use super::shop::{self, Orders};
use super::{STATELESS, WITH_SESSIONS};
use crate::http::{Answer, open, send};

const TENANT: Uuid = Uuid::from_u128(7);

fn app(config: HttpConfig) -> Router {
    mcp::router(shop::runtime(&Orders::default()), config.mcp(shop::config().sessions(true)))
}

/// A request of the revision without sessions.
pub(crate) fn stateless(method: &str, mut params: Value) -> Request<Body> {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = STATELESS.into();
    if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
    let name = ["name", "taskId", "uri"].iter().find_map(|member| params[member].as_str());
    let name = name.unwrap_or_default().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request =
        message(&body).header("mcp-protocol-version", STATELESS).header("mcp-method", method);
    let request = if name.is_empty() { request } else { request.header("mcp-name", name) };
    request.body(body.to_string().into()).unwrap()
}

/// A request of a revision with sessions.
pub(super) fn with_session(method: &str, params: &Value, session: Option<&str>) -> Request<Body> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut request = message(&body).header("mcp-protocol-version", WITH_SESSIONS);
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    request.body(body.to_string().into()).unwrap()
}

fn message(_: &Value) -> axum::http::request::Builder {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

pub(super) fn opening() -> Value {
    json!({
        "protocolVersion": WITH_SESSIONS, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

/// The message of an answer that is JSON or a stream of events.
fn message_of(answer: &Answer) -> Value {
    if answer.header("content-type").starts_with("application/json") {
        return answer.json();
    }
    let mut data = answer.text.lines().filter_map(|line| line.strip_prefix("data: "));
    let data = data.rfind(|data| !data.is_empty()).unwrap_or_else(|| panic!("{answer:?}"));
    serde_json::from_str(data).unwrap()
}

fn greeting() -> Value {
    json!({"name": "greet", "arguments": {"name": "Jo"}})
}

/// Keys of two services: one of a single tenant, one that may call one tool.
fn two_services() -> (HttpConfig, String, String) {
    let (one, two) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
    let shopper = Principal::new("shopper")
        .for_tenants([TENANT])
        .with_scopes("tools".parse::<Scopes>().unwrap());
    let greeter = Principal::new("greeter")
        .for_tenants([TENANT])
        .with_scopes("tools:greet".parse::<Scopes>().unwrap());
    let keys =
        ApiKeySet::new().with(one.hash(), shopper).unwrap().with(two.hash(), greeter).unwrap();
    let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(keys)));
    (config, one.expose().to_owned(), two.expose().to_owned())
}

pub(super) fn keyed(mut request: Request<Body>, key: &str) -> Request<Body> {
    request.headers_mut().insert("x-internal-api-key", key.parse().unwrap());
    request
}

#[tokio::test]
async fn both_families_of_revisions_are_served_at_one_path() {
    let app = app(open().without_tenants());
    let answer = send(&app, stateless("tools/call", greeting())).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json()["result"]["content"][0]["text"], "Hello, Jo!");

    let opened = send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let session = opened.header("mcp-session-id");
    assert!(!session.is_empty());
    let answer = send(&app, with_session("tools/call", &greeting(), Some(session))).await;
    assert_eq!(message_of(&answer)["result"]["content"][0]["text"], "Hello, Jo!", "{answer:?}");
}

#[tokio::test]
async fn a_server_without_sessions_serves_older_clients_request_by_request() {
    let config = open().without_tenants().mcp(shop::config());
    let app = mcp::router(shop::runtime(&Orders::default()), config);
    let opened = send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!((opened.status, opened.header("mcp-session-id")), (200, ""));
    let answer = send(&app, with_session("tools/call", &greeting(), None)).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "Hello, Jo!");
    let listening =
        Request::get("/mcp").header("host", "localhost").header("accept", "text/event-stream");
    let listening = send(&app, listening.body(Body::empty()).unwrap()).await;
    assert_eq!(listening.status, 405);
}

#[tokio::test]
async fn a_caller_needs_a_credential_and_sees_and_calls_only_its_tools() {
    let (config, shopper, greeter) = two_services();
    let app = app(config);
    let refused = send(&app, stateless("tools/list", json!({}))).await;
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").contains("ApiKey"), "{refused:?}");

    let listed = send(&app, keyed(stateless("tools/list", json!({})), &greeter)).await.json();
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["greet"]);
    let call = json!({"name": "count", "arguments": {}});
    let denied = send(&app, keyed(stateless("tools/call", call.clone()), &greeter)).await;
    assert_eq!((denied.status, &denied.json()["error"]["code"]), (403, &json!(-32602)));
    let unknown = json!({"name": "count_", "arguments": {}});
    let unknown = send(&app, keyed(stateless("tools/call", unknown), &greeter)).await;
    assert!(!unknown.text.contains(r#""count""#), "{unknown:?}");
    let called = send(&app, keyed(stateless("tools/call", call), &shopper)).await;
    assert_eq!(called.json()["result"]["content"][0]["text"], "3");
}

#[tokio::test]
async fn the_tenant_is_the_callers_only_one_and_the_trace_is_that_of_the_request() {
    let (config, shopper, _) = two_services();
    let app = app(config);
    let mut params = greeting();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let request = |params: Value| {
        let mut request = stateless("tools/call", params);
        request.headers_mut().insert("x-internal-api-key", shopper.parse().unwrap());
        request
    };
    let called = send(&app, request(params.clone())).await.json();
    assert_eq!(called["result"]["content"][0]["text"], "Hello, Jo!", "{called}");
    let mut body: Value = serde_json::from_slice(
        &axum::body::to_bytes(request(params.take()).into_body(), 9_999).await.unwrap(),
    )
    .unwrap();
    body["params"]["name"] = "greet".into();
    body["params"]["arguments"] = json!({"name": "Jo"});
    body["params"]["_meta"]["traceparent"] = format!("00-{trace}-00f067aa0ba902b7-01").into();
    let mut traced = request(greeting());
    *traced.body_mut() = body.to_string().into();
    let traced = send(&app, traced).await.json();
    assert_eq!(traced["result"]["_meta"]["tool-runtime/audit"]["trace_id"], trace, "{traced}");

    let mut foreign = request(greeting());
    foreign.headers_mut().insert("x-tenant-id", Uuid::nil().to_string().parse().unwrap());
    let foreign = send(&app, foreign).await.json();
    assert!(foreign["error"]["message"].as_str().unwrap().contains("tenant"), "{foreign}");
}

#[tokio::test]
async fn a_session_is_its_callers_alone() {
    let (config, shopper, greeter) = two_services();
    let app = app(config);
    let opened = send(&app, keyed(with_session("initialize", &opening(), None), &shopper)).await;
    let session = opened.header("mcp-session-id");
    let stolen = with_session("tools/call", &greeting(), Some(session));
    let stolen = send(&app, keyed(stolen, &greeter)).await;
    assert_eq!(stolen.status, 404);
    check_refusal(&stolen, -32001);
    let own = with_session("tools/call", &greeting(), Some(session));
    assert_eq!(send(&app, keyed(own, &shopper)).await.status, 200);
    let end = |key: &str| {
        let end = Request::delete("/mcp").header("mcp-session-id", session);
        keyed(end.header("host", "localhost").body(Body::empty()).unwrap(), key)
    };
    assert_eq!(send(&app, end(&greeter)).await.status, 404);
    assert!(send(&app, end(&shopper)).await.status < 300);
    let late = with_session("tools/call", &greeting(), Some(session));
    assert_eq!(send(&app, keyed(late, &shopper)).await.status, 404);
}

#[tokio::test]
async fn one_caller_cannot_open_all_sessions() {
    let config = open().without_tenants().mcp(shop::config().max_sessions(4));
    let app = mcp::router(shop::runtime(&Orders::default()), config);
    for _ in 0..2 {
        assert_eq!(send(&app, with_session("initialize", &opening(), None)).await.status, 200);
    }
    let refused = send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    assert_eq!(refused.header("retry-after"), "1", "{refused:?}");
    check_refusal(&refused, -32000);
}

/// Checks that a refusal is the error of the request with the id 1.
#[track_caller]
pub(super) fn check_refusal(refused: &Answer, code: i32) {
    let error = refused.json();
    assert_eq!((&error["jsonrpc"], &error["id"]), (&json!("2.0"), &json!(1)), "{error}");
    assert_eq!(error["error"]["code"], code, "{error}");
    assert!(error["error"]["message"].is_string(), "{error}");
    assert!(error["error"]["data"]["code"].is_string(), "{error}");
    assert_eq!(refused.header("content-type"), "application/json");
}

#[tokio::test]
async fn broken_messages_and_foreign_pages_are_refused_before_the_protocol() {
    let app = app(open().without_tenants());
    let refused = |body: &str| {
        let request = message(&json!({})).header("mcp-protocol-version", STATELESS);
        request.body(Body::from(body.to_owned())).unwrap()
    };
    for (body, code) in [("{", -32700), ("[]", -32600)] {
        let answer = send(&app, refused(body)).await;
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(code)));
    }
    let mut page = stateless("tools/call", greeting());
    page.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
    assert_eq!(send(&app, page).await.status, 403);
    let mut rebound = stateless("tools/call", greeting());
    rebound.headers_mut().insert("host", "evil.example".parse().unwrap());
    assert_eq!(send(&app, rebound).await.status, 421);
    let mut contradicting = stateless("tools/call", greeting());
    contradicting.headers_mut().insert("mcp-name", "count".parse().unwrap());
    let answer = send(&app, contradicting).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32020)));
}

/// The result of an answer, without what differs from call to call.
fn result_of(answer: &Answer) -> Value {
    let mut message = message_of(answer);
    let audit = &mut message["result"]["_meta"]["tool-runtime/audit"];
    for member in ["trace_id", "invocation_id", "meta"] {
        assert!(!audit[member].is_null(), "{member}: {answer:?}");
        audit[member] = Value::Null;
    }
    message
}

#[tokio::test]
async fn a_call_is_answered_alike_with_a_connection_of_the_protocol_and_without() {
    let app = app(open().without_tenants());
    let wrong = json!({"name": "find_articles", "arguments": {"limit": 99}});
    let picture = json!({"name": "draw", "arguments": {}});
    for params in [greeting(), wrong, picture] {
        let direct = send(&app, stateless("tools/call", params.clone())).await;
        // Weights in `Accept` are left to the protocol's own reader.
        let mut other = stateless("tools/call", params);
        let weighted = "application/json;q=0.9, text/event-stream".parse().unwrap();
        other.headers_mut().insert("accept", weighted);
        let by_protocol = send(&app, other).await;
        assert_eq!(result_of(&direct), result_of(&by_protocol));
        let info = json!({"name": "shop", "version": "1.2.3"});
        let said = &direct.json()["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(*said, info, "{direct:?}");
    }
}

#[tokio::test]
async fn the_digits_of_arguments_reach_the_validator_as_they_were_sent() {
    let app = app(open().without_tenants());
    let mut request = stateless("tools/call", json!({"name": "describe_article", "arguments": {}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "describe_article", "arguments": {"id": "ID"}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let body = body.to_string().replace(r#""ID""#, "7,\"id\":8");
    *request.body_mut() = body.into();
    let answer = send(&app, request).await.json();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("duplicate"),
        "{answer}"
    );
}

#[tokio::test]
async fn rates_are_those_of_the_router_and_the_api_is_beside_the_protocol() {
    let rates = RateLimits::new().calls(RateLimit::per_minute(2).unwrap());
    let config = open().without_tenants().rates(rates).mcp(shop::config());
    let app = http::router(shop::runtime(&Orders::default()), config);
    let by_api = Request::post("/tools/call").header("content-type", "application/json");
    let body = r#"{"tool_name":"greet","input":{"name":"Jo"}}"#;
    assert_eq!(send(&app, by_api.body(body.into()).unwrap()).await.status, 200);
    assert_eq!(send(&app, stateless("tools/call", greeting())).await.status, 200);
    let limited = send(&app, stateless("tools/call", greeting())).await.json();
    assert_eq!(limited["result"]["isError"], true, "{limited}");
    assert!(limited["result"]["content"][0]["text"].as_str().unwrap().contains("RATE_LIMITED"));
}

/// Says for whom it is called.
#[ai_tool(effect = "read")]
pub(super) fn who(
    cx: &ToolContext,
    /// A user.
    user_id: String,
    /// A tenant.
    tenant_id: String,
) -> Vec<String> {
    let _ = (user_id, tenant_id);
    vec![cx.user_id().unwrap_or_default().to_owned(), cx.tenant_id().to_string()]
}

#[tokio::test]
async fn the_user_and_the_tenant_are_the_callers_and_never_those_of_the_arguments() {
    let key = ApiKey::generate().unwrap();
    let caller = Principal::new("desk").for_tenants([TENANT]).with_users(Users::Only("jo".into()));
    let caller = caller.with_scopes("tools".parse::<Scopes>().unwrap());
    let keys = ApiKeys::new(ApiKeySet::new().with(key.hash(), caller).unwrap());
    let config = HttpConfig::new(Auth::new().api_keys(&keys));
    let runtime = Runtime::builder().tool::<WhoTool>().build().unwrap();
    let app = mcp::router(runtime, config.mcp(shop::config()));
    let arguments = json!({"user_id": "eve", "tenant_id": Uuid::nil()});
    let mut params = json!({"name": "who", "arguments": arguments});
    params["_meta"] = json!({"user_id": "eve", "tenant_id": Uuid::nil()});
    let expected = json!(["jo", TENANT]);
    let answer = send(&app, keyed(stateless("tools/call", params.clone()), key.expose())).await;
    assert_eq!(answer.json()["result"]["structuredContent"], expected, "{answer:?}");
    let answer = send(&app, keyed(with_session("tools/call", &params, None), key.expose())).await;
    let result = &message_of(&answer)["result"]["structuredContent"]["result"];
    assert_eq!(*result, expected, "{answer:?}");
}

#[tokio::test]
async fn lists_are_public_for_callers_without_a_credential_alone() {
    let scope = async |config: HttpConfig, key: Option<&str>| {
        let request = stateless("tools/list", json!({}));
        let request =
            key.map_or_else(|| request, |key| keyed(stateless("tools/list", json!({})), key));
        send(&app(config), request).await.json()["result"]["cacheScope"].clone()
    };
    let anonymous = Auth::new().anonymous("tools".parse::<Scopes>().unwrap());
    let anonymous = HttpConfig::new(anonymous).without_tenants();
    assert_eq!(scope(anonymous, None).await, "public");
    let (config, shopper, _) = two_services();
    assert_eq!(scope(config, Some(&shopper)).await, "private");
}

/// Says when a call that waits has begun, and how it has ended.
#[derive(Debug, Clone, Default)]
struct Waiting(Arc<(Notify, Notify, Notify)>);

/// The requests of a call that a client can disconnect from: answered with JSON, with events, and
/// without a session in an older revision.
fn slow_calls() -> [Request<Body>; 3] {
    let call = json!({"name": "slow", "arguments": {}});
    let mut with_progress = call.clone();
    with_progress["_meta"] = json!({"progressToken": "p"});
    [
        stateless("tools/call", call.clone()),
        stateless("tools/call", with_progress),
        with_session("tools/call", &call, None),
    ]
}

#[tokio::test]
async fn a_read_ends_with_its_connection_and_a_write_runs_on() {
    for effect in [Effect::Read, Effect::Write] {
        for request in slow_calls() {
            disconnected(effect, request).await;
        }
    }
}

/// Calls a tool that waits, ends the connection, and waits for the end of the call.
async fn disconnected(effect: Effect, request: Request<Body>) {
    let waiting = Waiting::default();
    let (seen, drops) = (waiting.clone(), waiting.clone());
    let handler = move |_| {
        let (seen, drops) = (seen.clone(), drops.clone());
        async move {
            // Its end is told also if the call is dropped.
            let _ended = Ended(drops);
            seen.0.0.notify_one();
            seen.0.1.notified().await;
            Ok::<_, Failure>("done")
        }
    };
    let tool = DynamicTool::new("slow", effect)
        .description("Waits.")
        .input_schema(json!({"type": "object"}))
        .handles_dry_run()
        .handler(handler);
    let builder = Runtime::builder().dynamic(tool).permission("slow", Permission::Allow);
    let config = open().without_tenants().mcp(shop::config());
    let app = mcp::router(builder.build().unwrap(), config);
    let connection = tokio::spawn(async move { send(&app, request).await });
    waiting.0.0.notified().await;
    connection.abort();
    assert!(connection.await.unwrap_err().is_cancelled());
    if effect == Effect::Write {
        let runs_on = waiting.0.2.notified().now_or_never();
        assert_eq!(runs_on, None, "the write has not ended");
        waiting.0.1.notify_one();
    }
    let ended = waiting.0.2.notified();
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the call ends");
}

struct Ended(Waiting);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.0.2.notify_one();
    }
}

#[tokio::test]
async fn calls_over_the_protocol_are_measured_as_all_others() {
    let config = open().without_tenants().mcp(shop::config());
    let app = http::router(shop::runtime(&Orders::default()), config);
    send(&app, stateless("tools/call", greeting())).await;
    let metrics = send(&app, Request::get("/metrics").body(Body::empty()).unwrap()).await.text;
    let counts = |line: &&str| line.contains(r#"tool="greet""#) && line.ends_with(" 1");
    assert!(metrics.lines().any(|line| counts(&line)), "{metrics}");
}

#[tokio::test]
async fn a_capability_that_the_client_lacks_is_answered_with_status_400() {
    let config = open().without_tenants().mcp(shop::config().required_task("greet"));
    let app = mcp::router(shop::runtime(&Orders::default()), config);
    let refused = send(&app, stateless("tools/call", greeting())).await;
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32021)));
}
