//! Messages on standard streams, as bytes that a client writes.

use serde_json::{Value, json};
use tool_runtime::mcp::StdioError;
use tool_runtime::prelude::*;

use super::shop::{self, Orders};
use super::{Client, WITH_SESSIONS};

fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// Returns the violations of a call that was refused.
fn violations(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn arguments_reach_the_validator_as_they_were_sent() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    client.send_line(&call(7, "place_order", r#"{"article":7,"article":8}"#)).await;
    assert!(violations(&client.read().await).contains("duplicate"));
    client.send_line(&call(8, "place_order", r#"{"article":1e400}"#)).await;
    let answer = client.read().await;
    assert!(violations(&answer).contains("4294967295"), "{answer}");
    let deep = format!(r#"{{"article":{}7{}}}"#, "[".repeat(300), "]".repeat(300));
    client.send_line(&call(9, "place_order", &deep)).await;
    let answer = client.read().await;
    assert_eq!(answer["id"], 9, "{answer}");
    assert!(violations(&answer).contains("INVALID_ARGUMENT"), "{answer}");
    client.send_line(&call(10, "place_order", r#"["article"]"#)).await;
    assert_eq!(client.read().await["error"]["code"], -32602);
    assert_eq!(orders_placed(&orders), 0);
    client.send_line(&call(11, "describe_article", r#"{"id":7}"#)).await;
    assert_eq!(client.read().await["result"]["structuredContent"]["id"], 7);
    client.end().await;
}

fn orders_placed(orders: &Orders) -> u32 {
    orders.0.load(std::sync::atomic::Ordering::SeqCst)
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_server_goes_on() {
    let mut client = Client::with_session(shop::server().0).await;
    for (line, id, code) in [
        (r#"{"jsonrpc":"2.0","id":7,"#, Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"{"id":7,"method":"tools/list"}"#, json!(7), -32600),
        (r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}"#, json!("a"), -32602),
        (r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#, Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":5}"#, json!(7), -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
        (r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"a":nan}}"#, json!("a"), -32700),
    ] {
        client.send_line(line).await;
        let answer = client.read().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}");
    }
    // Neither an empty line nor a notification has an answer.
    for line in ["", r#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#] {
        client.send_line(line).await;
    }
    assert_eq!(client.call("greet", json!({"name": "Jo"})).await["isError"], false);
    client.end().await;
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_server_with_an_error() {
    let mut client = Client::with_session(shop::server().0).await;
    client.send_line(&"x".repeat(16 * 1024 * 1024 + 1)).await;
    let ended = client.server.await.unwrap();
    assert!(
        matches!(&ended, Err(StdioError::Stream(error)) if error.to_string().contains("longer")),
        "{ended:?}"
    );
}

#[tokio::test]
async fn a_server_without_a_configuration_has_the_name_of_its_program() {
    let runtime = Runtime::builder().build().unwrap();
    let server = tool_runtime::mcp::stdio(runtime);
    let mut client = Client::of(server, WITH_SESSIONS, json!({}));
    let opening = json!({
        "protocolVersion": WITH_SESSIONS, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let opened = client.request("initialize", opening).await;
    let name = opened["result"]["serverInfo"]["name"].as_str().unwrap();
    let program = std::env::current_exe().unwrap();
    assert_eq!(name, program.file_stem().unwrap().to_str().unwrap());
}
