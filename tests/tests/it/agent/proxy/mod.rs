//! Questions to the agent, whose model is a server over real HTTP.

mod answers;
mod breakdown;
mod budgets;
mod caches;
mod configuration;
mod costs;
mod deadlines;
mod events;
mod metrics;
mod nameless;
mod panics;
mod prompt_cache;
mod sessions;
mod settings;

use serde_json::Value;
use tool_runtime::agent::{
    AgentConfig, ChatModel, ModelPrice, PriceTable, ProxyAgent, ProxyAgentBuilder,
};
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::prelude::*;

use super::server::Server;

/// Lists the orders of a customer.
#[ai_tool(effect = "read", name = "orders.list")]
async fn list_orders(
    /// How many.
    #[arg(range(0..=1000))]
    count: u32,
) -> Vec<Order> {
    let order = |id| Order { id, customer: format!("customer {id}"), note: None };
    (0..count).map(order).collect()
}

/// An order.
#[ai_type]
struct Order {
    /// Its number.
    id: u32,
    /// Who ordered.
    customer: String,
    /// What was noted.
    note: Option<String>,
}

fn prices() -> PriceTable {
    let price = ModelPrice::new(1.0, 4.0);
    PriceTable::default()
        .with("gemini/gemini-2.0-flash", price)
        .with("openai/gpt-4o-mini", price)
        .with("acme/student", ModelPrice::new(2.0, 8.0))
}

fn agent(server: &Server, config: &str) -> ProxyAgentBuilder {
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    agent_of(runtime, server.model(), config)
}

fn agent_of(runtime: Runtime, model: impl ChatModel + 'static, config: &str) -> ProxyAgentBuilder {
    let config = AgentConfig::from_toml(config).unwrap().with_prices(prices());
    ProxyAgent::builder(config, runtime, model).tool_type("orders", ToolType::DatabaseQuery)
}

fn orders(parameters: Value) -> ToolRequest {
    let request = ToolRequest::builder("orders", ToolType::DatabaseQuery, "list");
    request.parameters(parameters).build().unwrap()
}

fn context() -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("ada").build().unwrap()
}
