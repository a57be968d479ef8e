//! An agent's requests run through the runtime.

mod closures;
mod execution;
mod measured;
mod openai;
mod proxy;
mod repeated_ids;
mod resolution;
mod retries;
mod server;
mod suspended_runs;
mod tool_loop;
mod tool_loop_files;
mod tool_loop_history;
mod tool_loop_limits;
mod tool_loop_metrics;

use serde_json::Value;
use tool_runtime::agent::{AgentError, RuntimeExecutor, ToolExecutor};
use tool_runtime::contracts::act::{ActResult, ToolRequest, ToolType};
use tool_runtime::prelude::*;

fn executor(runtime: Runtime) -> RuntimeExecutor {
    RuntimeExecutor::new(runtime, ToolContext::local())
}

fn request(id: &str, tool_type: ToolType, function: &str, parameters: Value) -> ToolRequest {
    ToolRequest::builder(id, tool_type, function).parameters(parameters).build().unwrap()
}

async fn run(
    executor: &RuntimeExecutor,
    id: &str,
    function: &str,
    parameters: Value,
) -> Result<ActResult, AgentError> {
    executor.execute_async(&request(id, ToolType::ApiCall, function, parameters)).await
}
