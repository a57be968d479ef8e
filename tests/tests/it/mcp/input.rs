//! Questions to the client's user: confirmations of calls, and what tools ask.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tool_runtime::ledger::{Ledger, LedgerQuery, MemoryLedger};
use tool_runtime::mcp;
use tool_runtime::policy::{BreakerConfig, Policy, ToolPolicy};

use super::{Client, STATELESS, WITH_SESSIONS, shop};
use crate::ledger::ring;

fn retried(first: &Value, tool: &str, arguments: &Value, responses: &Value) -> Value {
    json!({
        "name": tool, "arguments": arguments,
        "inputResponses": responses, "requestState": first["requestState"],
    })
}

#[tokio::test]
async fn a_call_that_asks_is_confirmed_in_a_second_round_and_runs_once() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let arguments = json!({"article": 5});
    let first = client.call("place_order", arguments.clone()).await;
    assert_eq!(first["resultType"], "input_required", "{first}");
    let asked = &first["inputRequests"]["confirmation"];
    assert_eq!(asked["method"], "elicitation/create");
    assert!(asked["params"]["message"].as_str().unwrap().contains("place_order"), "{asked}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
    let accepted = json!({"confirmation": {"action": "accept", "content": {}}});
    let params = retried(&first, "place_order", &arguments, &accepted);
    let second = client.request("tools/call", params.clone()).await["result"].clone();
    assert_eq!(second["content"][0]["text"], "5", "{second}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
    let third = client.request("tools/call", params).await;
    assert_eq!(third["result"]["isError"], true, "{third}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_the_user_declines_does_not_run() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let arguments = json!({"article": 5});
    let first = client.call("place_order", arguments.clone()).await;
    let declined = json!({"confirmation": {"action": "decline"}});
    let params = retried(&first, "place_order", &arguments, &declined);
    let second = client.request("tools/call", params).await["result"].clone();
    assert_eq!(second["isError"], true);
    assert!(second["content"][0]["text"].as_str().unwrap().contains("DECLINED"), "{second}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_user_whose_name_has_invisible_characters_declines_for_good() {
    let ledger = Ledger::builder(ring()).open(MemoryLedger::new(100)).unwrap();
    let orders = shop::Orders::default();
    let runtime = shop::builder(&orders).ledger(&ledger).build().unwrap();
    let server = mcp::stdio(runtime).config(shop::config()).user("Jo\u{200b}e\u{202e}");
    let mut client = Client::stateless(server);
    let arguments = json!({"article": 5});
    let first = client.call("place_order", arguments.clone()).await;
    for action in ["decline", "accept"] {
        let confirmation = json!({"confirmation": {"action": action, "content": {}}});
        let params = retried(&first, "place_order", &arguments, &confirmation);
        let answer = client.request("tools/call", params).await["result"].clone();
        assert_eq!(answer["isError"], true, "{action}: {answer}");
    }
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
    ledger.flush().await.unwrap();
    let calls = ledger.find(LedgerQuery::new()).await.unwrap().records;
    let decliners = calls.into_iter().filter_map(|(_, call)| call.approval?.declined_by);
    assert_eq!(decliners.collect::<Vec<_>>(), ["user:Joe by stdio"]);
}

#[tokio::test]
async fn a_client_with_a_session_is_asked_while_the_call_waits() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    let params = json!({"name": "place_order", "arguments": {"article": 5}});
    let id = client.begin("tools/call", params).await;
    let asked = client.read().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer =
        json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}});
    client.send(&answer).await;
    let result = client.read().await;
    assert_eq!((&result["id"], &result["result"]["content"][0]["text"]), (&json!(id), &json!("5")));
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_to_the_question_of_a_cancelled_request_runs_nothing() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    let params = json!({"name": "place_order", "arguments": {"article": 5}});
    let id = client.begin("tools/call", params).await;
    let asked = client.read().await;
    let cancelled = json!({"requestId": id, "reason": "enough"});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
        .await;
    let accepted =
        json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}});
    client.send(&accepted).await;
    for _ in 0..20 {
        let greeting =
            client.begin("tools/call", json!({"name": "greet", "arguments": {"name": "Jo"}}));
        let greeting = greeting.await;
        while client.read().await["id"] != greeting {}
    }
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_an_error_with_the_ticket() {
    let (server, orders) = shop::server();
    let mut client = Client::of(server, STATELESS, json!({}));
    let result = client.call("place_order", json!({"article": 5})).await;
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("NEEDS_USER_CONFIRMATION") && !text.contains("signature"), "{text}");
    let error = &result["_meta"]["tool-runtime/audit"]["error"];
    assert!(!error["details"]["ticket"].is_null(), "{error}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_tool_asks_over_several_rounds_and_then_acts_once() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let first = client.call("book", json!({})).await;
    assert_eq!(first["inputRequests"]["guest"]["params"]["message"], "Who comes?", "{first}");
    let guest = json!({"guest": {"action": "accept", "content": {"name": "Ada"}}});
    let params = retried(&first, "book", &json!({}), &guest);
    let second = client.request("tools/call", params).await["result"].clone();
    assert_eq!(second["resultType"], "input_required", "{second}");
    assert_ne!(first["requestState"], second["requestState"]);
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
    let day = json!({"day": {"action": "accept", "content": {"day": "Monday"}}});
    let params = retried(&second, "book", &json!({}), &day);
    let third = client.request("tools/call", params).await["result"].clone();
    assert_eq!(third["content"][0]["text"], r#""Ada" comes on "Monday""#, "{third}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_confirmed_call_asks_its_user_in_further_rounds() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let arguments = json!({"nights": 2});
    let accepted = json!({"confirmation": {"action": "accept", "content": {}}});
    let guest = json!({"guest": {"action": "accept", "content": {"name": "Ada"}}});
    let mut round = client.call("reserve", arguments.clone()).await;
    for (asked, answer) in
        [("confirmation", &accepted), ("guest", &guest), ("confirmation", &accepted)]
    {
        assert_eq!(round["resultType"], "input_required", "{round}");
        assert!(!round["inputRequests"][asked].is_null(), "{asked}: {round}");
        assert_eq!(orders.0.load(Ordering::SeqCst), 0);
        let params = retried(&round, "reserve", &arguments, answer);
        round = client.request("tools/call", params).await["result"].clone();
    }
    assert_eq!(round["content"][0]["text"], r#"2 nights for "Ada""#, "{round}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_was_confirmed_in_a_session_asks_its_user_in_place() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    let params = json!({"name": "reserve", "arguments": {"nights": 2}});
    let id = client.begin("tools/call", params).await;
    for content in [json!({}), json!({"name": "Ada"})] {
        let asked = client.read().await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = json!({"action": "accept", "content": content});
        client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
    }
    let result = client.read().await;
    assert_eq!(result["id"], id);
    assert_eq!(result["result"]["content"][0]["text"], r#"2 nights for "Ada""#, "{result}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_question_is_no_failure_of_the_tool() {
    let orders = shop::Orders::default();
    let breaker = BreakerConfig::failures_in_a_row(1).unwrap();
    let policy = Policy::new().rules(ToolPolicy::new().breaker(breaker));
    let runtime = shop::builder(&orders).policy(policy).build().unwrap();
    let mut client = Client::stateless(mcp::stdio(runtime).config(shop::config()));
    for _ in 0..3 {
        let asked = client.call("book", json!({})).await;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
    }
}

#[tokio::test]
async fn answers_belong_to_the_arguments_that_they_were_given_for() {
    let (server, orders) = shop::server();
    let mut client = Client::stateless(server);
    let first = client.call("book", json!({})).await;
    let guest = json!({"guest": {"action": "accept", "content": {"name": "Ada"}}});
    let other = retried(&first, "book", &json!({"for": "Jo"}), &guest);
    let refused = client.request("tools/call", other).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(orders.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_altered_state_and_one_of_another_tool_are_refused() {
    let mut client = Client::stateless(shop::server().0);
    let first = client.call("book", json!({})).await;
    let state = first["requestState"].as_str().unwrap();
    for (tool, state) in
        [("book", format!("{state}x")), ("greet", state.to_owned()), ("book", "x".to_owned())]
    {
        let params = json!({"name": tool, "arguments": {"name": "Jo"}, "requestState": state, "inputResponses": {}});
        let refused = client.request("tools/call", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[tokio::test]
async fn a_tool_asks_a_client_with_a_session_in_place() {
    let (server, orders) = shop::server();
    let mut client = Client::with_session(server).await;
    let id = client.begin("tools/call", json!({"name": "book", "arguments": {}})).await;
    for (key, value) in [("name", "Ada"), ("day", "Monday")] {
        let asked = client.read().await;
        assert!(!asked["params"]["requestedSchema"]["properties"][key].is_null(), "{asked}");
        let result = json!({"action": "accept", "content": {key: value}});
        client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
    }
    let result = client.read().await;
    assert_eq!(result["id"], id);
    assert_eq!(result["result"]["content"][0]["text"], r#""Ada" comes on "Monday""#);
    assert_eq!(orders.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_tool_learns_that_its_caller_has_no_user_to_ask() {
    let mut client = Client::of(shop::server().0, WITH_SESSIONS, json!({}));
    let params = json!({
        "protocolVersion": WITH_SESSIONS, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    client.request("initialize", params).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let result = client.call("book", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("input_required"), "{result}");
}
