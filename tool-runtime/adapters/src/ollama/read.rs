//! Reads a complete response of `/api/chat`.

use serde_json::{Map, Value, json};

use super::usage::metadata;
use crate::format::{
    ParsedCalls, ParsedResponse, ReadError, ResponseTexts, ResponseValue, StopReason,
    arguments_object, raw_arguments, text_in,
};
use crate::names::ToolNames;

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

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let message = ChatMessage::read(root.required("message", "the assistant's message")?)?;
    let response = message.into_response(stop(root), names);
    Ok(ParsedResponse { metadata: metadata(root), ..response })
}

/// The stop reason of a response; without one, it was interrupted.
pub(super) fn stop(root: ResponseValue<'_>) -> StopReason {
    if !root.is_true("done") {
        return StopReason::Interrupted;
    }
    match root.enum_value_of("done_reason").as_deref() {
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

    pub(super) fn into_response(mut self, stop: StopReason, names: &ToolNames) -> ParsedResponse {
        let texts = ResponseTexts::from_one(text_in(&self.fields, "content").to_owned());
        let thinking = text_in(&self.fields, "thinking").to_owned();
        let mut calls = ParsedCalls::new(names);
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .enumerate()
            .map(|(at, call)| call.for_next_request(at, &mut calls))
            .collect();
        let has = |name| !text_in(&self.fields, name).is_empty();
        let is_empty = repeated.is_empty() && !has("content") && !has("thinking");
        self.fields.insert("role".to_owned(), "assistant".into());
        self.fields.entry("content").or_insert_with(|| "".into());
        if !repeated.is_empty() {
            self.fields.insert("tool_calls".to_owned(), repeated.into());
        }
        let messages = if is_empty { Vec::new() } else { vec![self.fields.into()] };
        ParsedResponse {
            messages,
            texts,
            thinking,
            calls: calls.list,
            ..ParsedResponse::empty(stop)
        }
    }
}

impl OllamaCall {
    fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let function = call.required("function", "a function")?;
        let mut fields_of_function = function.fields(&["arguments"])?;
        fields_of_function.insert("name".to_owned(), function.called_name().into());
        Ok(Self {
            fields: call.fields(&["function"])?,
            function: fields_of_function,
            arguments: raw_arguments(function.get("arguments")),
        })
    }

    pub(super) fn name(&self) -> &str {
        text_in(&self.function, "name")
    }

    /// The call for the next request.
    fn for_next_request(mut self, at: usize, calls: &mut ParsedCalls<'_>) -> Value {
        let id = self.fields.get("id").and_then(Value::as_str).map(str::to_owned);
        let repeated = calls.add(id, self.name().to_owned(), &self.arguments);
        calls.set_pointer_of_last_call(format!("/tool_calls/{at}/function/arguments"));
        self.function.insert("name".to_owned(), repeated.name.into());
        self.function.insert("arguments".to_owned(), arguments_object(&self.arguments));
        self.fields.insert("function".to_owned(), json!(self.function));
        self.fields.into()
    }
}
