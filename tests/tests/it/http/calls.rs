//! Calls over a real connection: what a caller sees of the server, and the tool of a caller.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tool_runtime::CallRecord;
use tool_runtime::contracts::server::CallResponse;
use tool_runtime::http::{HttpConfig, router};
use tool_runtime::prelude::*;

use super::{call, get, listen, open, post, send};

/// Blocks the tools until the test releases them.
struct Gate {
    begun: Semaphore,
    go_on: Semaphore,
}

/// Watches until it is told to stop.
#[ai_tool(effect = "read")]
async fn watch(gate: &Gate, progress: &Progress) -> bool {
    progress.report(0.25, "watching");
    gate.begun.add_permits(1);
    gate.go_on.acquire().await.unwrap().forget();
    true
}

/// Writes, once it is let.
#[ai_tool(effect = "write")]
async fn write(gate: &Gate, dry_run: &DryRun) -> bool {
    gate.begun.add_permits(1);
    gate.go_on.acquire().await.unwrap().forget();
    !dry_run.is_active()
}

/// Adds one.
#[ai_tool(effect = "read")]
async fn next(
    /// To what.
    n: u32,
) -> u32 {
    n + 1
}

struct House {
    gate: Arc<Gate>,
    ended: UnboundedReceiver<(String, CallStatus)>,
    app: Router,
}

fn house(config: HttpConfig) -> House {
    let gate = Arc::new(Gate { begun: Semaphore::new(0), go_on: Semaphore::new(0) });
    let (tell, ended) = unbounded_channel();
    let runtime = Runtime::builder()
        .tool::<WatchTool>()
        .tool::<WriteTool>()
        .tool::<NextTool>()
        .shared_state(gate.clone())
        .permission("write", Permission::Allow)
        .observe(move |record: &CallRecord<'_>| {
            let _ = tell.send((record.tool().to_owned(), record.status()));
        })
        .build()
        .unwrap();
    House { gate, ended, app: router(runtime, config) }
}

/// Returns the bytes of a request for a call.
fn request(tool: &str, accept: &str) -> String {
    let body = json!({ "tool_name": tool, "input": {} }).to_string();
    format!(
        "POST /tools/call HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nx-tenant-id: yantian\r\n\
         x-site-id: yantian-main\r\nx-trace-id: trace-1\r\n\r\n{body}",
        body.len()
    )
}

/// Connects and sends these bytes.
async fn connected(app: Router, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(listen(app).await).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

/// Reads until this text has come.
async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read);
        if text.contains(wanted) {
            return text.into_owned();
        }
        let count = stream.read_buf(&mut read).await.unwrap();
        assert!(count > 0, "the server hung up after {:?}", String::from_utf8_lossy(&read));
    }
}

