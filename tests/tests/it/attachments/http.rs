//! Stored attachments over HTTP.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::Value;
use tool_runtime::http::{self, ApiKeySet, ApiKeys, Auth, HttpConfig};

use super::builder;
use crate::http::{Answer, call, open, post, send};

fn fetch(id: &str, user: Option<&str>) -> Request<Body> {
    let request = Request::get(format!("/attachments/{id}"))
        .header("x-tenant-id", "yantian")
        .header("x-site-id", "yantian-main")
        .header("x-trace-id", "trace-2");
    let request = match user {
        Some(user) => request.header("x-user-id", user),
        None => request,
    };
    request.body(Body::empty()).unwrap()
}

fn id_of(answer: &Answer) -> String {
    let id = &answer.json()["meta"]["attachments"][0]["id"];
    id.as_str().unwrap_or_else(|| panic!("it is stored: {}", answer.text)).to_owned()
}

async fn call_as(app: &Router, user: &str) -> Answer {
    let body = r#"{"tool_name":"export","input":{"bytes":70000}}"#;
    let mut request = post("/tools/call", body);
    request.headers_mut().insert("x-user-id", user.parse().unwrap());
    send(app, request).await
}

#[tokio::test]
async fn a_caller_fetches_its_own_attachment_with_safe_headers() {
    let app = http::router(builder().build().unwrap(), open());
    let answer = call(&app, "export", r#"{"bytes":70000}"#).await;
    let served = send(&app, fetch(&id_of(&answer), None)).await;
    assert_eq!((served.status, served.text.len()), (200, 70_000), "{}", served.text);
    let meta: Value = answer.json()["meta"]["attachments"][0].clone();
    let etag = format!("\"{}\"", meta["sha256"].as_str().unwrap());
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", "attachment; filename*=UTF-8''export.zip"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("etag", &etag),
    ] {
        assert_eq!(served.header(name), value, "{name}");
    }
    assert!(served.header("content-security-policy").contains("sandbox"));
}

#[tokio::test]
async fn another_user_of_the_tenant_has_no_such_attachment() {
    let app = http::router(builder().build().unwrap(), open());
    let answer = call_as(&app, "jane").await;
    let id = id_of(&answer);
    assert_eq!(send(&app, fetch(&id, Some("jane"))).await.status, 200);
    let other = send(&app, fetch(&id, Some("joe"))).await;
    assert_eq!(other.status, 404, "{}", other.text);
    assert_eq!(send(&app, fetch(&id, None)).await.status, 404);
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_with_its_form() {
    let app = http::router(builder().build().unwrap(), open());
    let answer = send(&app, fetch("out_1", None)).await;
    assert_eq!(answer.status, 422);
    assert!(answer.text.contains("`att_` and 32 hexadecimal digits"), "{}", answer.text);
    let unknown = send(&app, fetch("att_018f3b2c7d1e7c3a9b5d2e4f60718293", None)).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn an_unauthenticated_caller_gets_none() {
    let auth = Auth::new().api_keys(&ApiKeys::new(ApiKeySet::new()));
    let app = http::router(builder().build().unwrap(), HttpConfig::new(auth));
    let answer = send(&app, fetch("att_018f3b2c7d1e7c3a9b5d2e4f60718293", None)).await;
    assert_eq!(answer.status, 401);
}
