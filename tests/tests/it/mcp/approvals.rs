//! Calls that wait for approval, decided by the user of a client and over the HTTP API.

use std::sync::atomic::Ordering;

use axum::http::Request;
use serde_json::{Value, json};
use tool_runtime::http;

use super::http::stateless;
use super::shop::{self, Orders};
use crate::http::{get, open, send};

#[tokio::test]
async fn a_ticket_is_decided_once_by_the_user_of_a_client_or_by_an_approver() {
    let orders = Orders::default();
    let config = open().without_tenants().four_eyes(false).mcp(shop::config());
    let app = http::router(shop::runtime(&orders), config);
    let capable = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let order = |article: u32| json!({"name": "place_order", "arguments": {"article": article}, "_meta": capable});
    let ask = async |article: u32| {
        let first = send(&app, stateless("tools/call", order(article))).await.json();
        let first = first["result"].clone();
        assert_eq!(first["resultType"], "input_required", "{first}");
        let waiting = send(&app, get("/approvals")).await.json();
        let ticket = waiting["approvals"][0]["ticket"].as_str().expect("a ticket").to_owned();
        (first, ticket)
    };
    let answer = async |article: u32, first: &Value, action: &str| {
        let mut params = order(article);
        params["inputResponses"] = json!({"confirmation": {"action": action, "content": {}}});
        params["requestState"] = first["requestState"].clone();
        send(&app, stateless("tools/call", params)).await.json()["result"].clone()
    };
    let decide = async |ticket: &str, decision: Value| {
        let request = Request::post(format!("/approvals/{ticket}"));
        let request = request.header("content-type", "application/json");
        send(&app, request.body(decision.to_string().into()).unwrap()).await
    };
    let (approve, decline) =
        (json!({"decision": "approve"}), json!({"decision": "decline", "feedback": "no"}));
    let placed = || orders.0.load(Ordering::SeqCst);

    let (first, ticket) = ask(1).await;
    assert_eq!(decide(&ticket, approve.clone()).await.status, 200);
    let late = answer(1, &first, "accept").await;
    assert_eq!((&late["isError"], placed()), (&json!(true), 1), "{late}");

    let (first, ticket) = ask(2).await;
    let accepted = answer(2, &first, "accept").await;
    assert_eq!(accepted["content"][0]["text"], "2", "{accepted}");
    let late = decide(&ticket, approve.clone()).await;
    assert!([404, 409, 410].contains(&late.status), "{}", late.text);

    let (first, ticket) = ask(3).await;
    assert_eq!(decide(&ticket, decline).await.status, 200);
    let late = answer(3, &first, "accept").await;
    assert_eq!((&late["isError"], placed()), (&json!(true), 2), "{late}");

    for round in 0..20 {
        let (first, ticket) = ask(10 + round).await;
        let (by_user, by_approver) =
            futures::join!(answer(10 + round, &first, "accept"), decide(&ticket, approve.clone()));
        assert_eq!(placed(), 3 + round, "{by_user} {by_approver:?}");
        let successes = [by_user["isError"] != true, by_approver.status == 200];
        assert_eq!(successes.iter().filter(|it| **it).count(), 1, "{by_user} {by_approver:?}");
    }
}
