//! Calls over the protocol on the ledger, and the end of a server on streams.

use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tokio::time::timeout;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::ledger::RecordStatus;
use tool_runtime::mcp;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::http::{WhoTool, stateless};
use super::shop::{self, Orders};
use super::{Client, STATELESS, WITH_SESSIONS};
use crate::http::{open, send};
use crate::ledger::{ledger, recorded};

/// Tells when its call has begun, and lets it go on.
#[derive(Debug, Clone, Default)]
struct Signals(std::sync::Arc<(Notify, Notify)>);

/// Sends a parcel.
#[ai_tool(effect = "write")]
async fn send_parcel(signals: &Signals, dry_run: &DryRun) -> &'static str {
    if !dry_run.is_active() {
        signals.0.0.notify_one();
        signals.0.1.notified().await;
    }
    "sent"
}

#[tokio::test(start_paused = true)]
async fn a_write_that_runs_when_the_client_leaves_is_awaited_also_as_a_task() {
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for capabilities in [json!({}), tasks] {
        let signals = Signals::default();
        let runtime = Runtime::builder().tool::<SendParcelTool>().state(signals.clone());
        let runtime = runtime.permission("send_parcel", Permission::Allow);
        let runtime = runtime.policy(Policy::new()).store(MemoryStore::new()).build().unwrap();
        let config = shop::config().task("send_parcel").task_after(Duration::ZERO);
        let is_task = capabilities != json!({});
        let mut client = Client::of(mcp::stdio(runtime).config(config), STATELESS, capabilities);
        client.begin("tools/call", json!({"name": "send_parcel", "arguments": {}})).await;
        signals.0.0.notified().await;
        if is_task {
            assert_eq!(client.read().await["result"]["resultType"], "task");
        }
        drop((client.input, client.output));
        let early = timeout(Duration::from_secs(5), &mut client.server).await;
        assert!(early.is_err(), "the write still runs: {early:?}");
        signals.0.1.notify_one();
        client.server.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_does_not_delay_the_end_of_a_server_whose_client_has_left() {
    let mut client = Client::stateless(shop::server().0);
    client
        .begin("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
        .await;
    client.read().await;
    drop((client.input, client.output));
    let ended = timeout(Duration::from_secs(1), client.server).await;
    ended.expect("it ends at once").unwrap().unwrap();
}

#[tokio::test]
async fn a_server_on_streams_has_flushed_its_ledger_when_it_ends() {
    let ledger = ledger();
    let runtime = shop::builder(&Orders::default()).ledger(&ledger).build().unwrap();
    let server = mcp::stdio(runtime).config(shop::config()).ledger(&ledger);
    let mut client = Client::stateless(server);
    client.call("greet", json!({"name": "Jo"})).await;
    client.end().await;
    assert_eq!(ledger.status().written, 1, "{:?}", ledger.status());
}

#[tokio::test]
async fn a_call_over_the_protocol_is_on_the_ledger_under_its_trace() {
    let ledger = ledger();
    let runtime = shop::builder(&Orders::default()).ledger(&ledger).build().unwrap();
    let app = mcp::router(runtime, open().without_tenants().mcp(shop::config()).ledger(&ledger));
    for (name, status) in [(json!("Jo"), RecordStatus::Success), (json!([]), RecordStatus::Error)] {
        let call = json!({"name": "greet", "arguments": {"name": name}});
        let result = send(&app, stateless("tools/call", call)).await.json()["result"].clone();
        let audit = &result["_meta"]["tool-runtime/audit"];
        let calls = recorded(&ledger).await;
        let call = calls.iter().find(|call| audit["trace_id"] == *call.trace_id).unwrap();
        assert_eq!((&*call.tool, call.status), ("greet", status), "{audit}");
        assert_eq!(audit["invocation_id"], call.invocation_id.to_string());
    }
}

#[tokio::test]
async fn the_user_and_the_tenant_of_a_server_on_streams_are_those_of_its_configuration() {
    let tenant = Tenant::parse("tianshui").unwrap();
    let runtime = Runtime::builder().tool::<WhoTool>().build().unwrap();
    let server = mcp::stdio(runtime).config(shop::config()).user("jo").tenant(tenant.clone());
    let mut client = Client::stateless(server);
    let foreign = json!({"user_id": "eve", "tenant_id": Uuid::max()});
    let mut params = json!({"name": "who", "arguments": foreign});
    params["_meta"] = foreign.clone();
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"], json!(["jo", tenant.id()]), "{answer}");
    client.end().await;
}

#[tokio::test]
async fn clients_of_each_older_revision_list_and_call() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", WITH_SESSIONS] {
        let mut client = Client::of(shop::server().0, revision, json!({}));
        let opening = json!({
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let opened = client.request("initialize", opening).await;
        assert_eq!(opened["result"]["protocolVersion"], revision, "{opened}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let listed = client.request("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "greet"), "{listed}");
        let answer = client.call("greet", json!({"name": "Jo"})).await;
        assert_eq!(answer["content"][0]["text"], "Hello, Jo!", "{answer}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_denied_tool_is_neither_listed_nor_called() {
    let orders = Orders::default();
    let builder = shop::builder(&orders).permission("place_order", Permission::Deny);
    let mut client = Client::stateless(mcp::stdio(builder.build().unwrap()).config(shop::config()));
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["name"] != "place_order"), "{listed}");
    let call = json!({"name": "place_order", "arguments": {"article": 7}});
    let refused = client.request("tools/call", call).await;
    assert_eq!(orders.0.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("FORBIDDEN"), "{text}");
    client.end().await;
}
