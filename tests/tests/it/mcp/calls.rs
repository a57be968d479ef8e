//! Calls of tools: results, blocks, failures, progress and cancellation.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::mcp;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::Client;
use super::shop::{self, Orders};

#[tokio::test]
async fn a_result_has_text_structured_content_and_the_audit() {
    let mut client = Client::stateless(shop::server().0);
    let result = client.call("describe_article", json!({"id": 7})).await;
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": r#"{"id":7,"name":"article 7"}"#}])
    );
    assert_eq!(result["structuredContent"], json!({"id": 7, "name": "article 7"}));
    assert_eq!(result["resultType"], "complete");
    let audit = &result["_meta"]["tool-runtime/audit"];
    assert_eq!(
        (&audit["tool_name"], &audit["status"]),
        (&json!("describe_article"), &json!("success"))
    );
    assert!(audit["trace_id"].is_string() && audit["invocation_id"].is_string(), "{audit}");
    let greeting = client.call("greet", json!({"name": "Jo"})).await;
    assert_eq!(greeting["content"][0]["text"], "Hello, Jo!");
}

#[tokio::test]
async fn wrong_arguments_are_a_failed_result_and_an_unknown_tool_is_an_error() {
    let mut client = Client::stateless(shop::server().0);
    let failed = client.call("find_articles", json!({"querry": "tea", "limit": 99})).await;
    assert_eq!(failed["isError"], true);
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("INVALID_ARGUMENT") && text.contains("/limit"), "{text}");
    assert!(!text.contains("querry\":\"tea"), "{text}");
    assert!(failed.get("structuredContent").is_none());
    let error = &failed["_meta"]["tool-runtime/audit"]["error"];
    assert_eq!(error["code"], "INVALID_ARGUMENT", "{failed}");

    let unknown = client.request("tools/call", json!({"name": "find_article"})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["data"]["details"]["closest"][0], "find_articles", "{unknown}");
}

#[tokio::test]
async fn attachments_are_blocks_of_their_kinds() {
    let mut client = Client::stateless(shop::server().0);
    let result = client.call("draw", json!({})).await;
    let blocks = result["content"].as_array().unwrap();
    let kinds: Vec<_> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["image", "resource", "resource_link"], "{result}");
    assert_eq!((&blocks[0]["data"], &blocks[0]["mimeType"]), (&json!("AQID"), &json!("image/png")));
    assert_eq!(blocks[1]["resource"]["text"], "id\n1\n");
    assert_eq!(blocks[1]["resource"]["mimeType"], "text/csv");
    assert_eq!(blocks[2]["uri"], "https://shop.example/terms.pdf");
}

#[tokio::test]
async fn a_success_that_no_excerpt_fits_has_its_structured_content() {
    let mut client = Client::stateless(shop::terse_server());
    let result = client.call("describe_at_length", json!({})).await;
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(result["structuredContent"]["name"].as_str().unwrap().len(), 10_000);
    assert!(result["content"][0]["text"].as_str().unwrap().len() < 1000, "{result}");
}

#[tokio::test]
async fn a_call_goes_on_while_its_client_does_not_read_its_progress() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let params = json!({"name": "chatter", "arguments": {}, "_meta": {"progressToken": 1}});
    client.begin("tools/call", params).await;
    let ended = async {
        while orders.0.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the call ends");
}

#[tokio::test]
async fn a_panic_is_answered_at_once_without_its_text() {
    let mut client = Client::stateless(shop::server().0);
    let result = client.call("break_down", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(!result.to_string().contains("secret"), "{result}");
}

#[tokio::test]
async fn progress_is_told_before_the_result_and_never_falls() {
    for mut client in
        [Client::stateless(shop::server().0), Client::with_session(shop::server().0).await]
    {
        let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": "p-1"}});
        let id = client.begin("tools/call", params).await;
        let mut told = Vec::new();
        let result = loop {
            let message = client.read().await;
            if message["id"] == id {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], "p-1");
            told.push(message["params"]["progress"].as_f64().unwrap());
        };
        assert_eq!(told, [25.0, 50.0, 75.0]);
        assert_eq!(result["result"]["content"][0]["text"], "3");
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_and_leaves_the_client_usable() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    let id = client.begin("tools/call", json!({"name": "wait", "arguments": {}})).await;
    while orders.0.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let params = json!({"requestId": id, "reason": "enough"});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    while orders.0.load(Ordering::SeqCst) < 11 {
        tokio::task::yield_now().await;
    }
    let greeting = client.call("greet", json!({"name": "Jo"})).await;
    assert_eq!(greeting["content"][0]["text"], "Hello, Jo!");
}

#[tokio::test]
async fn a_repeated_write_is_replayed_by_the_key_of_its_metadata() {
    let orders = Orders::default();
    let runtime = shop::builder(&orders).permission("place_order", Permission::Allow);
    let runtime = runtime.policy(Policy::new()).store(MemoryStore::new()).build().unwrap();
    let mut client = Client::stateless(mcp::stdio(runtime).config(shop::config()));
    let order = |article: u32, key: Value| {
        json!({
            "name": "place_order", "arguments": {"article": article},
            "_meta": {"tool-runtime/idempotency-key": key},
        })
    };
    let first = client.request("tools/call", order(5, json!("k-1"))).await;
    assert_eq!(first["result"]["content"][0]["text"], "5", "{first}");
    let again = client.request("tools/call", order(5, json!("k-1"))).await;
    let audit = |answer: &Value| answer["result"]["_meta"]["tool-runtime/audit"].clone();
    assert_eq!(audit(&again)["meta"]["replayed"], true, "{again}");
    assert!(audit(&first)["meta"].get("replayed").is_none(), "{first}");
    assert_ne!(audit(&again)["invocation_id"], audit(&first)["invocation_id"]);
    let other = client.request("tools/call", order(6, json!("k-1"))).await;
    assert_eq!(other["result"]["isError"], true, "{other}");
    assert_eq!(audit(&other)["error"]["code"], "INVALID_ARGUMENT", "{other}");
    assert_eq!(audit(&other)["error"]["details"]["reason"], "key_reused", "{other}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_key_that_is_no_text_is_refused_and_nothing_runs() {
    let orders = Orders::default();
    let runtime = shop::builder(&orders).permission("place_order", Permission::Allow);
    let runtime = runtime.build().unwrap();
    let mut client = Client::stateless(mcp::stdio(runtime).config(shop::config()));
    for key in [json!(42), json!(""), json!(null), json!({"a": 1})] {
        let params = json!({
            "name": "place_order", "arguments": {"article": 5},
            "_meta": {"tool-runtime/idempotency-key": key},
        });
        let answer = client.request("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{key}: {answer}");
    }
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
}
