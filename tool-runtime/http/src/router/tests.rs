use axum::body::Body;
use axum::http::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::routing::get;

use super::*;
use crate::Auth;
use crate::tests::fixture::{Answer, ToolGate, calling, open, send};

async fn sent(app: &Router, method: &str, path: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).body(Body::empty());
    send(app, request.expect("it is a request")).await
}

#[tokio::test]
async fn a_path_that_is_not_there_is_answered_in_the_body_of_a_failure() {
    let app = ToolGate::new().app(open());
    for path in ["/", "/tools/", "/tools/call/", "/tools/cal", "/tools/call/add"] {
        let answer = sent(&app, "POST", path).await;
        assert_eq!(answer.refused(404, "NOT_FOUND"), "there is no such path");
        assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_told_which_it_takes() {
    let app = ToolGate::new().app(open());
    for path in ["/tools/list", "/tools/call"] {
        for method in ["GET", "PUT", "DELETE", "PATCH", "TRACE"] {
            let answer = sent(&app, method, path).await;
            let message = answer.refused(405, "INVALID_ARGUMENT");
            assert_eq!(message, format!("this path does not accept {method}; it accepts POST"));
            let allowed = &answer.json()["detail"]["details"]["allowed"];
            assert_eq!(*allowed, serde_json::json!(["POST"]));
            assert_eq!(answer.headers[ALLOW], "POST");
        }
        let head = sent(&app, "HEAD", path).await;
        assert_eq!((head.status, &*head.text), (405, ""));
        let options = sent(&app, "OPTIONS", path).await;
        assert_eq!((options.status, &*options.text), (204, ""));
        assert_eq!(options.headers[ALLOW], "POST");
    }
}

#[tokio::test]
async fn a_method_that_there_is_not_is_not_repeated() {
    let app = ToolGate::new().app(open());
    let answer = sent(&app, "SECRET", "/healthz").await;
    let message = answer.refused(405, "INVALID_ARGUMENT");
    assert_eq!(message, "this path does not accept this method; it accepts GET and HEAD");
    assert_eq!(answer.json()["detail"]["details"]["allowed"], serde_json::json!(["GET", "HEAD"]));
    assert_eq!(answer.headers[ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn nested_it_answers_for_all_that_is_below_its_path() {
    let own = Router::new().route("/own", get(|| async { "own" }));
    let app = own.nest("/api", ToolGate::new().app(open()));
    let mut request = calling("add", r#"{"a":1}"#);
    *request.uri_mut() = "/api/tools/call".parse().expect("a path");
    assert_eq!(send(&app, request).await.json()["output"], 2);
    sent(&app, "POST", "/api/tools/cal").await.refused(404, "NOT_FOUND");
    let answer = sent(&app, "GET", "/api/tools/call").await;
    answer.refused(405, "INVALID_ARGUMENT");
    assert_eq!(answer.headers[ALLOW], "POST");
    assert_eq!(sent(&app, "GET", "/own").await.text, "own");
    // A path beside the nested router is not its own.
    assert_eq!((sent(&app, "GET", "/elsewhere").await.status), 404);
    assert_eq!(sent(&app, "GET", "/elsewhere").await.text, "");
}

#[tokio::test]
async fn merged_it_answers_for_what_nobody_else_does() {
    let own = Router::new().route("/own", get(|| async { "own" }));
    let app = own.clone().merge(ToolGate::new().app(open()));
    assert_eq!(sent(&app, "GET", "/own").await.text, "own");
    sent(&app, "GET", "/elsewhere").await.refused(404, "NOT_FOUND");
    assert_eq!(send(&app, calling("add", "{}")).await.status, 200);

    let with_fallback = own.fallback(|| async { "fallback" });
    let app = with_fallback.merge(ToolGate::new().app(open()).reset_fallback());
    assert_eq!(sent(&app, "GET", "/elsewhere").await.text, "fallback");
    sent(&app, "GET", "/tools/call").await.refused(405, "INVALID_ARGUMENT");
}

#[tokio::test]
async fn a_trace_named_by_the_caller_is_in_every_refusal() {
    let config = HttpConfig::new(Auth::new());
    config.drain().begin();
    let app = ToolGate::new().app(config);
    for (method, path, status) in [
        ("GET", "/nowhere", 404),
        ("GET", "/tools/call", 405),
        ("GET", "/readyz", 503),
        ("GET", "/metrics", 401),
    ] {
        let request = Request::builder().method(method).uri(path).header("x-trace-id", "trace-7");
        let answer = send(&app, request.body(Body::empty()).expect("it is a request")).await;
        assert_eq!(
            (answer.status, &answer.json()["audit"]["trace_id"]),
            (status, &"trace-7".into())
        );
    }
}
