//! Servers over HTTP in the manner of other libraries: events, errors without an id, lost sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_runtime::mcp::{RemoteErrorKind, RemoteEvent};

use super::scripted::{answered_text, events, typed, web};
use super::{Events, answer, runtime};

fn is(request: &Value, method: &str) -> bool {
    request["method"] == method
}

#[tokio::test]
async fn events_of_other_names_are_no_messages() {
    for before in [
        "event: ping\ndata: {}\n\n",
        "event: endpoint\ndata: /messages?id=1\n\n",
        ": a comment\n\ndata: \n\n",
        "data: {}\n\ndata: connected\n\n",
        "event: ping\r\ndata: {\"jsonrpc\":\"2.0\"}\r\n\r\n",
    ] {
        let server = web(move |request, _| {
            let result = match request["method"].as_str()? {
                "initialize" => {
                    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "events", "version": "1"}})
                }
                "tools/list" => {
                    json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
                }
                "tools/call" => json!({"content": [{"type": "text", "text": "done"}]}),
                _ => return None,
            };
            let message = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
            Some(events(before, &message.to_string()))
        });
        let runtime = runtime();
        let _remote = server.await.connect(&runtime).await.unwrap();
        assert_eq!(answer(&runtime, "far.t", "{}").await["data"], "done", "{before}");
    }
}

#[tokio::test]
async fn an_answer_in_an_event_of_another_name_is_no_answer() {
    let output = called(|request| {
        let message = |text: &str| {
            let result = json!({"content": [{"type": "text", "text": text}]});
            json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string()
        };
        let other = format!("event: ping\ndata: {}\n\n", message("of a ping"));
        events(&other, &message("done"))
    });
    assert_eq!(output.await["data"], "done");
}

/// Calls a tool whose server gives this response.
async fn called(respond: impl Fn(&Value) -> Response + Send + Sync + 'static) -> Value {
    let server = web(move |request, _| is(request, "tools/call").then(|| respond(request)));
    let runtime = runtime();
    let builder = server.await.call_timeout(Duration::from_secs(20));
    let remote = builder.connect(&runtime).await.unwrap();
    let output = answer(&runtime, "far.t", "{}").await;
    remote.close().await;
    output
}

