//! The tools in an agent of `rig`: `rig` runs the loop, and each tool is one of its `DynamicTool`s.

use rig::agent::{AgentHook, HookContext, ModelTurnAction, ModelTurnFinished};
use rig::message::{EmptyToolName, ToolName};
use rig::prelude::AgentBuilder;
use rig::providers::openai::OpenAI;
use rig::run::{InvalidToolCallAction, InvalidToolCallContext};
use rig::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use tool_runtime::adapters::{ClientBridge, DeclaredTool, Dialect};
use tool_runtime::prelude::ToolContext;
use tool_runtime::serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bridge = shop::runtime()?.bridge(Dialect::OpenAiChat);
    let tools = RuntimeTools { bridge, cx: ToolContext::local() };

    // `OPENAI_BASE_URL` and `OPENAI_API_KEY` select the server.
    let model = std::env::var("MODEL").unwrap_or_else(|_| "gpt-5".to_owned());
    let agent = AgentBuilder::new(OpenAI::from_env()?.chat(model))
        .dynamic_tools(tools.declare()?)
        .add_hook(tools)
        .build();
    let response = agent.prompt(shop::QUESTION).max_turns(shop::MAX_TURNS).await?;
    println!("{}", response.output());
    Ok(())
}

/// The runtime's tools, in one conversation.
#[derive(Clone)]
struct RuntimeTools {
    bridge: ClientBridge,
    cx: ToolContext,
}

impl RuntimeTools {
    /// Declares the tools in `rig`'s type.
    fn declare(&self) -> Result<Vec<DynamicTool>, EmptyToolName> {
        let declare = |tool: &DeclaredTool| {
            let (tools, name) = (self.clone(), tool.name().to_owned());
            let call = move |arguments| {
                let (tools, name) = (tools.clone(), name.clone());
                Box::pin(async move { tools.call(&name, arguments).await }) as _
            };
            // Without `strict`: `rig` sends it with all tools or with none.
            let (name, schema) = (ToolName::new(tool.name())?, tool.schema().clone());
            Ok(DynamicTool::new(name, tool.description(), schema, call))
        };
        self.bridge.tools().iter().map(declare).collect()
    }

    /// Calls a tool.
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolExecutionError> {
        // `rig` does not give the call's id to a tool, so a repeated call is not recognized by it.
        // It has parsed the arguments: of two equal keys only the last is left, and numbers beyond
        // 64 bits are rounded.
        let mut call = self.bridge.call(name, arguments, &self.cx);
        call.execute().await;
        let text = self.bridge.answer_text(&call).map_err(ToolExecutionError::from_error)?;
        if call.output().is_some_and(|output| output.is_ok()) {
            return Ok(ToolOutput::text(text));
        }
        // The model reads this message whole. `rig`'s hooks and traces see the failure, and `rig`
        // marks the result as an error for providers that have a mark (Anthropic, Gemini); OpenAI
        // has none. Of an error converted by `from_error` the model would read only "the tool
        // failed".
        Err(ToolExecutionError::other(text))
    }
}

/// Handles the calls that `rig` does not pass to a tool, and those that it should not pass.
impl AgentHook for RuntimeTools {
    /// Stops the run at a response that was cut off or filtered: `rig` would run its calls, and
    /// return its text as the answer.
    async fn on_model_turn_finished(
        &self,
        _: &HookContext,
        turn: ModelTurnFinished<'_>,
    ) -> ModelTurnAction {
        match turn.finish_reason {
            Some(reason) if reason.truncated_output() => {
                ModelTurnAction::Stop(format!("the model stopped: {reason:?}"))
            }
            _ => ModelTurnAction::Continue,
        }
    }

    /// Answers unknown names, which would end the run, and arguments that are not a JSON object.
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        call: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let arguments = call.args.as_deref().unwrap_or_default();
        // Nothing is executed: a call that is not valid has its answer as soon as it is opened.
        let call = self.bridge.call(&call.tool_name, arguments, &self.cx);
        self.bridge.answer_text(&call).ok().map(InvalidToolCallAction::skip)
    }
}
