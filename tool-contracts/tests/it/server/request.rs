//! Requests to a server.

use serde_json::{Value, json, value::RawValue};
use tool_contracts::server::{CallContext, CallRequest};

fn read(request: &Value) -> Result<CallRequest<Value>, String> {
    serde_json::from_str(&request.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(request: &Value, expectation: &str) {
    let message = read(request).unwrap_err();
    assert!(message.starts_with(expectation), "{message}");
}

#[test]
fn the_published_body_is_read() {
    let body = r#"{
        "tool_name": "search_content",
        "input": {"query": "严氏家训", "limit": 10},
        "context": {"tenant_id": "yantian", "site_id": "yantian-main", "trace_id": "trace-xxx"}
    }"#;
    let request: CallRequest = serde_json::from_str(body).unwrap();
    let (name, input, context) = request.into_parts();
    assert_eq!(name, "search_content");
    assert_eq!(input.get(), r#"{"query": "严氏家训", "limit": 10}"#);
    assert_eq!(context.tenant_id().unwrap().slug(), Some("yantian"));
    assert_eq!((context.site_id(), context.trace_id()), (Some("yantian-main"), Some("trace-xxx")));
}

#[test]
fn an_omitted_or_null_field_is_empty() {
    for body in [r#"{"tool_name":"t"}"#, r#"{"tool_name":"t","input":null,"context":null}"#] {
        let request: CallRequest = serde_json::from_str(body).unwrap();
        assert_eq!(request.input().get(), "{}");
        assert!(request.context().is_empty());
        let request: CallRequest<&RawValue> = serde_json::from_str(body).unwrap();
        assert_eq!(request.input().get(), "{}");
    }
}

#[test]
fn the_input_keeps_every_byte_and_is_not_looked_at() {
    for input in [r#"{"n": 1e400, "n": 0.10}"#, "[ ]", "\"text\""] {
        let body = format!(r#"{{"tool_name":"t","input":{input}}}"#);
        let request: CallRequest = serde_json::from_str(&body).unwrap();
        assert_eq!(request.input().get(), input);
        assert_eq!(serde_json::to_string(&request).unwrap(), body);
    }
}

#[test]
fn a_borrowed_input_is_not_copied() {
    let body = r#"{"input":{"query": "tea"},"tool_name":"search_content"}"#;
    let request: CallRequest<&RawValue> = serde_json::from_str(body).unwrap();
    assert!(body.as_bytes().as_ptr_range().contains(&request.input().get().as_ptr()));
}

#[test]
fn nothing_else_is_admitted() {
    check_refused(&json!({}), "`tool_name`: missing");
    check_refused(&json!({"tool_name": 7}), "`tool_name`: expected text");
    check_refused(&json!({"tool_name": "t", "arguments": {}}), "`arguments`: unknown field");
    check_refused(&json!({"tool_name": "t", "context": {"tenant": "x"}}), "`context`: `tenant`: ");
    check_refused(&json!(["t"]), "");
}

#[test]
fn debug_shows_how_long_the_input_is() {
    let context = CallContext::builder().site_id("main").build().unwrap();
    let request = CallRequest::new("login", json!({"password": "hunter2"}), context);
    let shown = format!("{request:?}");
    assert!(shown.contains("22 bytes") && !shown.contains("hunter2"), "{shown}");
}
