//! A question with required tools of all types.

use std::error::Error;

use serde_json::json;
use tool_runtime::agent::{AgentConfig, ProxyAgent};
use tool_runtime::contracts::ContractError;
use tool_runtime::contracts::act::{RetryConfig, ToolRequest, ToolType};
use tool_runtime::contracts::proxy::{ProxyRequest, ProxyResponse};

use crate::models::Models;
use crate::{Host, context, new_trace, script};

/// The question.
pub const QUESTION: &str = "We plan a reading day on village life for 6 February 2027. Which verified \
    poems about a village do we have? What do booklets for 140 euros cost in US dollars, how many days \
    are left, what does our checklist want, and how do I approve a plan that the assistant saves?";

const INSTRUCTIONS: &str = "You help the editors of a village's guide. Answer in at most 120 words, \
    from the tools' results alone, and say what is missing.";

/// Makes the requests of the tools that the question needs: one of each type. That of a Python function
/// is left out where there is no Python.
///
/// # Errors
/// A request breaks its rules.
pub fn required_tools(host: &Host) -> Result<Vec<ToolRequest>, ContractError> {
    let retries = RetryConfig::new(3, 2.0, 50)?;
    let mut requests = vec![
        ToolRequest::builder("village", ToolType::DatabaseQuery, "texts").build()?,
        ToolRequest::builder("rates", ToolType::ApiCall, "convert")
            .parameters(json!({"amount": 140, "from": "EUR", "to": "USD"}))
            .timeout_seconds(5)
            .retry_config(retries)
            .build()?,
        ToolRequest::builder("handbook", ToolType::RagRetrieval, "search")
            .parameters(json!({"question": "How does a person approve a call of a suspended run?"}))
            .build()?,
        ToolRequest::builder("files", ToolType::FileOperation, "read")
            .parameters(json!({"path": "checklist.md"}))
            .build()?,
    ];
    if host.has_toolkit("python") {
        let days = ToolRequest::builder("python", ToolType::PythonFunction, "days_between")
            .parameters(json!({"start": "2026-11-25", "end": "2027-02-06"}))
            .build()?;
        requests.push(days);
    }
    Ok(requests)
}

/// Answers the question.
///
/// # Errors
/// The agent cannot be configured, or the model does not answer.
pub async fn answer(host: &Host, models: &Models) -> Result<ProxyResponse, Box<dyn Error>> {
    let config = AgentConfig::from_toml("compression_threshold_tokens = 2000")?;
    let config = config.with_prices(models.prices(script::ANALYST));
    let model = models.client(script::ANALYST).build()?;
    let agent = ProxyAgent::builder(config, host.runtime().clone(), model)
        .instructions(INSTRUCTIONS)
        .build();
    let request = ProxyRequest::builder(QUESTION)
        .required_tools(required_tools(host)?)
        .target_model(models.name(script::ANALYST))
        .optimization_level(2)
        .build()?;
    Ok(agent.answer(&request, &context(&new_trace())?).await?)
}