async fn begun(gate: &Gate) {
    gate.begun.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn a_read_is_interrupted_when_its_caller_hangs_up() {
    let mut house = house(open());
    for accept in ["application/json", "text/event-stream"] {
        let stream = connected(house.app.clone(), &request("watch", accept)).await;
        begun(&house.gate).await;
        drop(stream);
        let ended = house.ended.recv().await.unwrap();
        assert_eq!(ended, ("watch".to_owned(), CallStatus::Interrupted));
    }
}

#[tokio::test]
async fn a_write_runs_to_its_end_when_its_caller_hangs_up() {
    let mut house = house(open());
    for accept in ["application/json", "text/event-stream"] {
        let stream = connected(house.app.clone(), &request("write", accept)).await;
        begun(&house.gate).await;
        drop(stream);
        // The server has noticed the closed connection once it has interrupted a later read.
        let stream = connected(house.app.clone(), &request("watch", accept)).await;
        begun(&house.gate).await;
        drop(stream);
        let ended = house.ended.recv().await.unwrap();
        assert_eq!(ended, ("watch".to_owned(), CallStatus::Interrupted));
        house.gate.go_on.add_permits(1);
        let ended = house.ended.recv().await.unwrap();
        assert_eq!(ended, ("write".to_owned(), CallStatus::Executed));
    }
}

#[tokio::test]
async fn a_stream_tells_progress_while_the_tool_runs() {
    let house = house(open());
    let mut stream = connected(house.app, &request("watch", "text/event-stream")).await;
    let head = read_until(&mut stream, "\"message\":\"watching\"}\n\n").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
    assert!(!head.contains("event: result"), "{head}");
    house.gate.go_on.add_permits(1);
    let result = read_until(&mut stream, "\r\n0\r\n\r\n").await;
    let data = result.split("data: ").nth(1).and_then(|rest| rest.split('\n').next()).unwrap();
    let read: CallResponse<bool> = serde_json::from_str(data).unwrap();
    assert_eq!(read.output(), Some(&true));
}

#[tokio::test]
async fn a_body_that_never_comes_is_answered_and_the_connection_ended() {
    let house = house(open().body_timeout(Duration::from_millis(20)));
    let whole = request("next", "*/*");
    let mut stream = connected(house.app, &whole[..whole.len() - 5]).await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(r#""error_type":"TIMEOUT""#), "{answer}");
}

#[tokio::test]
async fn a_body_without_a_length_is_read_up_to_the_limit() {
    let chunked = |chunk: &str| {
        format!(
            "POST /tools/list HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\nx-tenant-id: yantian\r\nx-site-id: yantian-main\r\n\
             x-trace-id: trace-1\r\nconnection: close\r\n\r\n{:x}\r\n{chunk}\r\n0\r\n\r\n",
            chunk.len()
        )
    };
    for (chunk, status) in [("{}".to_owned(), "200"), ("[".repeat(65), "413")] {
        let app = house(open().max_body_bytes(64)).app;
        let mut stream = connected(app, &chunked(&chunk)).await;
        let answer = read_until(&mut stream, "\r\n\r\n{").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
}

#[tokio::test]
async fn every_refusal_has_the_same_body() {
    let app = house(open().max_body_bytes(256)).app;
    let plain = |request: axum::http::Request<_>| request;
    let mut text = post("/tools/call", "{}");
    text.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    let mut packed = post("/tools/call", "{}");
    packed.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    let mut anonymous = post("/tools/call", r#"{"tool_name":"next"}"#);
    anonymous.headers_mut().remove("x-tenant-id");
    let mut picture = post("/tools/call", r#"{"tool_name":"next"}"#);
    picture.headers_mut().insert("accept", "image/png".parse().unwrap());
    let refusals = [
        (plain(get("/nothing")), 404, "NOT_FOUND"),
        (get("/tools/call"), 405, "INVALID_ARGUMENT"),
        (picture, 406, "INVALID_ARGUMENT"),
        (text, 415, "INVALID_ARGUMENT"),
        (packed, 415, "INVALID_ARGUMENT"),
        (post("/tools/call", "[".repeat(257)), 413, "INVALID_ARGUMENT"),
        (post("/tools/call", "{"), 400, "INVALID_ARGUMENT"),
        (post("/tools/call", "\u{1}"), 400, "INVALID_ARGUMENT"),
        (post("/tools/call", b"\xff".to_vec()), 400, "INVALID_ARGUMENT"),
        (post("/tools/call", "{}"), 422, "INVALID_ARGUMENT"),
        (anonymous, 400, "INVALID_ARGUMENT"),
        (post("/tools/call", r#"{"tool_name":"nxt"}"#), 404, "NOT_FOUND"),
        (post("/tools/call", r#"{"tool_name":"next"}"#), 422, "INVALID_ARGUMENT"),
        (post("/tools/call", r#"{"tool_name":"next","input":[]}"#), 422, "INVALID_ARGUMENT"),
    ];
    for (request, status, error_type) in refusals {
        let what = format!("{request:?}");
        let answer = send(&app, request).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.text);
        assert_eq!(answer.header("content-type"), "application/json");
        let read: CallResponse = serde_json::from_str(&answer.text).expect(&what);
        assert_eq!(read.error_type(), Some(error_type), "{what}");
        assert!(!read.audit().trace_id().is_empty());
    }
}

#[tokio::test]
async fn a_call_answers_what_the_core_answers() {
    let app = house(open()).app;
    let answer = call(&app, "next", r#"{"n":"41"}"#).await;
    assert_eq!(answer.status, 200);
    let body = answer.json();
    assert_eq!(body["output"], 42);
    // The coercion is reported.
    assert_eq!(body["meta"]["coercions"][0]["pointer"], "/n");
    let unasked: Option<&Value> = body.get("error");
    assert_eq!(unasked, None);
}

#[tokio::test]
async fn a_name_that_no_tool_can_have_is_repeated_in_part_and_says_so() {
    let mut house = house(open());
    for (name, repeated) in [
        ("n".repeat(128), "n".repeat(128)),
        ("n".repeat(129), format!("{}…", "n".repeat(127))),
        ("名".repeat(100_000), format!("{}…", "名".repeat(127))),
    ] {
        let answer = call(&house.app, &name, "{}").await;
        let body = answer.json();
        assert_eq!((answer.status, &body["error_type"]), (404, &"NOT_FOUND".into()));
        assert_eq!(body["audit"]["tool_name"], repeated);
        assert!(answer.text.len() < 2_000, "{} bytes", answer.text.len());
        assert_eq!(house.ended.recv().await, Some((repeated, CallStatus::Rejected)));
    }
}
