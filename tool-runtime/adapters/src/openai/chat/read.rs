//! Reads a complete chat completion.

use serde_json::{Map, Value, json};

use super::calls::{ChatCall, PartialCall};
use super::pieces::{ContentText, reasoning, texts_in};
use super::usage::metadata;
use crate::format::{
    ParsedCalls, ParsedResponse, ReadError, ResponseMetadata, ResponseTexts, ResponseValue,
    StopReason, arguments_text, text_in,
};
use crate::names::ToolNames;

/// The message of a choice.
#[derive(Debug, Default)]
pub(super) struct ChatMessage {
    /// All fields except the calls.
    pub(super) fields: Map<String, Value>,
    pub(super) calls: Vec<ChatCall>,
    /// The only call, in the deprecated form; some servers repeat the first of `calls` here.
    pub(super) function_call: Option<PartialCall>,
}

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let choices = root.required("choices", "a list of choices")?;
    let Some(choice) = choices.items()?.next() else {
        return Err(choices.unexpected("a list of one choice"));
    };
    let message = choice.required("message", "the assistant's message")?;
    let fields = message.fields(&["tool_calls", "function_call"])?;
    let calls = message.list("tool_calls")?.map(read_call).collect::<Result<_, _>>()?;
    let function_call = message.get("function_call").map(PartialCall::read_function_call);
    let message = ChatMessage { fields, calls, function_call: function_call.transpose()? };
    let response = message.into_response(stop(choice), names);
    Ok(ParsedResponse { metadata: metadata(root), ..response })
}

fn read_call(call: ResponseValue<'_>) -> Result<ChatCall, ReadError> {
    let is_known = PartialCall::is_custom(call) || call.get("function").is_some();
    if call.get("type").is_some() && !is_known {
        return call.value().map(ChatCall::Other);
    }
    PartialCall::read(call).map(ChatCall::Function)
}

/// The stop reason of a choice; without one, it was interrupted.
pub(super) fn stop(choice: ResponseValue<'_>) -> StopReason {
    match choice.enum_value_of("finish_reason").as_deref() {
        // Servers of open models return the end-of-text token.
        Some("stop" | "tool_calls" | "function_call" | "eos" | "eos_token") => StopReason::Done,
        Some("length" | "model_length") => StopReason::Length,
        Some(word @ ("content_filter" | "refusal")) => StopReason::Refused(word.to_owned()),
        Some(word) => StopReason::Other(word.to_owned()),
        None => StopReason::Interrupted,
    }
}

impl ChatMessage {
    pub(super) fn into_response(mut self, stop: StopReason, names: &ToolNames) -> ParsedResponse {
        let refusal = text_in(&self.fields, "refusal").to_owned();
        let (texts, thinking) = texts(&self.fields);
        let stop = match stop {
            StopReason::Done if !refusal.is_empty() => StopReason::Refused("refusal".to_owned()),
            stop @ (StopReason::Done
            | StopReason::Length
            | StopReason::Interrupted
            | StopReason::Refused(_)
            | StopReason::Other(_)) => stop,
        };
        let mut calls = ParsedCalls::new(names);
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|call| for_next_request(call, &mut calls))
            .collect();
        if let Some(call) = self.function_call.take().filter(|_| repeated.is_empty()) {
            let function = calls.add_function_call(call.name, &call.arguments);
            self.fields.insert("function_call".to_owned(), function);
        }
        let messages = self.message(repeated).into_iter().collect();
        let metadata = ResponseMetadata::default();
        ParsedResponse { messages, texts, thinking, refusal, calls: calls.list, stop, metadata }
    }

    /// The message for the next request; `None` if it is empty.
    fn message(mut self, calls: Vec<Value>) -> Option<Value> {
        self.fields.insert("role".to_owned(), "assistant".into());
        // Groq lists what its own tools did, and refuses the list and what refers to it in a request.
        if self.fields.remove("executed_tools").is_some() {
            self.fields.remove("annotations");
        }
        if let Some(id) = self.fields.get("audio").and_then(|audio| audio.get("id")) {
            // Audio is sent back by id only.
            self.fields["audio"] = json!({ "id": id });
        }
        let has = |name: &&str| self.fields.contains_key(*name);
        let has_content = ["content", "refusal", "audio"].iter().any(has);
        let has_calls = !calls.is_empty() || has(&"function_call");
        if !calls.is_empty() {
            self.fields.insert("tool_calls".to_owned(), calls.into());
        }
        if has_calls {
            self.fields.entry("content").or_insert(Value::Null);
        }
        (has_content || has_calls).then(|| self.fields.into())
    }
}

/// The text and the reasoning of a message. The parts of a content are one text: Mistral's references and
/// its reasoning divide it.
fn texts(fields: &Map<String, Value>) -> (ResponseTexts, String) {
    let (mut text, mut thinking) = (String::new(), String::new());
    for piece in fields.get("content").into_iter().flat_map(texts_in) {
        match piece {
            ContentText::Text(piece) => text.push_str(&piece),
            ContentText::Thinking(piece) => thinking.push_str(&piece),
        }
    }
    thinking.push_str(&reasoning(fields));
    (ResponseTexts::from_one(text), thinking)
}

/// A call for the next request, with the id that the answer uses.
fn for_next_request(call: ChatCall, calls: &mut ParsedCalls<'_>) -> Value {
    let call = match call {
        ChatCall::Function(call) => call,
        ChatCall::Other(value) => return value,
    };
    let namespace = call.namespace();
    let PartialCall { id, is_custom, name, arguments, mut other_fields, .. } = call;
    let kind = namespace.as_ref().map_or("function", |it| &it.name).to_owned();
    if is_custom {
        let repeated = calls.add_custom(id, name, &arguments);
        let custom = json!({ "name": repeated.name, "input": arguments });
        other_fields.insert("id".to_owned(), repeated.id.into());
        other_fields.insert("type".to_owned(), "custom".into());
        other_fields.insert("custom".to_owned(), custom);
        return other_fields.into();
    }
    let repeated = calls.add(id, name, &arguments);
    calls.set_last_namespace(namespace);
    let function = json!({ "name": repeated.name, "arguments": arguments_text(&arguments) });
    other_fields.insert("id".to_owned(), repeated.id.into());
    other_fields.insert("type".to_owned(), kind.into());
    other_fields.insert("function".to_owned(), function);
    other_fields.into()
}
