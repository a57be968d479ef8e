use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tool_contracts::Effect;
use tool_contracts::server::CallResponse;
use tool_runtime_core::policy::{ApprovalRequest, Approver, Decision, Policy};
use tool_runtime_core::{DynamicTool, Failure, Runtime};
use tower::ServiceExt as _;

use super::*;
use crate::router;
use crate::tests::fixture::{Answer, ToolGate, anonymous, calling, open, post, scoped, send};

async fn called(app: &Router, tool: &str, input: &str) -> Answer {
    let answer = send(app, calling(tool, input)).await;
    let read: CallResponse = serde_json::from_str(&answer.text).expect("the contract reads it");
    assert_eq!(serde_json::to_string(&read).expect("JSON"), answer.text);
    answer
}

fn streaming(tool: &str) -> Request<Body> {
    let mut request = calling(tool, "{}");
    request.headers_mut().insert(ACCEPT, "text/event-stream".parse().expect("a value"));
    request
}

/// Polls a future until it is pending for good.
async fn settle() {
    for _ in 0..32 {
        tokio::task::yield_now().await;
    }
}

async fn event(body: &mut Body) -> String {
    let frame = body.frame().await.expect("there is one more").expect("it is whole");
    let data: Bytes = frame.into_data().expect("it is data");
    String::from_utf8(data.to_vec()).expect("it is text")
}

