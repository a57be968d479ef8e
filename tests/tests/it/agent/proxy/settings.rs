//! Each setting of the configuration changes what the agent does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::Barrier;
use tool_runtime::agent::{AgentConfig, OpenAiModel};
use tool_runtime::contracts::act::{ActResult, ToolRequest, ToolType};
use tool_runtime::contracts::articulate::SerializationFormat;
use tool_runtime::contracts::assess::{CompressionMethod, CompressionStrategy};
use tool_runtime::contracts::proxy::{ProxyRequest, ProxyResponse};
use tool_runtime::prelude::*;

use super::{agent, agent_of, context, orders};
use crate::agent::server::{Server, error, text};

async fn ask(server: &Server, config: &str, count: u32) -> ProxyResponse {
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({ "count": count }))])
        .build()
        .unwrap();
    agent(server, config).build().answer(&request, &context()).await.unwrap()
}

#[tokio::test]
async fn the_default_model_and_then_the_fallback_model_are_asked_at_the_configured_server() {
    let server = Server::start([error(404, "x"), text("from the other")]).await;
    let config = format!(
        "litellm_api_base = '{}'\ndefault_model = 'acme/first'\nfallback_model = 'acme/second'",
        server.url
    );
    let config = AgentConfig::from_toml(&config).unwrap();
    let model = OpenAiModel::from_config(&config).build().unwrap();
    let runtime = Runtime::builder().build().unwrap();
    let agent = tool_runtime::agent::ProxyAgent::builder(config, runtime, model).build();
    let request = ProxyRequest::builder("?").build().unwrap();
    assert!(agent.answer(&request, &context()).await.is_ok());
    let models: Vec<_> = server.received().iter().map(|it| it.body["model"].clone()).collect();
    assert_eq!(models, ["acme/first", "acme/second"]);
    let nowhere = AgentConfig::from_toml("").unwrap();
    assert!(OpenAiModel::from_config(&nowhere).build().is_err(), "there is no server");
}

#[tokio::test]
#[allow(clippy::cast_precision_loss, reason = "small counts")]
async fn the_student_s_model_writes_the_summaries() {
    let summary = "Customer 7 is there.";
    let server = Server::start([text(summary), text("ok")]).await;
    let config = "compression_threshold_tokens = 200\nstudent_summarizer_model = 'acme/student'";
    let agent = agent(&server, config).compression_strategy(CompressionStrategy::Distillation);
    let request = ProxyRequest::builder("Which customers?")
        .required_tools([orders(json!({"count": 60}))])
        .build()
        .unwrap();
    let response = agent.build().answer(&request, &context()).await.unwrap();
    let method = response.context_optimization().method_used();
    assert_eq!(method, CompressionMethod::KnowledgeDistillation);
    assert_eq!(server.received()[0].body["model"], "acme/student");
    // The student reads more than half of the raw tokens, at twice the model's price.
    let optimized = response.context_optimization();
    let paid = optimized.metadata()["compression_cost"].as_f64().unwrap();
    assert!(paid * 1e6 > optimized.original_tokens() as f64, "{paid}");
    let cost = response.cost_analysis();
    let llm = response.llm_response();
    let model = (llm.input_tokens() as f64 + 4.0 * llm.output_tokens() as f64) / 1e6;
    assert!((cost.actual_cost() - model - paid).abs() < 1e-12, "{cost:?} with {paid}");
}

#[tokio::test]
#[allow(clippy::cast_precision_loss, reason = "small counts")]
async fn a_summary_that_does_not_fit_the_budget_was_paid_too() {
    let summary = "Customer 7 is there. ".repeat(140);
    let server = Server::start([text(&summary), text("ok")]).await;
    let config = "compression_threshold_tokens = 200\nstudent_summarizer_model = 'acme/student'";
    let agent = agent(&server, config).compression_strategy(CompressionStrategy::Distillation);
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({"count": 200}))])
        .max_total_tokens(1_000)
        .build()
        .unwrap();
    let response = agent.build().answer(&request, &context()).await.unwrap();
    let optimized = response.context_optimization();
    assert_eq!(optimized.metadata()["compressed_harder"], true);
    let cost = optimized.metadata()["compression_cost"].as_f64().unwrap();
    let saved = (optimized.original_tokens() - optimized.optimized_tokens()) as f64 / 1e6;
    assert!(cost > 0.0 && (optimized.estimated_cost_savings() - (saved - cost)).abs() < 1e-12);
}

