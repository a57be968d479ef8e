//! The memory that a client of the protocol may hold: values of its messages, sessions, unread answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tool_runtime::mcp;
use tool_runtime::prelude::*;

use super::http::{check_refusal, opening, stateless, with_session};
use super::shop::{self, Orders};
use super::{Client, WITH_SESSIONS};
use crate::http::{open, send};

/// A value of many small ones, of about so many bytes.
fn nested(bytes: usize) -> Value {
    json!({"a": vec![json!([[], [], {}]); bytes / 11]})
}

#[tokio::test]
async fn a_first_message_with_many_values_opens_a_session_without_them() {
    // The members that are kept of the message count, and fit 64 KiB; its values would not.
    let config = open().without_tenants().max_buffered_bytes_per_caller(64 * 1024);
    let config = config.max_body_bytes(64 * 1024).mcp(shop::config().sessions(true));
    let app = mcp::router(shop::runtime(&Orders::default()), config);
    let mut params = opening();
    params["capabilities"] = json!({"experimental": nested(20_000), "elicitation": {}});
    params["clientInfo"]["icons"] = nested(20_000);
    params["_meta"] = nested(10_000);
    let opened = send(&app, with_session("initialize", &params, None)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let session = opened.header("mcp-session-id");
    let list = send(&app, with_session("tools/list", &json!({}), Some(session))).await;
    assert!(list.text.contains("find_articles"), "{list:?}");
}

#[tokio::test]
async fn values_count_against_the_share_of_the_caller_and_are_bounded() {
    let config = open().without_tenants().max_buffered_bytes_per_caller(64 * 1024);
    let config = config.max_body_bytes(64 * 1024).mcp(shop::config());
    let app = mcp::router(shop::runtime(&Orders::default()), config);
    let greeting = |responses: Value| {
        let arguments = json!({"name": "Jo"});
        let params = json!({"name": "greet", "arguments": arguments, "inputResponses": responses});
        stateless("tools/call", params)
    };
    let answered = send(&app, greeting(json!({"a": vec![0; 100]}))).await;
    assert_eq!(answered.json()["result"]["isError"], false, "{answered:?}");
    // 6 kB of text are 768 kB of values.
    let refused = send(&app, greeting(json!({"a": vec![0; 3_000]}))).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    check_refusal(&refused, -32000);
    for request in [
        greeting(nested(60_000)),
        stateless("tasks/update", json!({"taskId": "1", "inputResponses": nested(60_000)})),
        stateless("completion/complete", json!({"ref": {}, "argument": nested(60_000)})),
        stateless("subscriptions/listen", json!({"notifications": nested(60_000)})),
    ] {
        let refused = send(&app, request).await;
        let error = refused.json();
        assert_eq!((refused.status, &error["error"]["code"]), (400, &json!(-32602)), "{error}");
        assert_eq!(error["id"], 1, "{error}");
    }
    // Nothing reads these.
    for member in ["_meta", "context"] {
        let mut params = json!({"name": "greet", "arguments": {"name": "Jo"}});
        params[member] = json!({"x": nested(50_000)});
        let answered = send(&app, stateless("tools/call", params)).await;
        assert_eq!(answered.json()["result"]["isError"], false, "{answered:?}");
    }
}

#[tokio::test]
async fn arguments_that_the_protocol_compares_with_a_header_count_too() {
    let routed = DynamicTool::new("routed", Effect::Read)
        .description("Has a parameter in a header.")
        .input_schema(json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "rows": {"type": "array", "items": {"type": "integer"}},
            },
        }))
        .handler(|_| async { Ok::<_, Failure>("done") });
    let runtime = Runtime::builder().dynamic(routed).build().unwrap();
    let config = open().without_tenants().max_buffered_bytes_per_caller(64 * 1024);
    let app = mcp::router(runtime, config.max_body_bytes(64 * 1024).mcp(shop::config()));
    for (rows, status) in [(10, 200), (3_000, 429)] {
        let arguments = json!({"region": "eu", "rows": vec![1; rows]});
        let mut call = stateless("tools/call", json!({"name": "routed", "arguments": arguments}));
        call.headers_mut().insert("mcp-param-region", "eu".parse().unwrap());
        let answer = send(&app, call).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if status == 429 {
            check_refusal(&answer, -32000);
        }
    }
}

#[tokio::test]
async fn the_sessions_of_one_caller_are_few_unless_the_host_sets_another_number() {
    let opened = async |config: mcp::McpConfig| {
        let config = open().without_tenants().mcp(config);
        let app = mcp::router(shop::runtime(&Orders::default()), config);
        let mut opened = 0;
        while opened < 200 {
            let answer = send(&app, with_session("initialize", &opening(), None)).await;
            if answer.status != 200 {
                assert_eq!(answer.status, 429, "{answer:?}");
                check_refusal(&answer, -32000);
                break;
            }
            opened += 1;
        }
        opened
    };
    assert_eq!(opened(shop::config().sessions(true)).await, 64);
    assert_eq!(opened(shop::config().max_sessions(6)).await, 3);
    assert_eq!(opened(shop::config().sessions(true).max_sessions_per_caller(70)).await, 70);
}