#[tokio::test]
async fn a_call_is_answered_with_its_output_and_its_audit() {
    let app = ToolGate::new().app(open());
    let answer = called(&app, "add", r#"{"a":41}"#).await;
    let mut body = answer.json();
    body["audit"]["latency_ms"].take();
    body["meta"]["took_ms"].take();
    let hash = "5ff1ec4d3b5a6a6b"; // Only its form is looked at here.
    assert_eq!(body["audit"]["request_payload_hash"].as_str().map(str::len), Some(4 * hash.len()));
    body["audit"]["request_payload_hash"].take();
    let expected = serde_json::json!({
        "success": true,
        "output": 42,
        "meta": { "took_ms": null, "ttl_seconds": 60 },
        "audit": {
            "trace_id": "trace-1",
            "tool_name": "add",
            "status": "success",
            "latency_ms": null,
            "request_payload_hash": null,
        },
    });
    assert_eq!((answer.status, body), (200, expected));
    assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
}

#[tokio::test]
async fn a_failure_has_the_status_of_its_code() {
    let app = ToolGate::new().app(open());
    for (code, status) in [("OUT_OF_STOCK", 409), ("UPSTREAM_ERROR", 502), ("RATE_LIMITED", 429)] {
        let answer = called(&app, "fail", &format!(r#"{{"code":"{code}"}}"#)).await;
        answer.refused(status, code);
        assert_eq!(answer.headers[RETRY_AFTER], "2");
        assert_eq!(answer.json()["audit"]["trace_id"], "trace-1");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_says_in_meta_what_is_more_than_the_time_of_one_attempt() {
    let app = ToolGate::new().app(open());
    let meta =
        async |tool: &str, input: &str| called(&app, tool, input).await.json()["meta"].take();
    assert_eq!(meta("fail", r#"{"code":"PRICE_CHANGED"}"#).await, serde_json::Value::Null);
    assert_eq!(meta("panics", "{}").await, serde_json::Value::Null);
    assert_eq!(meta("add", r#"{"a":"x"}"#).await, serde_json::Value::Null);
    assert_eq!(meta("fail", r#"{"code":"UPSTREAM_ERROR"}"#).await["attempts"], 3);
}

#[tokio::test]
async fn bad_arguments_are_told_all_at_once() {
    let app = ToolGate::new().app(open());
    let answer = called(&app, "add", r#"{"a":"x","b":1}"#).await;
    answer.refused(422, "INVALID_ARGUMENT");
    let violations = answer.json()["detail"]["details"]["violations"].clone();
    assert_eq!(violations.as_array().map(Vec::len), Some(2), "{violations}");
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    called(&app, "add", &deep).await.refused(422, "INVALID_ARGUMENT");
}

#[tokio::test]
async fn a_panic_of_a_tool_is_answered() {
    called(&ToolGate::new().app(open()), "panics", "{}").await.refused(500, "INTERNAL");
}

#[tokio::test]
async fn a_tool_is_refused_before_its_arguments_are_read() {
    let broken = r#"{"a":"x"}"#;
    let scopes = scoped("tools:wait");
    called(&ToolGate::new().app(scopes), "add", broken).await.refused(403, "FORBIDDEN");
    let models = ToolGate::new().app(scoped("tools"));
    let message = called(&models, "hidden", broken).await.refused(403, "FORBIDDEN");
    assert!(message.contains("`internal`"), "{message}");
    let answer = called(&ToolGate::new().app(anonymous()), "add", broken).await;
    answer.refused(401, "UNAUTHORIZED");
    assert_eq!(answer.json()["audit"]["tool_name"], "add");
    assert!(!answer.headers.contains_key("www-authenticate"), "there is no way to be known");
    called(&ToolGate::new().app(anonymous()), "guess", "{}").await;
    let denied = called(&ToolGate::new().app(open()), "forbidden", broken).await;
    denied.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_hint_for_a_misspelled_tool_names_only_callable_tools() {
    let hint = async |config| {
        let answer = called(&ToolGate::new().app(config), "gues", "{}").await;
        answer.refused(404, "NOT_FOUND");
        answer.json()["detail"]["details"]["closest"].clone()
    };
    assert_eq!(hint(open()).await, serde_json::json!(["guess"]));
    assert_eq!(hint(anonymous()).await, serde_json::json!(["guess"]));
    assert_eq!(hint(scoped("tools:add")).await, serde_json::json!([]));
}

#[tokio::test]
async fn nothing_new_begins_while_the_server_ends() {
    let config = open();
    let drain = config.drain();
    let app = ToolGate::new().app(config);
    drain.begin();
    let answer = called(&app, "add", "{}").await;
    answer.refused(503, "UNAVAILABLE");
    assert_eq!(answer.headers[RETRY_AFTER], "1");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_still_runs_at_shutdown_is_cancelled_and_answered() {
    for tool in ["wait", "save"] {
        let config = open();
        let drain = config.drain();
        let stage = ToolGate::new();
        let app = stage.app(config);
        let mut answer = pin!(called(&app, tool, "{}"));
        assert!(answer.as_mut().now_or_never().is_none());
        stage.begun().await;
        drain.finish();
        let answer = answer.await;
        answer.refused(503, "CANCELLED");
        let effect = if tool == "save" { "unknown" } else { "none" };
        assert_eq!(answer.json()["detail"]["details"]["effect"], effect);
        assert_eq!(stage.ended().await, (tool.to_owned(), CallStatus::Interrupted));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_has_so_much_time_in_all() {
    let app = ToolGate::new().app(open().request_timeout(Duration::from_secs(3)));
    let answer = called(&app, "save", "{}").await;
    let message = answer.refused(504, "TIMEOUT");
    assert_eq!(message, "the call exceeded the request's time limit of 3000 ms");
    assert_eq!(answer.json()["detail"]["details"]["effect"], "unknown");
}

/// An approver that never decides.
struct Undecided;

#[async_trait::async_trait]
impl Approver for Undecided {
    async fn decide(&self, _: &ApprovalRequest<'_>) -> Decision {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_has_no_more_time_for_a_person_who_is_being_asked() {
    let finished = Arc::new(AtomicBool::new(false));
    let runs = finished.clone();
    let tool = DynamicTool::new("ask", Effect::Write)
        .description("Asks first.")
        .input_schema(serde_json::json!({ "type": "object" }))
        .handles_dry_run()
        .sync_handler(move |_| {
            runs.store(true, Ordering::SeqCst);
            Ok::<_, Failure>(())
        });
    let runtime = Runtime::builder().dynamic(tool).policy(Policy::new().approver(Undecided));
    let runtime = runtime.build().expect("the tool is whole");
    let app = router(runtime, open().request_timeout(Duration::from_secs(3)));
    let message = called(&app, "ask", "{}").await.refused(504, "TIMEOUT");
    assert_eq!(message, "the call exceeded the request's time limit of 3000 ms");
    assert!(!finished.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_read_ends_with_its_caller() {
    let stage = ToolGate::new();
    let app = stage.app(open());
    let mut answer = Box::pin(app.clone().oneshot(calling("wait", "{}")));
    assert!(answer.as_mut().now_or_never().is_none());
    stage.begun().await;
    drop(answer);
    assert_eq!(stage.ended().await, ("wait".to_owned(), CallStatus::Interrupted));
}

#[tokio::test]
async fn a_write_runs_on_without_its_caller() {
    let stage = ToolGate::new();
    let app = stage.app(open());
    let mut answer = Box::pin(app.clone().oneshot(calling("save", "{}")));
    assert!(answer.as_mut().now_or_never().is_none());
    stage.begun().await;
    drop(answer);
    settle().await;
    assert!(stage.nothing_ended());
    stage.go_on();
    stage.go_on();
    assert_eq!(stage.ended().await, ("save".to_owned(), CallStatus::Executed));
}

#[tokio::test]
async fn a_write_is_waited_for_from_the_moment_that_it_is_admitted() {
    let config = open();
    let drain = config.drain();
    let stage = ToolGate::new();
    let app = stage.app(config);
    let mut answer = Box::pin(app.oneshot(calling("save", "{}")));
    assert!(answer.as_mut().now_or_never().is_none());
    drop(answer);
    assert_eq!(drain.count(), 1, "its task has not even begun");
    stage.go_on();
    stage.go_on();
    drain.idle().await;
    assert_eq!(stage.ended().await, ("save".to_owned(), CallStatus::Executed));
}

#[tokio::test]
async fn a_dry_run_of_a_write_ends_with_its_caller() {
    let stage = ToolGate::new();
    let app = stage.app(open());
    let body = r#"{"tool_name":"save","context":{"dry_run":true}}"#;
    let mut answer = Box::pin(app.clone().oneshot(post("/tools/call", body)));
    assert!(answer.as_mut().now_or_never().is_none());
    stage.begun().await;
    drop(answer);
    assert_eq!(stage.ended().await, ("save".to_owned(), CallStatus::Interrupted));
}

#[tokio::test]
async fn so_many_writes_run_and_no_more() {
    let stage = ToolGate::new();
    let app = stage.app(open().max_tasks(1));
    let mut first = pin!(called(&app, "save", "{}"));
    assert!(first.as_mut().now_or_never().is_none());
    stage.begun().await;
    let answer = called(&app, "save", "{}").await;
    answer.refused(503, "UNAVAILABLE");
    assert_eq!(answer.headers[RETRY_AFTER], "1");
    assert_eq!(called(&app, "add", "{}").await.status, 200);
    stage.go_on();
    stage.go_on();
    assert_eq!(first.await.status, 200);
    stage.go_on();
    stage.go_on();
    assert_eq!(called(&app, "save", "{}").await.status, 200);
}

#[tokio::test]
async fn an_answer_that_the_caller_cannot_read_is_not_made() {
    let stage = ToolGate::new();
    let mut request = calling("add", "{}");
    request.headers_mut().insert(ACCEPT, "text/html".parse().expect("a value"));
    let answer = send(&stage.app(open()), request).await;
    answer.refused(406, "INVALID_ARGUMENT");
    assert!(stage.nothing_ended());
}

#[tokio::test]
async fn a_stream_tells_the_progress_and_then_the_result() {
    let stage = ToolGate::new();
    let app = stage.app(open());
    let response = app.oneshot(streaming("wait")).await.expect("an app answers");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
    let mut body = response.into_body();
    let first = "event: progress\ndata: {\"fraction\":0.5,\"message\":\"first\"}\n\n";
    assert_eq!(event(&mut body).await, first);
    stage.go_on();
    assert_eq!(event(&mut body).await, "event: progress\ndata: {\"message\":\"second\"}\n\n");
    stage.go_on();
    let result = event(&mut body).await;
    let data = result.strip_prefix("event: result\nstatus: 200\ndata: ").expect("its form");
    let read: CallResponse = serde_json::from_str(data).expect("the contract reads it");
    assert_eq!(read.output().map(|output| output.get()), Some("\"done\""));
    assert_eq!(read.audit().trace_id(), "trace-1");
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn a_slow_caller_of_a_stream_misses_reports_and_never_the_result() {
    let stage = ToolGate::new();
    let response = stage.app(open()).oneshot(streaming("wait")).await.expect("an app answers");
    stage.go_on();
    stage.go_on();
    assert_eq!(stage.ended().await.1, CallStatus::Executed);
    let mut body = response.into_body();
    assert_eq!(event(&mut body).await, "event: progress\ndata: {\"message\":\"second\"}\n\n");
    assert!(event(&mut body).await.starts_with("event: result\nstatus: 200\n"));
    assert!(body.frame().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_says_that_it_is_there() {
    let stage = ToolGate::new();
    let response = stage.app(open()).oneshot(streaming("wait")).await.expect("an app answers");
    let mut body = response.into_body();
    assert!(event(&mut body).await.starts_with("event: progress"));
    let before = tokio::time::Instant::now();
    assert_eq!(event(&mut body).await, ": still running\n\n");
    assert_eq!(before.elapsed().as_secs(), 15);
}

#[tokio::test]
async fn streams_of_reads_keep_no_write_from_running() {
    let stage = ToolGate::new();
    let app = stage.app(open().max_tasks(1));
    let _streams = [
        app.clone().oneshot(streaming("wait")).await.expect("an app answers"),
        app.clone().oneshot(streaming("wait")).await.expect("an app answers"),
    ];
    let mut first = pin!(called(&app, "save", "{}"));
    assert!(first.as_mut().now_or_never().is_none());
    let refused = send(&app, streaming("save")).await;
    refused.refused(503, "UNAVAILABLE");
    assert_eq!(refused.json()["detail"]["details"]["reason"], "busy");
    for _ in 0..6 {
        stage.go_on();
    }
    assert_eq!(first.await.status, 200);
}

#[tokio::test]
async fn one_caller_has_half_of_the_streams_unless_it_is_said() {
    let stage = ToolGate::new();
    let app = stage.app(open().max_streams(3));
    let opened = async || app.clone().oneshot(streaming("wait")).await.expect("an app answers");
    let (first, _second) = (opened().await, opened().await);
    let third = send(&app, streaming("wait")).await;
    third.refused(429, "RATE_LIMITED");
    assert_eq!(third.headers[RETRY_AFTER], "1");
    assert_eq!(called(&app, "add", "{}").await.status, 200, "JSON takes no stream's place");
    drop(first);
    assert_eq!(opened().await.status(), 200);
}

#[tokio::test]
async fn so_many_streams_are_open_and_no_more() {
    let stage = ToolGate::new();
    let app = stage.app(anonymous().max_streams(2).max_streams_per_caller(1));
    let by = async |address: &str| {
        let mut request = streaming("guess");
        let peer: SocketAddr = address.parse().expect("an address");
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().oneshot(request).await.expect("an app answers")
    };
    let (first, _second) = (by("192.0.2.1:1").await, by("192.0.2.2:1").await);
    assert_eq!(by("192.0.2.1:2").await.status(), 429);
    let third = by("192.0.2.3:1").await;
    assert_eq!(
        (third.status().as_u16(), &third.headers()[RETRY_AFTER]),
        (503, &"1".parse().expect("a value"))
    );
    // A stream that was read to its end has left its place.
    assert!(first.into_body().collect().await.is_ok());
    assert_eq!(by("192.0.2.3:1").await.status(), 200);
}

#[tokio::test]
async fn a_failure_in_a_stream_tells_its_status() {
    let app = ToolGate::new().app(open());
    let mut request = streaming("fail");
    *request.body_mut() = Body::from(r#"{"tool_name":"fail","input":{"code":"PRICE_CHANGED"}}"#);
    let answer = send(&app, request).await;
    assert_eq!(answer.status, 200);
    let start = "event: result\nstatus: 409\ndata: {\"success\":false,";
    assert!(answer.text.starts_with(start), "{}", answer.text);
}

#[tokio::test]
async fn a_call_refused_before_it_runs_is_no_stream() {
    let app = ToolGate::new().app(open());
    send(&app, streaming("unknown")).await.refused(404, "NOT_FOUND");
    let mut request = streaming("add");
    *request.body_mut() = Body::from("{");
    send(&app, request).await.refused(400, "INVALID_ARGUMENT");
}

#[tokio::test]
async fn a_dropped_stream_ends_a_read_and_no_write() {
    let stage = ToolGate::new();
    let app = stage.app(open());
    for (tool, end) in [("wait", CallStatus::Interrupted), ("save", CallStatus::Executed)] {
        let response = app.clone().oneshot(streaming(tool)).await.expect("an app answers");
        stage.begun().await;
        assert!(!response.body().is_end_stream());
        drop(response);
        settle().await;
        if tool == "save" {
            stage.go_on();
            stage.go_on();
        }
        assert_eq!(stage.ended().await, (tool.to_owned(), end));
    }
}
