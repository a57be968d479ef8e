//! The tools over HTTP, from the view of callers in any language.

mod accesses;
mod approvals;
mod budgets;
mod calls;
mod defaults;
mod envelopes;
mod evidence;
mod identity;
mod isolation;
mod openapi;
mod otel;
mod outcomes;
mod probes;
mod rotation;
mod secrets;
mod serving;
#[cfg(unix)]
mod signals;
mod tls;
mod tools;
mod traces;
mod two_services;
mod wire;

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tool_runtime::http::{Auth, HttpConfig, Principal};
use tower::ServiceExt;

/// A configuration that gives every caller all rights.
pub(crate) fn open() -> HttpConfig {
    HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")))
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("the answer is JSON")
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("it is text"))
    }
}

/// Makes a request as in the guide: JSON, with the required headers.
pub(crate) fn post(path: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .header("x-tenant-id", "yantian")
        .header("x-site-id", "yantian-main")
        .header("x-trace-id", "trace-1");
    request.body(body.into()).unwrap()
}

/// Makes a request without a body and without the required headers.
pub(crate) fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

/// Sends one request, without a network.
pub(crate) async fn send(app: &Router, request: Request<Body>) -> Answer {
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8(body.to_vec()).unwrap();
    Answer { status: parts.status.as_u16(), headers: parts.headers, text }
}

/// Calls a tool with these arguments, without a network.
pub(crate) async fn call(app: &Router, tool: &str, input: &str) -> Answer {
    send(app, post("/tools/call", format!(r#"{{"tool_name":"{tool}","input":{input}}}"#))).await
}

/// Serves an app over TCP, until the test ends.
pub(crate) async fn listen(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async { axum::serve(listener, app).await });
    address
}