#[tokio::test]
async fn an_unreadable_answer_ends_its_call_as_json_and_as_an_event() {
    let cut = |request: &Value| answered_text(request, r"cut \ud83d");
    let as_json = called(move |request| typed(cut(request), "application/json")).await;
    let as_event = called(move |request| events("", &cut(request))).await;
    let without_id = called(|_| events("", r#"{"jsonrpc":"2.0","result":NaN}"#)).await;
    let empty = called(|_| typed(String::new(), "application/json")).await;
    let other =
        called(|_| typed(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#.into(), "application/json"));
    for failed in [as_json, as_event, without_id, empty, other.await] {
        assert_eq!(
            failed["error"]["message"], "the answer of the server cannot be read",
            "{failed}"
        );
    }
}

#[tokio::test]
async fn an_answer_in_the_manner_of_other_libraries_is_read_as_json_and_as_an_event() {
    let nulls = |request: &Value| {
        answered_text(request, "done").replacen(
            '{',
            r#"{"method":null,"params":null,"error":null,"#,
            1,
        )
    };
    let batch = |request: &Value| {
        let other = r#"{"jsonrpc":"2.0","method":"notifications/progress","id":null,"params":{}}"#;
        format!("[{other},{}]", answered_text(request, "done"))
    };
    for written in [nulls as fn(&Value) -> String, batch] {
        let as_json = called(move |request| typed(written(request), "application/json")).await;
        let as_event = called(move |request| events("", &written(request))).await;
        for done in [as_json, as_event] {
            assert_eq!(done["data"], "done", "{done}");
        }
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered_and_its_call_goes_on() {
    let replied = Arc::new(Notify::new());
    let server = web(move |message, session| {
        if is(message, "tools/call") {
            let asked = r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":NaN}"#;
            let (asked, answer) = (format!("data: {asked}\n\n"), answered_text(message, "done"));
            let replied = Arc::clone(&replied);
            let events = stream::once(async move { asked }).chain(stream::once(async move {
                replied.notified().await;
                format!("data: {answer}\n\n")
            }));
            let body = Body::from_stream(events.map(Ok::<_, std::convert::Infallible>));
            return Some(([("content-type", "text/event-stream")], body).into_response());
        }
        let is_reply = message["id"] == 5 && message["error"]["code"] == -32600;
        (is_reply && session == Some(1)).then(|| {
            replied.notify_one();
            StatusCode::ACCEPTED.into_response()
        })
    });
    let runtime = runtime();
    let builder = server.await.call_timeout(Duration::from_secs(20));
    let remote = builder.connect(&runtime).await.unwrap();
    assert_eq!(answer(&runtime, "far.t", "{}").await["data"], "done");
    remote.close().await;
}

#[tokio::test]
async fn an_error_without_an_id_is_the_answer_of_its_request() {
    for status in [400, 422, 500, 503] {
        for id in [r#""id":null,"#, "", r#""id":"server-error","#] {
            let body =
                format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"no tea"}}}}"#);
            let failed = called(move |_| {
                let response = typed(body.clone(), "application/json");
                (StatusCode::from_u16(status).unwrap(), response).into_response()
            });
            let failed = failed.await;
            assert_eq!(
                failed["error"]["message"], "the server failed: no tea",
                "{status} {failed}"
            );
        }
    }
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no cup"}}"#;
    let failed = called(move |_| typed(body.to_owned(), "application/json")).await;
    assert_eq!(failed["error"]["code"], "INVALID_ARGUMENT");
}

#[tokio::test]
async fn a_request_that_is_only_accepted_ends_its_call() {
    let failed = called(|_| StatusCode::ACCEPTED.into_response()).await;
    let message = "the server accepted the request, and sent no answer";
    assert_eq!(failed["error"]["message"], message, "{failed}");
}

#[tokio::test]
async fn a_lost_session_is_made_again_however_the_server_says_it() {
    let named =
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"Session not found"}}"#;
    let unnamed = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    let named_event = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32001,\"message\":\"Session not found\"}}\n\n";
    for (status, body, media_type) in [
        (400, named, "application/json"),
        (400, unnamed, "application/json"),
        (400, "Invalid or missing session ID", "text/plain"),
        (400, "Bad Request", "text/plain"),
        (404, unnamed, "application/json"),
        (200, named, "application/json"),
        (200, unnamed, "application/json"),
        (200, named_event, "text/event-stream"),
        (410, "", "text/plain"),
    ] {
        let calls = AtomicUsize::new(0);
        let server = web(move |request, session| {
            let is_call = is(request, "tools/call");
            if is_call && calls.fetch_add(1, Ordering::SeqCst) == 0 {
                return None;
            }
            // The first session is forgotten after its first call.
            let is_lost = session == Some(1) && calls.load(Ordering::SeqCst) > 1;
            is_lost.then(|| {
                let body = body.replace("$ID", &request["id"].to_string());
                (StatusCode::from_u16(status).unwrap(), typed(body, media_type)).into_response()
            })
        });
        let (seen, runtime, short) = (Events::default(), runtime(), Duration::from_millis(20));
        let builder = seen.of(server.await.reconnect_delays(short, short));
        let _remote = builder.connect(&runtime).await.unwrap();
        seen.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
        assert_eq!(answer(&runtime, "far.t", "{}").await["data"], "done");
        let lost = answer(&runtime, "far.t", "{}").await;
        assert_eq!(lost["status"], "error", "{status} {body} {lost}");
        seen.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
        assert_eq!(answer(&runtime, "far.t", "{}").await["data"], "done", "{status} {body}");
    }
}

#[tokio::test]
async fn the_error_of_a_connection_names_its_reason() {
    let initialize =
        |respond: fn() -> Response| web(move |request, _| is(request, "initialize").then(respond));
    for (server, kind, expected) in [
        (
            initialize(|| typed("hello".into(), "text/plain")).await,
            RemoteErrorKind::Protocol,
            "it has the content type `text/plain`, expected `application/json`",
        ),
        (
            initialize(|| typed("{".into(), "application/json")).await,
            RemoteErrorKind::Protocol,
            "the answer of the server cannot be read",
        ),
        (
            initialize(|| events("", "{\"jsonrpc\":\"2.0\",\"id\":NaN,\"result\":1}")).await,
            RemoteErrorKind::Protocol,
            "the answer of the server cannot be read",
        ),
        (
            initialize(|| StatusCode::ACCEPTED.into_response()).await,
            RemoteErrorKind::Protocol,
            "sent no answer",
        ),
        (
            initialize(|| (StatusCode::NOT_FOUND, "no such page").into_response()).await,
            RemoteErrorKind::Connection,
            "HTTP status 404",
        ),
        (
            initialize(|| {
                let error =
                    json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": "no license"}});
                (StatusCode::BAD_REQUEST, typed(error.to_string(), "application/json"))
                    .into_response()
            })
            .await,
            RemoteErrorKind::Protocol,
            "the server refused to connect: no license (-32000)",
        ),
    ] {
        let error = server.connect(&runtime()).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(error.kind(), kind, "{error}");
    }
}
