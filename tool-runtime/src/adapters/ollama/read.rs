//! Reads a complete response of `/api/chat`.

use serde_json::{Map, Value, json};

use crate::adapters::parsed_response::{ParsedCalls, ParsedResponse, repeated, text_in, written};
use crate::adapters::response_value::ResponseValue;
use crate::adapters::{ReadError, StopReason};

/// An assistant message, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct ChatMessage {
    /// All fields except the calls.
    pub(super) fields: Map<String, Value>,
    pub(super) calls: Vec<OllamaCall>,
}

/// One call; Ollama never splits a call.
#[derive(Debug)]
pub(super) struct OllamaCall {
    /// All fields except the function.
    fields: Map<String, Value>,
    /// All fields of the function except the arguments.
    function: Map<String, Value>,
    arguments: String,
}

pub(in crate::adapters) fn read(root: ResponseValue<'_>) -> Result<ParsedResponse, ReadError> {
    let message = ChatMessage::read(root.need("message", "the assistant's message")?)?;
    Ok(message.said(stop(root)))
}

/// The stop reason of a response; without one, it was interrupted.
pub(super) fn stop(root: ResponseValue<'_>) -> StopReason {
    if !root.is_true("done") {
        return StopReason::Interrupted;
    }
    match root.word_of("done_reason").as_deref() {
        // Older servers send no reason.
        Some("stop" | "tool_calls") | None => StopReason::Done,
        Some("length") => StopReason::Length,
        Some(word) => StopReason::Other(word.to_owned()),
    }
}

impl ChatMessage {
    pub(super) fn read(message: ResponseValue<'_>) -> Result<Self, ReadError> {
        let calls = message.list("tool_calls")?.map(OllamaCall::read).collect::<Result<_, _>>()?;
        Ok(Self { fields: message.fields(&["tool_calls"])?, calls })
    }

    pub(super) fn said(mut self, stop: StopReason) -> ParsedResponse {
        let text = text_in(&self.fields, "content").to_owned();
        let mut calls = ParsedCalls::default();
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|call| call.repeat(&mut calls))
            .collect();
        let says = |name| !text_in(&self.fields, name).is_empty();
        let is_empty = repeated.is_empty() && !says("content") && !says("thinking");
        self.fields.insert("role".to_owned(), "assistant".into());
        self.fields.entry("content").or_insert_with(|| "".into());
        if !repeated.is_empty() {
            self.fields.insert("tool_calls".to_owned(), repeated.into());
        }
        let messages = if is_empty { Vec::new() } else { vec![self.fields.into()] };
        ParsedResponse { messages, text, calls, stop }
    }
}

impl OllamaCall {
    fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let function = call.need("function", "a function")?;
        function.text_needed("name")?;
        Ok(Self {
            fields: call.fields(&["function"])?,
            function: function.fields(&["arguments"])?,
            arguments: written(function.get("arguments")),
        })
    }

    pub(super) fn name(&self) -> &str {
        text_in(&self.function, "name")
    }

    /// The call for the next request.
    fn repeat(mut self, calls: &mut ParsedCalls) -> Value {
        let id = self.fields.get("id").and_then(Value::as_str).map(str::to_owned);
        calls.add(id, self.name().to_owned(), &self.arguments);
        self.function.insert("arguments".to_owned(), repeated(&self.arguments));
        self.fields.insert("function".to_owned(), json!(self.function));
        self.fields.into()
    }
}
