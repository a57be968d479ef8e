//! The real model through the loop, where it is installed.
//!
//!     examples/proxy-agent/real-model/run cargo test -p needle-model

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[allow(dead_code, reason = "the quickstart itself uses the rest")]
#[path = "../../quickstart/src/world.rs"]
mod world;

use std::io;
use std::time::Duration;

use heritage_server::{Host, Options};
use needle_model::NeedleModel;
use tool_runtime::agent::{ChatModel, ChatRequest, LoopEnd, LoopReport, ModelMessage, ToolLoop};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::prelude::*;

/// An order of the shop.
#[ai_type]
#[derive(Debug)]
struct Order {
    /// The order's id.
    order_id: String,
    /// The state of the order.
    state: String,
}

/// Returns an order of the shop by its id.
#[ai_tool(effect = "read")]
fn get_order(
    /// Id of the order, such as A-17.
    order_id: String,
) -> Order {
    Order { order_id, state: "shipped".to_owned() }
}

/// Returns the model, if it is installed. The limit is generous, for machines that are busy.
fn model() -> Option<NeedleModel> {
    let model = NeedleModel::installed();
    if model.is_none() {
        println!("left out: run it by examples/proxy-agent/real-model/run");
    }
    model.map(|model| model.with_timeout(Duration::from_secs(600)))
}

#[tokio::test]
async fn the_model_calls_a_tool_and_ends_with_its_result() {
    let Some(model) = model() else { return };
    let runtime = Runtime::builder().tool::<GetOrderTool>().build().unwrap();
    let agent = ToolLoop::new(runtime, model);
    let report = agent.run("Where is my order A-17?", &ToolContext::local()).await.unwrap();
    assert!(matches!(report.end(), LoopEnd::Answered(_)), "{report:?}");
    assert_eq!((report.turns(), report.calls()), (2, 1));
    assert_eq!(report.text(), Some(r#"{"order_id":"A-17","state":"shipped"}"#));
}

/// Returns the tools that the model called, in its order.
fn called(report: &LoopReport) -> Vec<&str> {
    let messages = report.messages().iter().filter_map(|message| match message {
        ModelMessage::Assistant(message) => Some(message.calls()),
        _ => None,
    });
    messages.flatten().map(tool_runtime::agent::ModelCall::name).collect()
}

#[tokio::test]
async fn the_model_calls_a_tool_of_the_quickstart() {
    let Some(model) = model() else { return };
    let runtime = Runtime::builder().toolkit(world::World::default()).build().unwrap();
    let agent = ToolLoop::new(runtime, model);
    let report = agent.run("What is the currency JPY?", &ToolContext::local()).await.unwrap();
    assert_eq!(called(&report), ["world.currency"]);
    assert!(report.text().unwrap().contains("Japanese yen"), "{:?}", report.text());
}

#[tokio::test]
async fn the_model_calls_a_tool_of_the_heritage_server() {
    let Some(model) = model() else { return };
    let folder = std::env::temp_dir().join(format!("needle-village-{}", Uuid::now_v7()));
    let host = Host::open(&Options::in_folder(&folder), io::sink()).await.unwrap();
    let tenant = Tenant::parse("yantian").unwrap().id();
    let cx = ToolContext::builder(tenant, "trace-needle").run_id("run-1").site_id("yantian-main");
    let agent = ToolLoop::new(host.runtime().clone(), model);
    // The model is small: it answers a question in the words of a tool's description.
    let report = agent.run("Get the map of the site.", &cx.build().unwrap()).await.unwrap();
    host.close().await.unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(called(&report), ["get_site_map"], "{:?}", report.text());
    assert!(report.text().unwrap().contains("\"site_id\":\"yantian-main\""), "{:?}", report.text());
}

#[tokio::test]
async fn a_conversation_is_answered_alike_after_its_process_has_begun_anew() {
    let Some(model) = model() else { return };
    let runtime = Runtime::builder().tool::<GetOrderTool>().build().unwrap();
    let spec = runtime.spec("get_order").unwrap();
    let question = ChatRequest::new("Where is my order A-17?").with_tools([spec.clone()]);
    let first = model.chat(&question).await.unwrap();
    // Another conversation between the two makes the process forget the first one.
    model
        .chat(&ChatRequest::new("Where is my order B-2?").with_tools([spec.clone()]))
        .await
        .unwrap();
    assert_eq!(model.chat(&question).await.unwrap().calls(), first.calls());
    assert_eq!(first.calls()[0].arguments(), r#"{"order_id":"A-17"}"#);
}

#[tokio::test]
async fn tools_beyond_the_context_are_an_error_that_says_so() {
    let Some(model) = model() else { return };
    let runtime = Runtime::builder().tool::<GetOrderTool>().build().unwrap();
    let spec = runtime.spec("get_order").unwrap();
    let request =
        ChatRequest::new("Where is my order A-17?").with_tools(std::iter::repeat_n(spec, 300));
    let error = model.chat(&request).await.unwrap_err();
    assert!(error.message().contains("do not fit the model's 8192 tokens"), "{error}");
}
