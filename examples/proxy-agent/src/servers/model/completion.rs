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

/// The letters in a piece of a call's arguments.
const PIECE: usize = 5;

/// Makes a whole response.
pub(super) fn completion(asked: &Asked, message: &Value) -> Value {
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(message)});
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked.model(),
        "choices": [choice], "usage": usage(asked, message),
    })
}

/// Makes a stream: the text word by word, or the calls in pieces, and then the usage.
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
        None => pieces_of_calls(message).map(|calls| delta(calls, Value::Null)).collect(),
    };
    events.push(delta(json!({}), finish_reason(message).into()));
    events.push(chunk(json!([]), usage(asked, message)));
    events.push("[DONE]".to_owned());
    Sse::new(streams::iter(events).then(|data| async {
        tokio::time::sleep(PACE).await;
        Ok(Event::default().data(data))
    }))
}

/// Splits the calls of a message as providers do: the name first, and then its arguments in pieces
/// that end anywhere in their JSON.
fn pieces_of_calls(message: &Value) -> impl Iterator<Item = Value> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    calls.enumerate().flat_map(|(index, call)| {
        let function = |function: Value| json!({"index": index, "function": function});
        let mut begun = function(json!({"name": call["function"]["name"], "arguments": ""}));
        begun["id"] = call["id"].clone();
        begun["type"] = call["type"].clone();
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        let letters: Vec<char> = arguments.chars().collect();
        let pieces = letters.chunks(PIECE).map(|piece| piece.iter().collect::<String>());
        let pieces = pieces.map(|piece| function(json!({"arguments": piece})));
        let deltas: Vec<Value> = std::iter::once(begun).chain(pieces).collect();
        deltas.into_iter().map(|call| json!({"role": "assistant", "tool_calls": [call]}))
    })
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
