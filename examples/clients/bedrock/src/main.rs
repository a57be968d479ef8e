//! An agent loop over `aws-sdk-bedrockruntime`: its types are not serde's, so the bridge gives the
//! parts of which they are made, and `document` converts between `Document` and JSON.

use std::collections::HashMap;
use std::env;

use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_bedrockruntime::types::{
    ContentBlock, ConversationRole, ConverseOutput, Message, StopReason, Tool, ToolConfiguration,
    ToolInputSchema, ToolResultBlock, ToolResultContentBlock, ToolResultStatus, ToolSpecification,
};
use aws_smithy_types::Document;
use bedrock_client::document::{to_document, to_json};
use tool_runtime::adapters::{ClientBridge, Dialect, ToolAnswer};
use tool_runtime::prelude::*;

type Error = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let runtime = shop::runtime()?;
    // One context for the conversation: a write that repeats a call id runs once.
    let cx = ToolContext::local();
    let bridge = runtime.bridge(Dialect::BedrockConverse);
    let tools = declare(&bridge)?;
    let mut messages = vec![from_user(vec![ContentBlock::Text(shop::QUESTION.to_owned())])?];

    let client = connect()?;
    let model = env::var("MODEL").unwrap_or_else(|_| "amazon.nova-pro-v1:0".to_owned());
    for _ in 0..shop::MAX_TURNS {
        let request = client.converse().model_id(&model).set_messages(Some(messages.clone()));
        let response = request.tool_config(tools.clone()).send().await?;
        let Some(ConverseOutput::Message(mut message)) = response.output else {
            return Err("the response has no message".into());
        };
        for text in message.content().iter().filter_map(|block| block.as_text().ok()) {
            println!("{text}");
        }
        match response.stop_reason {
            StopReason::ToolUse => {}
            StopReason::EndTurn | StopReason::StopSequence => return Ok(()),
            // The calls of a response that was cut off or filtered are not opened.
            reason => return Err(format!("the model stopped: {reason}").into()),
        }
        let results = answer_calls(&runtime, &bridge, &mut message, &cx).await?;
        messages.extend([message, from_user(results)?]);
    }
    Err("the model still calls tools after the most turns".into())
}

/// Executes the calls of a message, and returns their results.
async fn answer_calls(
    runtime: &Runtime,
    bridge: &ClientBridge,
    message: &mut Message,
    cx: &ToolContext,
) -> Result<Vec<ContentBlock>, Error> {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for block in &mut message.content {
        let ContentBlock::ToolUse(call) = block else { continue };
        let id = &call.tool_use_id;
        match to_json(&call.input) {
            Ok(arguments) => calls.push(bridge.call_with_id(id, &call.name, arguments, cx)),
            // The SDK reads `1e400` as infinity. The model is told where it is, no tool runs, and
            // the next request has no arguments that the provider would reject.
            Err(error) => {
                let answer = ToolAnswer::from_text(id, format!("INVALID_ARGUMENT: {error}"));
                results.push(to_result(bridge, answer.as_error())?);
                call.input = Document::Object(HashMap::new());
            }
        }
    }
    runtime.execute_all(&mut calls).await;
    for call in &calls {
        results.push(to_result(bridge, call.into())?);
    }
    Ok(results)
}

fn to_result(bridge: &ClientBridge, answer: ToolAnswer) -> Result<ContentBlock, Error> {
    let status =
        if answer.is_error() { ToolResultStatus::Error } else { ToolResultStatus::Success };
    let result = ToolResultBlock::builder().tool_use_id(answer.call_id()).status(status);
    let text = ToolResultContentBlock::Text(bridge.answer_text(answer)?);
    Ok(ContentBlock::ToolResult(result.content(text).build()?))
}

fn declare(bridge: &ClientBridge) -> Result<ToolConfiguration, Error> {
    let mut tools = ToolConfiguration::builder();
    for tool in bridge.tools() {
        let schema = ToolInputSchema::Json(to_document(tool.schema())?);
        let spec = ToolSpecification::builder().name(tool.name()).description(tool.description());
        tools = tools.tools(Tool::ToolSpec(spec.input_schema(schema).build()?));
    }
    Ok(tools.build()?)
}

fn from_user(content: Vec<ContentBlock>) -> Result<Message, Error> {
    let message = Message::builder().role(ConversationRole::User);
    Ok(message.set_content(Some(content)).build()?)
}

/// Configures the client by variables; `aws-config` reads them too, and profiles and roles.
fn connect() -> Result<Client, Error> {
    let (id, secret) = (env::var("AWS_ACCESS_KEY_ID")?, env::var("AWS_SECRET_ACCESS_KEY")?);
    let token = env::var("AWS_SESSION_TOKEN").ok();
    let mut config = aws_sdk_bedrockruntime::Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new(env::var("AWS_REGION")?))
        .credentials_provider(Credentials::new(id, secret, token, None, "environment"));
    config.set_endpoint_url(env::var("AWS_ENDPOINT_URL_BEDROCK_RUNTIME").ok());
    Ok(Client::from_conf(config.build()))
}
