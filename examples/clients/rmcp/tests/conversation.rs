//! `rmcp`'s own client converses with the program, and a runtime in this process sees a
//! cancellation.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ErrorCode,
};
use rmcp::service::{PeerRequestOptions, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceError, ServiceExt as _};
use rmcp_client::Server;
use shop::provider;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tool_runtime::prelude::*;
use tool_runtime::serde_json::{self, Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_rmcp-client");

async fn connect() -> RunningService<RoleClient, ()> {
    ().serve(TokioChildProcess::new(Command::new(PROGRAM)).unwrap()).await.unwrap()
}

fn request(name: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(rmcp::model::object(arguments))
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn the_tools_are_listed_in_the_order_of_their_names() {
    let client = connect().await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap(), tools);
    let tools = serde_json::to_value(tools).unwrap();
    assert_eq!(tools.as_array().unwrap().len(), 2);

    assert_eq!(tools[0]["name"], "shop_order");
    assert_eq!(tools[0]["description"], "Orders packets of an article.");
    assert_eq!(tools[0]["outputSchema"]["properties"]["cents"]["type"], "integer");
    let write = json!({
        "readOnlyHint": false, "destructiveHint": false,
        "idempotentHint": false, "openWorldHint": false,
    });
    assert_eq!(tools[0]["annotations"], write);

    assert_eq!(tools[1]["name"], "shop_search");
    assert_eq!(tools[1]["inputSchema"]["properties"]["limit"]["maximum"], 10);
    let read = json!({
        "readOnlyHint": true, "destructiveHint": false,
        "idempotentHint": true, "openWorldHint": false,
    });
    assert_eq!(tools[1]["annotations"], read);
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn the_model_corrects_its_search() {
    let client = connect().await;
    let wrong = request("shop_search", json!({ "query": "green", "limit": 50 }));
    let result = client.call_tool(wrong).await.unwrap();
    assert_eq!((result.is_error, &result.structured_content), (Some(true), &None));
    let error = text(&result);
    assert!(error.contains("INVALID_ARGUMENT") && error.contains("/limit"), "{error}");

    let right = request("shop_search", json!({ "query": "bancha" }));
    let result = client.call_tool(right).await.unwrap();
    let articles = r#"[{"sku":"T-2","title":"Bancha, green tea","cents":640}]"#;
    assert_eq!((result.is_error, text(&result)), (Some(false), articles));
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn an_order_waits_for_a_person() {
    let client = connect().await;
    let order = request("shop_order", json!({ "sku": "T-2", "packets": 2 }));
    let result = client.call_tool(order).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    assert!(text(&result).contains("NEEDS_USER_CONFIRMATION"), "{}", text(&result));
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let client = connect().await;
    let error = client.call_tool(request("shop_refund", json!({}))).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "unknown tool: shop_refund");
    client.cancel().await.unwrap();
}

/// Starts a session of a protocol version, sends requests, and returns the responses in the order
/// of their ids.
async fn responses(version: &str, requests: &[Value]) -> Vec<Value> {
    let client = json!({ "name": "test", "version": "0" });
    let parameters =
        json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    let opening = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    let input: String = opening.iter().chain(requests).map(|line| format!("{line}\n")).collect();
    let output = provider::run(PROGRAM, &[], &input).await.unwrap().stdout;
    // Each line of the output is a message of the protocol.
    let mut responses: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(responses.iter().all(|message| message["jsonrpc"] == "2.0"), "{output}");
    responses.sort_by_key(|response| response["id"].as_u64());
    responses
}

#[tokio::test]
async fn the_output_is_the_protocol_only() {
    let call = |id: u64, name: &str, arguments: Value| {
        let parameters = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters })
    };
    let requests = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        call(2, "shop_search", json!({ "query": "bancha" })),
        call(3, "shop_order", json!({ "sku": "T-2", "packets": 2 })),
    ];
    let responses = responses("2025-06-18", &requests).await;
    assert_eq!(responses.len(), 4, "{responses:?}");
    assert_eq!(responses[0]["result"]["serverInfo"]["name"], "shop");

    // This version knows structured content of objects only.
    let tools = &responses[1]["result"]["tools"];
    assert_eq!(tools[0]["outputSchema"]["type"], "object");
    assert!(tools[1].get("outputSchema").is_none(), "{tools}");
    assert!(responses[2]["result"].get("structuredContent").is_none(), "{}", responses[2]);
    assert_eq!(responses[3]["result"]["isError"], true);
}

/// The two ends of a call that runs until it is cancelled.
#[derive(Debug, Default)]
struct Signals {
    started: Mutex<Option<oneshot::Sender<()>>>,
    ended: Mutex<Option<oneshot::Sender<()>>>,
}

/// Waits until the call is cancelled.
#[ai_tool(effect = "read", name = "wait")]
async fn wait(signals: &Signals) -> bool {
    // Dropped with the tool's future, which the receiver sees.
    let _ended = signals.ended.lock().unwrap().take();
    signals.started.lock().unwrap().take().unwrap().send(()).unwrap();
    std::future::pending().await
}

/// Has a name that MCP allows and providers do not.
#[ai_tool(
    effect = "read",
    name = "a.name.that.is.longer.than.the.sixty.four.characters.of.most.providers"
)]
fn long_name() -> bool {
    true
}

/// Answers with an object.
#[ai_tool(effect = "read", name = "article")]
fn article() -> Label {
    Label { sku: "T-2".to_owned() }
}

/// An article's label.
#[ai_type]
struct Label {
    sku: String,
}

async fn serve(runtime: Runtime) -> RunningService<RoleClient, ()> {
    let (server, client) = tokio::io::duplex(4096);
    tokio::spawn(async { Server::new(runtime).serve(server).await.unwrap().waiting().await });
    ().serve(client).await.unwrap()
}

#[tokio::test]
async fn an_object_is_structured_content() {
    let client = serve(Runtime::builder().tool::<ArticleTool>().build().unwrap()).await;
    let result = client.call_tool(CallToolRequestParams::new("article")).await.unwrap();
    assert_eq!(result.structured_content, Some(json!({ "sku": "T-2" })));
    assert_eq!(text(&result), r#"{"sku":"T-2"}"#);
}

#[tokio::test]
async fn a_long_name_is_declared_within_64_characters() {
    let client = serve(Runtime::builder().tool::<LongNameTool>().build().unwrap()).await;
    let name = client.list_all_tools().await.unwrap()[0].name.clone();
    assert!(name.starts_with("a_name_that_") && name.len() == 64, "{name}");
    let result = client.call_tool(CallToolRequestParams::new(name)).await.unwrap();
    assert_eq!(text(&result), "true");
}

#[tokio::test]
async fn a_cancelled_request_ends_the_call() {
    let (started, is_started) = oneshot::channel();
    let (ended, is_ended) = oneshot::channel();
    let signals = Signals { started: Mutex::new(Some(started)), ended: Mutex::new(Some(ended)) };
    let runtime = Runtime::builder().tool::<WaitTool>().state(signals).build().unwrap();
    let client = serve(runtime).await;

    let call = CallToolRequest::new(CallToolRequestParams::new("wait"));
    let call = ClientRequest::CallToolRequest(call);
    let options = PeerRequestOptions::no_options();
    let request = client.send_cancellable_request(call, options).await.unwrap();
    is_started.await.unwrap();
    request.cancel(Some("not needed".to_owned())).await.unwrap();
    // The tool's future is dropped without an answer, long before the deadline of 30 s.
    timeout(Duration::from_secs(10), is_ended).await.unwrap().unwrap_err();
}
