//! Writes a message as a response of the API: as a whole, or as a stream of events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use futures::{Stream, StreamExt as _, stream as streams};
use serde_json::{Value, json};
use tool_runtime::tokens::{TokenCounter as _, TokenEstimate};

use super::Asked;

/// The pause between two words of a stream, which makes it visible.
const PACE: Duration = Duration::from_millis(15);

/// Makes a whole response.
pub(super) fn completion(asked: &Asked, message: &Value) -> Value {
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(message)});
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked.model(),
        "choices": [choice], "usage": usage(asked, message),
    })
}

/// Makes a stream: the text word by word, or the calls at once, and then the usage.
pub(super) fn stream(
    asked: &Asked,
    message: &Value,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": asked.model(), "choices": choices, "usage": usage,
        })
        .to_string()
    };
    let delta = |delta: Value, reason: Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), Value::Null)
    };
    let mut events: Vec<String> = match message["content"].as_str() {
        Some(text) => text
            .split_inclusive(' ')
            .map(|word| delta(json!({"role": "assistant", "content": word}), Value::Null))
            .collect(),
        None => vec![delta(indexed_calls(message), Value::Null)],
    };
    events.push(delta(json!({}), finish_reason(message).into()));
    events.push(chunk(json!([]), usage(asked, message)));
    events.push("[DONE]".to_owned());
    Sse::new(streams::iter(events).then(|data| async {
        tokio::time::sleep(PACE).await;
        Ok(Event::default().data(data))
    }))
}

/// Gives each call of a message its place, as streams have it.
fn indexed_calls(message: &Value) -> Value {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.enumerate().map(|(index, call)| {
        let mut call = call.clone();
        call["index"] = index.into();
        call
    });
    json!({"role": "assistant", "tool_calls": calls.collect::<Vec<_>>()})
}

fn finish_reason(message: &Value) -> &'static str {
    if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" }
}

/// Estimates the tokens, since no real model counts them.
fn usage(asked: &Asked, message: &Value) -> Value {
    let input: u64 = asked.messages().map(|it| TokenEstimate.count(&it.to_string())).sum();
    let output = TokenEstimate.count(&message.to_string());
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}
