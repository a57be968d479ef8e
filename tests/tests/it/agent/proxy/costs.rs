//! The cost of a request: by the reported usage and the cache's price, against compact JSON.

use async_trait::async_trait;
use serde_json::json;
use tool_runtime::agent::{
    AgentConfig, AgentError, ChatModel, ChatReply, ChatRequest, ModelPrice, PriceTable, ProxyAgent,
    TokenUsage,
};
use tool_runtime::contracts::proxy::{ProxyRequest, ProxyResponse};
use tool_runtime::prelude::*;

use super::{ListOrdersTool, ToolType, context, orders};

/// Answers with this usage.
#[derive(Debug)]
struct Counts(Option<TokenUsage>);

#[async_trait]
impl ChatModel for Counts {
    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
        let reply = ChatReply::new("m", "ok");
        Ok(match self.0 {
            Some(usage) => reply.with_usage(usage),
            None => reply,
        })
    }
}

async fn answered(
    usage: Option<TokenUsage>,
    price: Option<ModelPrice>,
    level: u8,
) -> ProxyResponse {
    let prices = price.map_or_else(PriceTable::default, |it| PriceTable::default().with("m", it));
    let config = AgentConfig::from_toml("default_model = 'm'\nenable_cache = false").unwrap();
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    let agent = ProxyAgent::builder(config.with_prices(prices), runtime, Counts(usage));
    let agent = agent.tool_type("orders", ToolType::DatabaseQuery).build();
    let request = ProxyRequest::builder("Which?").optimization_level(level);
    let request = request.required_tools([orders(json!({"count": 20}))]).build().unwrap();
    agent.answer(&request, &context()).await.unwrap()
}

#[tokio::test]
#[allow(clippy::cast_precision_loss, reason = "small counts")]
async fn the_cost_is_that_of_the_reported_tokens_with_the_price_of_the_cache() {
    let usage = TokenUsage::new(1_000, 100).with_cached_input_tokens(900);
    let price = ModelPrice::new(10.0, 40.0).with_cached_input(1.0);
    let response = answered(Some(usage), Some(price), 2).await;
    let cost = response.cost_analysis();
    let expected = (100.0 * 10.0 + 900.0 * 1.0 + 100.0 * 40.0) / 1e6;
    assert!((cost.actual_cost() - expected).abs() < 1e-12, "{cost:?}");
    // Messages that were left out would have been read at the full price.
    let left_out = (cost.raw_input_tokens() - cost.optimized_input_tokens()) as f64;
    assert!(left_out > 0.0 && (cost.savings() - left_out * 10.0 / 1e6).abs() < 1e-12, "{cost:?}");
    assert_eq!(response.context_optimization().metadata()["token_usage"], "reported");

    let estimated = answered(None, Some(price), 2).await;
    let cost = estimated.cost_analysis();
    let expected =
        (cost.optimized_input_tokens() as f64 * 10.0 + cost.output_tokens() as f64 * 40.0) / 1e6;
    assert!((cost.actual_cost() - expected).abs() < 1e-12, "{cost:?}");
    assert_eq!(estimated.context_optimization().metadata()["token_usage"], "estimated");
}

#[tokio::test]
async fn a_price_that_is_not_known_is_said() {
    let response = answered(None, None, 2).await;
    assert_eq!(response.context_optimization().metadata()["price"], "unknown");
    let free = answered(None, Some(ModelPrice::new(0.0, 0.0)), 2).await;
    assert!(!free.context_optimization().metadata().contains_key("price"));
}

#[tokio::test]
async fn the_removal_of_white_space_counts_as_no_saving() {
    let whole = answered(None, None, 0).await;
    let context = whole.context_optimization();
    assert_eq!(context.original_tokens(), context.optimized_tokens());
    assert!(context.optimized_text().contains(r#"{"id":0,"customer":"customer 0","note":null}"#));
    assert!(context.metadata()["reason"].as_str().unwrap().contains("not to be compressed"));
    // Of the same rows as a table, the base is the same.
    let table = answered(None, None, 2).await;
    let optimized = table.context_optimization();
    assert_eq!(optimized.original_tokens(), context.original_tokens());
    assert!(optimized.optimized_tokens() < optimized.original_tokens());
}

#[test]
fn a_bounded_number_is_answered_with_its_own_range() {
    let read = |field: &str, number: i64| {
        let mut request = json!({"query": "?", "required_tools": []});
        request[field] = number.into();
        serde_json::from_value::<ProxyRequest>(request).unwrap_err().to_string()
    };
    for (field, range) in
        [("optimization_level", "0 to 3"), ("max_total_tokens", "1000 to 1000000")]
    {
        for number in [-1, i64::MAX] {
            let error = read(field, number);
            assert!(error.contains(field) && error.contains(range), "{error}");
        }
    }
}

#[test]
fn a_configuration_without_a_server_names_the_setting() {
    let error = tool_runtime::agent::OpenAiModel::from_config(&AgentConfig::default()).build();
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`litellm_api_base` is missing"), "{error}");
}
