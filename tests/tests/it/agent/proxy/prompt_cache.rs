//! Earlier messages of a session, which the provider may have in its cache.

use serde_json::json;
use tool_runtime::agent::{
    AgentConfig, MemorySessions, ModelPrice, PriceTable, ProxyAgent, SessionKey, SessionStore,
};
use tool_runtime::contracts::act::ToolType;
use tool_runtime::contracts::assess::{ChatMessage, ChatRole, CompressionMethod, OptimizedContext};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;

use super::{ListOrdersTool, context, orders};
use crate::agent::server::{Server, text};

const MODEL: &str = "openai/gpt-4o";

/// A session of so many messages, none of which the question needs.
async fn session(messages: usize) -> MemorySessions {
    let sessions = MemorySessions::new();
    let time = "2026-05-03T12:34:56Z".parse().unwrap();
    let said = |n: usize| {
        let role = if n % 2 == 0 { ChatRole::User } else { ChatRole::Assistant };
        let text =
            format!("We spoke about the weather, as one does. {}", "It was fine. ".repeat(20));
        ChatMessage::new(role, text, time, 70).unwrap()
    };
    let key = SessionKey::new(&context(), "s");
    sessions.append(&key, (0..messages).map(said).collect()).await.unwrap();
    sessions
}

/// Asks in the session, and returns the context and what the model was told.
async fn ask(price: ModelPrice, messages: usize, count: u32) -> (OptimizedContext, String) {
    let server = Server::start([text("ok")]).await;
    let config = format!("default_model = '{MODEL}'\ncompression_threshold_tokens = 500");
    let config = AgentConfig::from_toml(&config).unwrap();
    let config = config.with_prices(PriceTable::default().with(MODEL, price));
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    let agent = ProxyAgent::builder(config, runtime, server.model())
        .tool_type("orders", ToolType::DatabaseQuery)
        .sessions(session(messages).await)
        .build();
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({ "count": count }))])
        .session_id("s")
        .build()
        .unwrap();
    let response = agent.answer(&request, &context()).await.unwrap();
    let told = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    (response.context_optimization().clone(), told)
}

fn conversation(told: &str) -> &str {
    told.split("\n# Tool results").next().unwrap()
}

#[tokio::test]
async fn earlier_messages_stay_as_they_are_where_the_provider_caches_prompts() {
    let price = ModelPrice::new(10.0, 10.0);
    let (_, rewritten) = ask(price, 4, 300).await;
    assert!(conversation(&rewritten).contains('…'), "without a cache they are pruned");

    let (optimized, kept) = ask(price.with_cached_input(1.0), 4, 300).await;
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!(!conversation(&kept).contains('…'), "{kept}");
    assert_eq!(conversation(&kept).matches("We spoke about").count(), 4);
    assert!(kept.contains(" of 300 rows)") || kept.contains('['), "{kept}");
    // The results are not cached, so that the savings are the same with the cache and without.
    let without = optimized.metadata()["savings_without_cache"].as_f64().unwrap();
    assert!((optimized.estimated_cost_savings() - without).abs() < 1e-9, "{optimized:?}");
    assert!(without > 0.0);
}

#[tokio::test]
async fn a_long_history_is_rewritten_only_where_that_costs_less_than_the_lost_cache() {
    let price = ModelPrice::new(10.0, 10.0);
    // A cached token costs a tenth: a third of them at the full price would cost more.
    let (kept, told) = ask(price.with_cached_input(1.0), 60, 1).await;
    assert_eq!(kept.method_used(), CompressionMethod::None);
    let reason = kept.metadata()["reason"].as_str().unwrap();
    assert!(reason.contains("prompt cache"), "{reason}");
    assert!(!conversation(&told).contains('…'));

    // Nine tenths: it pays, less than without a cache.
    let (rewritten, told) = ask(price.with_cached_input(9.0), 60, 1).await;
    assert_eq!(rewritten.method_used(), CompressionMethod::HistoryCompaction);
    assert!(conversation(&told).contains('…'), "{told}");
    let without = rewritten.metadata()["savings_without_cache"].as_f64().unwrap();
    let net = rewritten.estimated_cost_savings();
    assert!(net > 0.0 && net < without, "{net} {without}");
}
