//! Reads a complete chat completion.

use serde_json::{Map, Value, json};

use super::partial_calls::PartialCall;
use crate::adapters::parsed_response::{ParsedCalls, ParsedResponse, repeated_text, text_in};
use crate::adapters::response_value::ResponseValue;
use crate::adapters::{ReadError, StopReason};

/// The message of a choice.
#[derive(Debug, Default)]
pub(super) struct ChatMessage {
    /// All fields except the calls.
    pub(super) fields: Map<String, Value>,
    pub(super) calls: Vec<ChatCall>,
}

/// One of a message's tool calls.
#[derive(Debug)]
pub(super) enum ChatCall {
    Function(PartialCall),
    /// A call of another type, which is not handled here.
    Other(Value),
}

pub(in crate::adapters) fn read(root: ResponseValue<'_>) -> Result<ParsedResponse, ReadError> {
    let choices = root.need("choices", "a list of choices")?;
    let Some(choice) = choices.items()?.next() else {
        return Err(choices.unexpected("a list of one choice"));
    };
    let message = choice.need("message", "the assistant's message")?;
    let fields = message.fields(&["tool_calls"])?;
    let calls = message.list("tool_calls")?.map(entry).collect::<Result<_, _>>()?;
    Ok(ChatMessage { fields, calls }.said(stop(choice)))
}

fn entry(call: ResponseValue<'_>) -> Result<ChatCall, ReadError> {
    if call.get("function").is_none() && call.get("type").is_some() {
        return call.value().map(ChatCall::Other);
    }
    PartialCall::read(call).map(ChatCall::Function)
}

/// The stop reason of a choice; without one, it was interrupted.
pub(super) fn stop(choice: ResponseValue<'_>) -> StopReason {
    match choice.word_of("finish_reason").as_deref() {
        // Servers of open models return the end-of-text token.
        Some("stop" | "tool_calls" | "function_call" | "eos" | "eos_token") => StopReason::Done,
        Some("length" | "model_length") => StopReason::Length,
        Some(word @ ("content_filter" | "refusal")) => StopReason::Refused(word.to_owned()),
        Some(word) => StopReason::Other(word.to_owned()),
        None => StopReason::Interrupted,
    }
}

impl ChatMessage {
    pub(super) fn said(mut self, stop: StopReason) -> ParsedResponse {
        let refusal = text_in(&self.fields, "refusal").to_owned();
        let text = content(&self.fields) + &refusal;
        let stop = match stop {
            StopReason::Done if !refusal.is_empty() => StopReason::Refused("refusal".to_owned()),
            stop => stop,
        };
        let mut calls = ParsedCalls::default();
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|call| repeat(call, &mut calls))
            .collect();
        ParsedResponse { messages: self.message(repeated).into_iter().collect(), text, calls, stop }
    }

    /// The message for the next request; `None` if it is empty.
    fn message(mut self, calls: Vec<Value>) -> Option<Value> {
        self.fields.insert("role".to_owned(), "assistant".into());
        if let Some(id) = self.fields.get("audio").and_then(|audio| audio.get("id")) {
            // Audio is sent back by id only.
            self.fields["audio"] = json!({ "id": id });
        }
        let says =
            ["content", "refusal", "audio"].iter().any(|name| self.fields.contains_key(*name));
        if calls.is_empty() {
            return says.then(|| self.fields.into());
        }
        self.fields.entry("content").or_insert(Value::Null);
        self.fields.insert("tool_calls".to_owned(), calls.into());
        Some(self.fields.into())
    }
}

/// The content's text, which some servers send in parts.
fn content(fields: &Map<String, Value>) -> String {
    match fields.get("content") {
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    }
}

/// A call for the next request, with the id that the answer uses.
fn repeat(call: ChatCall, calls: &mut ParsedCalls) -> Value {
    let PartialCall { id, name, arguments, mut rest, .. } = match call {
        ChatCall::Function(slot) => slot,
        ChatCall::Other(value) => return value,
    };
    let function = json!({ "name": name, "arguments": repeated_text(&arguments) });
    rest.insert("id".to_owned(), calls.add(id, name, &arguments).into());
    rest.insert("type".to_owned(), "function".into());
    rest.insert("function".to_owned(), function);
    rest.into()
}