fn posted(body: &str) -> Request<Body> {
    let mut request = with_session("", &json!({}), None);
    *request.body_mut() = body.to_owned().into();
    request
}

#[tokio::test]
async fn every_refusal_of_a_message_is_json_with_the_id_that_it_has() {
    for sessions in [false, true] {
        let config = open().without_tenants().mcp(shop::config().sessions(sessions));
        let app = mcp::router(shop::runtime(&Orders::default()), config);
        for (members, id, code) in [
            (r#""id":null,"method":"ping""#, Value::Null, -32600),
            (r#""id":1.5,"method":"ping""#, json!(1.5), -32600),
            (r#""id":[],"method":"ping""#, Value::Null, -32600),
            (r#""id":7,"method":5"#, json!(7), -32600),
            (r#""id":7,"method":"tools/list","params":[]"#, json!(7), -32602),
            (r#""id":7,"method":"initialize","params":{}"#, json!(7), -32602),
            (r#""id":7,"result":{},"error":{}"#, json!(7), -32600),
            (r#""id":7,"error":{}"#, json!(7), -32600),
            (
                r#""id":7,"method":"tools/list","params":{"cursor":5},"jsonrpc":"2.0""#,
                json!(7),
                -32600,
            ),
        ] {
            let answer = send(&app, posted(&format!(r#"{{"jsonrpc":"2.0",{members}}}"#))).await;
            assert_eq!(answer.header("content-type"), "application/json", "{members}: {answer:?}");
            let (error, status) = (answer.json(), answer.status);
            let got = (status, &error["id"], &error["error"]["code"]);
            // The id of a response is none of a request.
            let id = if members.contains("error") && !members.contains("result") {
                &error["id"]
            } else {
                &id
            };
            assert_eq!(got, (400, id, &json!(code)), "{members}: {error}");
        }
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        for (header, value, status) in
            [("accept", "text/html", 406), ("mcp-protocol-version", "1999-01-01", 400)]
        {
            let mut request = posted(ping);
            request.headers_mut().insert(header, value.parse().unwrap());
            let answer = send(&app, request).await;
            let error = answer.json();
            assert_eq!((answer.status, &error["id"]), (status, &json!(7)), "{header}: {answer:?}");
            assert!(error["error"]["message"].is_string(), "{error}");
        }
        let mut other = posted(ping);
        other.headers_mut().insert("content-type", "application/jsonrequest+json".parse().unwrap());
        assert_ne!(send(&app, other).await.status, 415, "the type is one of JSON");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_a_client_does_not_read_stop_the_reading_of_its_requests() {
    const REQUESTS: usize = 3_000;
    let mut client = Client::with_session(shop::server().0).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = sent.clone();
    let mut input = client.input;
    let sending = tokio::spawn(async move {
        for id in 0..REQUESTS {
            let request = json!({"jsonrpc": "2.0", "id": id + 1_000, "method": "tools/list"});
            input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
            counter.store(id, Ordering::SeqCst);
        }
        input
    });
    // Time passes only when nothing else can happen.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let waiting = sent.load(Ordering::SeqCst);
    assert!(waiting < 2_000, "{waiting} requests were read, each with an answer of some kB");
    let mut ids = Vec::new();
    for _ in 0..REQUESTS {
        let line = client.output.next_line().await.unwrap().expect("the server goes on");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["result"]["tools"].is_array(), "{answer}");
        ids.push(answer["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert!(ids.iter().copied().eq((0..REQUESTS as u64).map(|id| id + 1_000)));
    drop((sending.await.unwrap(), client.output));
    client.server.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_is_cancelled_also_while_many_others_run() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    for _ in 0..300 {
        client.begin("tools/call", json!({"name": "wait", "arguments": {}})).await;
    }
    let running = async {
        while orders.0.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(1), running).await.expect("some of them run");
    // The first request is `initialize`. Cancelled requests have no answer.
    for id in 2..302 {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }
    let pong = client.request("ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    let calls = orders.0.load(Ordering::SeqCst);
    assert!(calls <= 128 * 11, "{calls}: of 300 calls 128 run at a time");
}

#[tokio::test]
async fn messages_before_the_one_that_opens_the_protocol_end_nothing() {
    let stray = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/unheard_of"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -1, "message": "?"}}),
    ];
    let mut client = Client::of(shop::server().0, WITH_SESSIONS, json!({}));
    for message in &stray {
        client.send(message).await;
    }
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    for message in &stray {
        client.send(message).await;
    }
    // A request that does not open the protocol is answered, and nothing ends after it either.
    assert!(client.request("tools/list", json!({})).await["error"].is_object());
    for message in &stray {
        client.send(message).await;
    }
    let opened = client.request("initialize", opening()).await;
    assert_eq!(opened["result"]["protocolVersion"], WITH_SESSIONS, "{opened}");
    client.end().await;
    let mut client = Client::stateless(shop::server().0);
    client.send(&stray[3]).await;
    client.call("greet", json!({"name": "Jo"})).await;
    client.end().await;
}
