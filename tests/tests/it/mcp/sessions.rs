//! Sessions over HTTP whose answers are read event by event: questions, places, shutdown.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tool_runtime::http::HttpConfig;
use tool_runtime::mcp;
use tower::ServiceExt;

use super::http::{opening, stateless, with_session};
use super::shop::{self, Orders};
use crate::http::{open, send};

/// A router, and a session with a client that can show forms.
async fn opened(orders: &Orders, config: HttpConfig) -> (Router, String) {
    let app = mcp::router(shop::runtime(orders), config.mcp(shop::config().sessions(true)));
    let mut params = opening();
    params["capabilities"] = json!({"elicitation": {}});
    let opened = send(&app, with_session("initialize", &params, None)).await;
    let session = opened.header("mcp-session-id").to_owned();
    (app, session)
}

async fn posted(app: &Router, request: Request<Body>) -> Response<Body> {
    app.clone().oneshot(request).await.unwrap()
}

/// Reads the next message of a stream of events.
async fn next_message(stream: &mut Body) -> Value {
    loop {
        let frame = stream.frame().await.expect("the stream goes on").unwrap();
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        if let Some(message) = data.find(|data| data.starts_with('{')) {
            return serde_json::from_str(message).unwrap();
        }
    }
}

fn listening_to(session: &str) -> Request<Body> {
    let listening = Request::get("/mcp")
        .header("host", "localhost")
        .header("accept", "text/event-stream")
        .header("mcp-session-id", session);
    listening.body(Body::empty()).unwrap()
}

fn answered(session: &str, id: &Value, content: &Value) -> Request<Body> {
    let mut request = with_session("", &json!({}), Some(session));
    let result = json!({"action": "accept", "content": content});
    *request.body_mut() = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string().into();
    request
}

#[tokio::test]
async fn the_question_of_a_write_comes_in_the_answer_to_its_request() {
    let orders = Orders::default();
    let (app, session) = opened(&orders, open().without_tenants()).await;
    let call = json!({"name": "book", "arguments": {}});
    let mut answer =
        posted(&app, with_session("tools/call", &call, Some(&session))).await.into_body();
    for content in [json!({"name": "Ada"}), json!({"day": "Monday"})] {
        let asked = next_message(&mut answer).await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        assert_eq!(posted(&app, answered(&session, &asked["id"], &content)).await.status(), 202);
    }
    let result = next_message(&mut answer).await;
    assert_eq!(result["result"]["content"][0]["text"], r#""Ada" comes on "Monday""#, "{result}");
}

#[tokio::test]
async fn a_call_whose_answer_is_not_read_keeps_its_place_among_the_callers_streams() {
    let config = open().without_tenants().max_streams(4);
    let (app, session) = opened(&Orders::default(), config).await;
    let waiting = json!({"name": "wait", "arguments": {}});
    for _ in 0..2 {
        let answer = posted(&app, with_session("tools/call", &waiting, Some(&session))).await;
        assert_eq!(answer.status(), 200);
        drop(answer);
    }
    let refused = send(&app, with_session("tools/call", &waiting, Some(&session))).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let mut cancelled = with_session("", &json!({}), Some(&session));
    let notification = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    *cancelled.body_mut() = notification.to_string().into();
    assert_eq!(posted(&app, cancelled).await.status(), 202);
}

#[tokio::test(start_paused = true)]
async fn a_session_lives_as_long_as_its_running_call() {
    let orders = Orders::default();
    let (app, session) = opened(&orders, open().without_tenants()).await;
    let waiting = json!({"name": "wait", "arguments": {}});
    let mut answer =
        posted(&app, with_session("tools/call", &waiting, Some(&session))).await.into_body();
    while orders.0.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::time::advance(Duration::from_secs(60)).await;
    }
    // Any session that has been idle for long is ended now.
    send(&app, with_session("initialize", &opening(), None)).await;
    let mut cancelled = with_session("", &json!({}), Some(&session));
    let notification = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    *cancelled.body_mut() = notification.to_string().into();
    assert_eq!(posted(&app, cancelled).await.status(), 202);
    let result = next_message(&mut answer).await;
    assert_eq!(result["id"], 1, "{result}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 11, "the call has heard of its end");
}

#[tokio::test(start_paused = true)]
async fn sessions_without_use_end_and_one_that_is_listened_to_goes_on() {
    let (app, idle) = opened(&Orders::default(), open().without_tenants()).await;
    let other = send(&app, with_session("initialize", &opening(), None)).await;
    let listened = other.header("mcp-session-id").to_owned();
    let stream = posted(&app, listening_to(&listened)).await;
    assert_eq!(stream.status(), 200);
    let list = |session: &str| with_session("tools/list", &json!({}), Some(session));
    tokio::time::advance(Duration::from_secs(29 * 60)).await;
    send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!(send(&app, list(&idle)).await.status, 200);
    tokio::time::advance(Duration::from_secs(30 * 60)).await;
    send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!(send(&app, list(&idle)).await.status, 404);
    assert_eq!(send(&app, list(&listened)).await.status, 200);
    drop(stream);
    tokio::time::advance(Duration::from_secs(30 * 60)).await;
    send(&app, with_session("initialize", &opening(), None)).await;
    assert_eq!(send(&app, list(&listened)).await.status, 404);
}

#[tokio::test]
async fn streams_of_changes_end_when_the_server_is_about_to_stop() {
    let config = open().without_tenants();
    let drain = config.drain();
    let (app, session) = opened(&Orders::default(), config).await;
    let in_session = posted(&app, listening_to(&session)).await;
    assert_eq!(in_session.status(), 200);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let subscribed = posted(&app, stateless("subscriptions/listen", filter)).await;
    assert_eq!(subscribed.status(), 200);
    drain.begin();
    let ended = async {
        let _ = in_session.into_body().collect().await;
        let _ = subscribed.into_body().collect().await;
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
    assert!(ended.is_ok(), "a stream of changes is still open");
}

#[tokio::test]
async fn a_client_that_listens_to_its_session_is_told_of_changes_of_the_tools() {
    let runtime = shop::runtime(&Orders::default());
    let config = open().without_tenants().mcp(shop::config().sessions(true));
    let app = mcp::router(runtime.clone(), config);
    let opened = send(&app, with_session("initialize", &opening(), None)).await;
    let session = opened.header("mcp-session-id").to_owned();
    let mut ready = with_session("", &json!({}), Some(&session));
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    *ready.body_mut() = notification.to_string().into();
    assert_eq!(posted(&app, ready).await.status(), 202);
    let mut stream = posted(&app, listening_to(&session)).await.into_body();
    assert!(runtime.tools().disable("greet", "stocktaking"));
    let told = tokio::time::timeout(Duration::from_secs(20), next_message(&mut stream)).await;
    assert_eq!(told.unwrap()["method"], "notifications/tools/list_changed");
}
