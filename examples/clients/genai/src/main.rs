//! An agent loop over `genai`, with Anthropic's API: `genai` has its own types of tools, calls and
//! answers, and the bridge gives the parts of which they are made.

use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatRequest, StopReason, Tool, ToolResponse};
use genai::resolver::{Endpoint, ServiceTargetResolver};
use genai::{Client, ServiceTarget};
use tool_runtime::adapters::{ClientBridge, DeclaredTool, Dialect};
use tool_runtime::prelude::*;

type Error = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let runtime = shop::runtime()?;
    let bridge = runtime.bridge(Dialect::Anthropic);
    // One context for the conversation: a write that repeats a call id runs once.
    let cx = ToolContext::local();
    let mut request = ChatRequest::from_user(shop::QUESTION).with_tools(tools(&bridge));

    let client = client()?;
    let model = std::env::var("MODEL").unwrap_or_else(|_| "claude-sonnet-5-5".to_owned());
    for _ in 0..shop::MAX_TURNS {
        let response = client.exec_chat(&model, request.clone(), None).await?;
        for text in response.texts() {
            println!("{text}");
        }
        match &response.stop_reason {
            Some(StopReason::ToolCall(_)) => {}
            Some(StopReason::Completed(_) | StopReason::StopSequence(_))
                if response.tool_calls().is_empty() =>
            {
                return Ok(());
            }
            // The calls of a response that was cut off or filtered are not opened.
            reason => {
                let reason = reason.as_ref().map_or("without a reason", StopReason::raw);
                return Err(format!("the model stopped: {reason}").into());
            }
        }
        let mut calls: Vec<ToolCall> = response
            .tool_calls()
            .into_iter()
            // `fn_arguments` is parsed: of two equal keys only the last is left, and numbers beyond
            // 64 bits are rounded.
            .map(|call| {
                let arguments = call.fn_arguments.clone();
                bridge.call_with_id(&call.call_id, &call.fn_name, arguments, &cx)
            })
            .collect();
        runtime.execute_all(&mut calls).await;

        let mut answers = Vec::new();
        for (asked, call) in response.tool_calls().into_iter().zip(&calls) {
            // A `ToolResponse` has no `is_error`: the model reads the error in the text.
            answers.push(ToolResponse::from_tool_call(asked, bridge.answer_text(call)?));
        }
        // The content includes the thinking and its signatures, which Anthropic requires.
        request = request
            .append_message(ChatMessage::assistant(response.content))
            .append_message(answers);
    }
    Err("the model still calls tools after the most turns".into())
}

/// Declares the runtime's tools in `genai`'s type.
fn tools(bridge: &ClientBridge) -> Vec<Tool> {
    let tool = |tool: &DeclaredTool| {
        Tool::new(tool.name())
            .with_description(tool.description())
            .with_schema(tool.schema().clone())
    };
    bridge.tools().iter().map(tool).collect()
}

/// Creates a client of Anthropic's API; `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY` select the
/// server.
fn client() -> Result<Client, genai::Error> {
    let resolver = ServiceTargetResolver::from_resolver_fn(|mut target: ServiceTarget| {
        if let Ok(url) = std::env::var("ANTHROPIC_BASE_URL") {
            // genai appends only `messages`.
            target.endpoint = Endpoint::from_owned(format!("{}/v1/", url.trim_end_matches('/')));
        }
        Ok(target)
    });
    Client::builder()
        .with_adapter_kind(AdapterKind::Anthropic)
        .with_service_target_resolver(resolver)
        .build()
}
