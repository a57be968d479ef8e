//! Parts of a candidate's content.

use serde_json::{Map, Value, json};

use crate::format::{
    ParsedCalls, ParsedResponse, ReadError, ResponseTexts, ResponseValue, StopReason,
    arguments_object, raw_arguments, text_in,
};
use crate::names::ToolNames;

/// One part of a content.
#[derive(Debug)]
pub(super) struct ContentPart {
    /// All fields except the call.
    pub(super) fields: Map<String, Value>,
    call: Option<FunctionCall>,
}

#[derive(Debug)]
struct FunctionCall {
    /// All fields except the arguments.
    fields: Map<String, Value>,
    arguments: String,
}

impl ContentPart {
    pub(super) fn read(part: ResponseValue<'_>) -> Result<Self, ReadError> {
        let call = part.get("functionCall").map(FunctionCall::read).transpose()?;
        Ok(Self { fields: part.fields(&["functionCall"])?, call })
    }

    /// The name of the called function.
    pub(super) fn called_function(&self) -> Option<&str> {
        self.call.as_ref().map(|call| text_in(&call.fields, "name"))
    }

    pub(super) fn text(&self) -> &str {
        text_in(&self.fields, "text")
    }

    pub(super) fn is_thought(&self) -> bool {
        self.fields.get("thought").is_some_and(|thought| thought == true)
    }

    /// Returns whether the part is only text, to which more text of the same kind can be appended.
    ///
    /// A part with a signature stays separate, because the signature is valid only for that part.
    pub(super) fn is_plain(&self) -> bool {
        let is_kind = |(name, _): (&String, &Value)| matches!(&**name, "text" | "thought");
        self.call.is_none() && self.fields.contains_key("text") && self.fields.iter().all(is_kind)
    }

    fn is_empty(&self) -> bool {
        self.call.is_none() && (self.fields.is_empty() || self.is_plain() && self.text().is_empty())
    }
}

impl FunctionCall {
    fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        if call.get("partialArgs").is_some() || call.is_true("willContinue") {
            return Err(call.streamed_by_path());
        }
        let mut fields = call.fields(&["args"])?;
        fields.insert("name".to_owned(), call.called_name().into());
        Ok(Self { fields, arguments: raw_arguments(call.get("args")) })
    }
}

/// Converts the parts of a content.
pub(super) fn assemble(
    parts: Vec<ContentPart>,
    stop: StopReason,
    names: &ToolNames,
) -> ParsedResponse {
    let thoughts = parts.iter().filter(|part| part.is_thought());
    let thinking = thoughts.map(ContentPart::text).collect();
    let texts = texts(&parts);
    let mut calls = ParsedCalls::new(names);
    let content_parts = parts.into_iter().filter(|part| !part.is_empty());
    let numbered = content_parts.enumerate();
    let parts: Vec<_> = numbered.map(|(at, part)| for_next_request(part, at, &mut calls)).collect();
    let content = || json!({ "role": "model", "parts": parts });
    let messages = if parts.is_empty() { Vec::new() } else { vec![content()] };
    ParsedResponse { messages, texts, thinking, calls: calls.list, ..ParsedResponse::empty(stop) }
}

/// The texts of a content. A text is sent in any number of parts; it ends at a part of another kind.
fn texts(parts: &[ContentPart]) -> ResponseTexts {
    let mut texts = ResponseTexts::default();
    let mut continues = false;
    for part in parts.iter().filter(|part| !part.is_thought()) {
        if continues {
            texts.append(part.text());
        } else {
            texts.push(part.text().to_owned());
        }
        continues = !part.text().is_empty() || continues && part.fields.contains_key("text");
    }
    texts
}

/// A part for the next request.
fn for_next_request(mut part: ContentPart, at: usize, calls: &mut ParsedCalls<'_>) -> Value {
    if let Some(mut call) = part.call {
        let id = call.fields.get("id").and_then(Value::as_str).map(str::to_owned);
        let name = text_in(&call.fields, "name").to_owned();
        let repeated = calls.add(id, name, &call.arguments);
        calls.set_pointer_of_last_call(format!("/parts/{at}/functionCall/args"));
        call.fields.insert("name".to_owned(), repeated.name.into());
        call.fields.insert("args".to_owned(), arguments_object(&call.arguments));
        part.fields.insert("functionCall".to_owned(), call.fields.into());
    }
    part.fields.into()
}
