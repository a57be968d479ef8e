//! Requests of a tenant to each endpoint.

use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};

use super::{ABSENT_EVIDENCE, ABSENT_OUTCOME, ATTACHMENT, EVIDENCE, OUTCOME, TRACE};

pub(super) fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    request
}

/// Adds the headers that identify the tenant, as in the guide.
pub(super) fn headed(request: Request<Body>, tenant: &str) -> Request<Body> {
    let request = with(request, "x-tenant-id", tenant);
    with(with(request, "x-site-id", "main"), "x-trace-id", "trace-1")
}

pub(super) fn request(method: &str, path: &str, body: &Value) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    let body = if method == "GET" { Body::empty() } else { body.to_string().into() };
    request.header("content-type", "application/json").body(body).unwrap()
}

pub(super) fn calling(tool: &str, note: &str) -> Request<Body> {
    let input = json!({ "tool_name": tool, "input": { "note": note } });
    request("POST", "/tools/call", &input)
}

/// Makes a request about this ticket and trace that would succeed for their owner.
pub(super) fn asking(method: &str, path: &str, ticket: &str, trace: &str) -> Request<Body> {
    let body = match path {
        "/tools/list" => json!({}),
        "/tools/call" | "/tools/call/text" => json!({ "tool_name": "whose", "input": {} }),
        "/calls/{tool}" => json!({
            "request_id": "2f1a6c7e-58d0-4b7f-9f0e-0f3c8f0a7b11",
            "actor": { "type": "agent", "id": "planner" },
            "input": {},
        }),
        "/approvals/{ticket}" => json!({ "decision": "approve" }),
        "/outcomes/{id}" => json!({ "decision": "did_not_happen", "reason": "curiosity" }),
        _ => json!({ "reason": "curiosity" }),
    };
    let outcome = if trace == TRACE { OUTCOME } else { ABSENT_OUTCOME };
    let path = path.replace("/outcomes/{id}", &format!("/outcomes/{outcome}"));
    let evidence = if trace == TRACE { EVIDENCE } else { ABSENT_EVIDENCE };
    let path = path.replace("/evidence/{id}", &format!("/evidence/{evidence}"));
    let path = path.replace("/attachments/{id}", &format!("/attachments/{ATTACHMENT}"));
    let path = path.replace("{tool}", "whose");
    // The answer repeats the id, so it is not that of a trace. `http::traces` reads another tenant's.
    let path = if path == "/traces" { format!("{path}?request_id=request-1") } else { path };
    let path = path.replace("{ticket}", ticket).replace("{id}", trace);
    request(method, &path, &body)
}

/// Returns whether a path names something that is one tenant's.
pub(super) fn names_a_thing(path: &str) -> bool {
    path.contains("{id}") || path.contains("{ticket}")
}

pub(super) fn request_of(method: &str, path: &str) -> Request<Body> {
    request(method, path, &Value::Null)
}
