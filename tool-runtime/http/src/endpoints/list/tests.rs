use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_contracts::server::ListResponse;
use tool_contracts::{Effect, ToolkitSpec};
use tool_runtime_core::policy::RateLimit;
use tool_runtime_core::{DynamicTool, Failure, Runtime};

use crate::router;
use crate::tests::fixture::{Answer, ToolGate, anonymous, calling, open, post, scoped, send};
use crate::{HttpConfig, RateLimits};

async fn listed(config: HttpConfig, body: &'static str) -> Answer {
    send(&ToolGate::new().app(config), post("/tools/list", body)).await
}

#[track_caller]
fn names(answer: &Answer) -> Vec<String> {
    let body = answer.json();
    let tools = body["tools"].as_array().unwrap_or_else(|| panic!("a list: {}", answer.text));
    assert_eq!(body["total"], tools.len());
    let read: ListResponse = serde_json::from_str(&answer.text).expect("the contract reads it");
    assert_eq!(serde_json::to_value(read).expect("JSON"), body);
    tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
}

const FOR_MODELS: [&str; 6] = ["add", "fail", "guess", "panics", "save", "wait"];

#[tokio::test]
async fn the_tools_meant_for_models_are_listed() {
    assert_eq!(names(&listed(open(), "{}").await), FOR_MODELS);
    assert_eq!(
        names(&listed(open(), r#"{"category":null,"ai_callable_only":true}"#).await),
        FOR_MODELS
    );
}

#[tokio::test]
async fn a_tool_is_told_with_its_contract() {
    let answer = listed(open(), r#"{"category":"sums"}"#).await;
    assert_eq!(names(&answer), ["add"]);
    let body = answer.json();
    let tool = &body["tools"][0];
    assert_eq!(tool["input_schema"]["additionalProperties"], false);
    assert_eq!(tool["version"], "0.0.0");
    assert_eq!(
        (&tool["requires_auth"], &tool["ai_callable"]),
        (&Value::Bool(true), &Value::Bool(true))
    );
    assert_eq!(names(&listed(open(), r#"{"category":"other"}"#).await), [""; 0]);
}

#[tokio::test]
async fn a_caller_sees_the_internal_tools_that_it_may_call() {
    let all = r#"{"ai_callable_only":false}"#;
    let seen = names(&listed(open(), all).await);
    assert!(seen.contains(&"hidden".to_owned()));
    // A denied tool is not listed.
    assert!(!seen.contains(&"forbidden".to_owned()));
    assert_eq!(names(&listed(scoped("tools"), all).await), FOR_MODELS);
}

#[tokio::test]
async fn nobody_sees_what_they_may_not_call() {
    assert_eq!(names(&listed(scoped("category:sums tools:wait"), "{}").await), ["add", "wait"]);
    assert_eq!(names(&listed(scoped("traces"), "{}").await), [""; 0]);
    assert_eq!(names(&listed(anonymous(), "{}").await), ["guess"]);
}

#[tokio::test]
async fn a_list_asks_for_the_same_headers_as_a_call() {
    let mut request = post("/tools/list", "{}");
    request.headers_mut().remove("x-site-id");
    let answer = send(&ToolGate::new().app(open()), request).await;
    assert!(answer.refused(400, "INVALID_ARGUMENT").contains("X-Site-ID"), "{}", answer.text);
    assert_eq!(answer.json()["audit"]["trace_id"], "trace-1");
}

#[tokio::test]
async fn a_body_of_another_form_is_refused() {
    listed(open(), "").await.refused(400, "INVALID_ARGUMENT");
    let message = listed(open(), r#"{"catgory":"sums"}"#).await.refused(422, "INVALID_ARGUMENT");
    assert!(message.contains("`catgory`") && message.contains("`category`"), "{message}");
    listed(open(), "[]").await.refused(422, "INVALID_ARGUMENT");
}

#[tokio::test]
async fn a_tool_of_a_toolkit_is_listed_with_it() {
    let notes = ToolkitSpec::new("notes", "Keeps notes.").expect("a toolkit");
    let tool = DynamicTool::new("notes.list", Effect::Read)
        .description("Lists notes.")
        .input_schema(json!({ "type": "object" }))
        .toolkit(notes)
        .sync_handler(|_| Ok::<_, Failure>(0));
    let runtime = Runtime::builder().dynamic(tool).build().expect("the tool is whole");
    let app = router(runtime, open());
    let answer = send(&app, post("/tools/list", "{}")).await;
    assert_eq!(names(&answer), ["notes.list"]);
    let toolkit = &answer.json()["tools"][0]["toolkit"];
    assert_eq!(*toolkit, json!({ "name": "notes", "description": "Keeps notes." }));

    let other = send(&ToolGate::new().app(open()), post("/tools/list", "{}")).await.json();
    assert_eq!(other["tools"][0].get("toolkit"), None);
}

#[tokio::test]
async fn a_tool_that_is_added_is_listed_called_limited_and_measured_and_a_disabled_one_is_not_listed()
 {
    let runtime = ToolGate::new().runtime();
    let limits = RateLimits::new().calls(RateLimit::per_minute(1).expect("in range"));
    let app = router(runtime.clone(), open().rates(limits));
    assert_eq!(names(&send(&app, post("/tools/list", "{}")).await), FOR_MODELS);
    let document = |answer: Answer| answer.json()["components"]["schemas"]["LateCall"].clone();
    let get = || Request::get("/openapi.json").body(Body::empty()).expect("it is a request");
    assert!(document(send(&app, get()).await).is_null());

    let late = DynamicTool::new("late", Effect::Read)
        .description("Comes late.")
        .input_schema(json!({"type": "object"}))
        .handler(|_| async { Ok::<_, Failure>(1) });
    runtime.tools().add(late).expect("it is whole");
    assert_eq!(
        names(&send(&app, post("/tools/list", "{}")).await),
        ["add", "fail", "guess", "late", "panics", "save", "wait"]
    );
    assert!(document(send(&app, get()).await).is_object());
    assert_eq!(send(&app, calling("late", "{}")).await.status, 200);
    assert_eq!(send(&app, calling("late", "{}")).await.status, 429);
    let metrics = Request::get("/metrics").body(Body::empty()).expect("it is a request");
    let metrics = send(&app, metrics).await.text;
    assert!(metrics.contains(r#"{tool="late",status="success""#), "{metrics}");

    runtime.tools().disable("late", "for now");
    assert_eq!(names(&send(&app, post("/tools/list", "{}")).await), FOR_MODELS);
    let refused = send(&app, calling("late", "{}")).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["detail"]["details"]["reason"], "tool_disabled");
    assert!(document(send(&app, get()).await).is_null());
}