#[tokio::test]
async fn contexts_above_the_threshold_are_compressed() {
    for (threshold, expected) in
        [(200, CompressionMethod::SemanticPruning), (100_000, CompressionMethod::None)]
    {
        let server = Server::start([text("ok")]).await;
        let config = format!("compression_threshold_tokens = {threshold}");
        let response = ask(&server, &config, 60).await;
        assert_eq!(response.context_optimization().method_used(), expected, "{threshold}");
    }
}

#[tokio::test]
async fn arrays_above_the_size_are_tables_in_the_context_and_in_the_answer() {
    // A table of a few rows is not shorter: the line before it says what TOON is.
    let rows: Vec<_> = (0..20).map(|n| json!({"id": n, "open": true, "note": "none"})).collect();
    for (size, is_table) in [(19, true), (20, false)] {
        let server = Server::start([text(&json!(rows).to_string())]).await;
        let config = format!("toon_threshold_array_size = {size}");
        let request = ProxyRequest::builder("?").required_tools([orders(json!({"count": 20}))]);
        let agent = agent(&server, &config).answer_schema(json!({"type": "array"})).build();
        let response = agent.answer(&request.build().unwrap(), &context()).await.unwrap();
        let said = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
        assert_eq!(said.contains("[20]{id,customer,note}:"), is_table, "{said}");
        let format = response.result().format_used();
        assert_eq!(format == SerializationFormat::Toon, is_table, "{size}");
    }
}

/// Counts the calls that run at once; each waits until as many run as may.
struct AtOnce {
    running: AtomicUsize,
    peak: AtomicUsize,
    all: Barrier,
}

/// Waits for the calls beside it.
#[ai_tool(effect = "read", name = "orders.meet")]
async fn meet(at_once: &AtOnce) -> u32 {
    let running = at_once.running.fetch_add(1, Ordering::SeqCst) + 1;
    at_once.peak.fetch_max(running, Ordering::SeqCst);
    at_once.all.wait().await;
    at_once.running.fetch_sub(1, Ordering::SeqCst);
    1
}

#[tokio::test]
async fn as_many_tools_run_at_once_as_the_configuration_lets() {
    for limit in [1, 3] {
        let at_once = Arc::new(AtOnce {
            running: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            all: Barrier::new(limit),
        });
        let server = Server::start([text("ok")]).await;
        let runtime = Runtime::builder().tool::<MeetTool>().shared_state(at_once.clone());
        let config = format!("max_concurrent_tools = {limit}");
        let agent = agent_of(runtime.build().unwrap(), server.model(), &config).build();
        let call = ToolRequest::builder("orders", ToolType::DatabaseQuery, "meet").build().unwrap();
        let calls = std::iter::repeat_n(call, 6);
        let request = ProxyRequest::builder("?").required_tools(calls).build().unwrap();
        let response = agent.answer(&request, &context()).await.unwrap();
        assert!(response.tool_results().iter().all(ActResult::success));
        assert_eq!(at_once.peak.load(Ordering::SeqCst), limit);
    }
}

#[tokio::test]
async fn a_price_makes_a_cost_and_without_one_it_is_0() {
    let server = Server::start([text("ok"), text("ok")]).await;
    let request = ProxyRequest::builder("?").build().unwrap();
    let priced = "[prices.acme]\ninput = 2\noutput = 8";
    for (config, is_priced) in [(priced, true), ("", false)] {
        let config = format!("default_model = 'acme'\n{config}");
        let config = AgentConfig::from_toml(&config).unwrap();
        let runtime = Runtime::builder().build().unwrap();
        let agent = tool_runtime::agent::ProxyAgent::builder(config, runtime, server.model());
        let response = agent.build().answer(&request, &context()).await.unwrap();
        assert_eq!(response.cost_analysis().actual_cost() > 0.0, is_priced);
        let price = response.context_optimization().metadata().get("price");
        assert_eq!(price.is_none(), is_priced, "{price:?}");
    }
}
