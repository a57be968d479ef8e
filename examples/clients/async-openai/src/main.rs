//! An agent loop over `async-openai`, streamed: its types are the provider's JSON, so the adapter
//! reads and writes them whole.

use std::io::{self, Write as _};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionRequestUserMessage, ChatCompletionTools,
    CreateChatCompletionRequest,
};
use futures::StreamExt as _;
use tool_runtime::adapters::{Adapter, Delta, Dialect, StopReason, Turn};
use tool_runtime::prelude::*;

type Error = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let runtime = shop::runtime()?;
    // One context for the conversation: a write that repeats a call id runs once.
    let cx = ToolContext::local();
    let adapter = Adapter::new(Dialect::OpenAiChat, runtime.specs_for_model());
    let tools: Vec<ChatCompletionTools> = adapter.declarations_as()?;
    let question = ChatCompletionRequestUserMessage::from(shop::QUESTION);
    let mut messages = vec![ChatCompletionRequestMessage::User(question)];

    // `OPENAI_BASE_URL` and `OPENAI_API_KEY` select the server.
    let client = Client::with_config(OpenAIConfig::default());
    let model = std::env::var("MODEL").unwrap_or_else(|_| "gpt-5".to_owned());
    for _ in 0..shop::MAX_TURNS {
        let request = CreateChatCompletionRequest {
            model: model.clone(),
            messages: messages.clone(),
            tools: Some(tools.clone()),
            ..Default::default()
        };
        let turn = receive(&client, &adapter, request).await?;
        let mut calls = turn.open_calls(&runtime, &cx);
        if calls.is_empty() {
            println!();
            return match turn.stop_reason() {
                StopReason::Done => Ok(()),
                reason => Err(format!("the model stopped: {reason:?}").into()),
            };
        }
        // Converted before a call runs: an error here must not follow an effect.
        messages.extend(turn.messages_as::<ChatCompletionRequestMessage>()?);
        // Of a response that was cut off or filtered, no call runs; the model is told so.
        runtime.execute_all(&mut calls).await;
        let answers: Vec<ChatCompletionRequestMessage> =
            adapter.answer_messages_as(&turn, &calls)?;
        messages.extend(answers);
    }
    Err("the model still calls tools after the most turns".into())
}

/// Receives the events of a response, and prints the text as it comes.
async fn receive(
    client: &Client<OpenAIConfig>,
    adapter: &Adapter,
    request: CreateChatCompletionRequest,
) -> Result<Turn, Error> {
    let mut events = client.chat().create_stream(request).await?;
    let mut stream = adapter.stream();
    while let Some(event) = events.next().await {
        for delta in stream.push_event(&event?)? {
            if let Delta::Text(text) = delta {
                print!("{text}");
                io::stdout().flush()?;
            }
        }
    }
    Ok(stream.finish()?)
}
