//! Content blocks of a message.

use serde_json::{Map, Value, json};

use crate::adapters::format::{
    ParsedCalls, ParsedResponse, ReadError, ResponseValue, StopReason, arguments_object, is_blank,
    raw_arguments, text_in,
};
use crate::adapters::names::ToolNames;

/// One content block.
#[derive(Debug)]
pub(super) enum ContentBlock {
    ToolUse(ToolUse),
    Other(Map<String, Value>),
}

#[derive(Debug)]
pub(super) struct ToolUse {
    /// All fields except the input.
    pub(super) fields: Map<String, Value>,
    pub(super) input: String,
}

impl ContentBlock {
    pub(super) fn read(block: ResponseValue<'_>) -> Result<Self, ReadError> {
        match block.get("toolUse").filter(|call| is_ours(*call)) {
            Some(call) => ToolUse::read(call).map(Self::ToolUse),
            None => block.fields(&[]).map(Self::Other),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Other(fields) => text_in(fields, "text"),
            Self::ToolUse(_) => "",
        }
    }

    /// Returns whether the provider would reject the block in the next request.
    fn must_be_omitted(&self, was_cut: bool) -> bool {
        let Self::Other(fields) = self else { return false };
        let thought =
            fields.get("reasoningContent").and_then(|thought| thought.get("reasoningText"));
        let unsigned = thought.is_some_and(|thought| thought.get("signature").is_none());
        let blank = fields.contains_key("text") && is_blank(self.text());
        fields.is_empty() || blank || was_cut && unsigned
    }
}

impl ToolUse {
    pub(super) fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let mut fields = call.fields(&["input"])?;
        fields.insert("name".to_owned(), call.called_name().into());
        Ok(Self { fields, input: raw_arguments(call.get("input")) })
    }
}

/// Returns false for calls of the provider's own tools.
pub(super) fn is_ours(call: ResponseValue<'_>) -> bool {
    call.get("type").is_none()
}

/// Converts the blocks of a message.
pub(super) fn assemble(
    blocks: Vec<ContentBlock>,
    stop: StopReason,
    names: &ToolNames,
) -> ParsedResponse {
    let text = blocks.iter().map(ContentBlock::text).collect();
    let mut calls = ParsedCalls::new(names);
    let was_cut = stop.is_cut_off();
    let kept = blocks.into_iter().filter(|block| !block.must_be_omitted(was_cut));
    let content: Vec<_> = kept.map(|block| for_next_request(block, &mut calls)).collect();
    let message = || json!({ "role": "assistant", "content": content });
    let messages = if content.is_empty() { Vec::new() } else { vec![message()] };
    ParsedResponse { messages, text, calls: calls.list, stop }
}

/// A block for the next request, with the call id that the answer uses.
fn for_next_request(block: ContentBlock, calls: &mut ParsedCalls<'_>) -> Value {
    let ToolUse { mut fields, input } = match block {
        ContentBlock::ToolUse(call) => call,
        ContentBlock::Other(fields) => return fields.into(),
    };
    let (id, name) = (text_in(&fields, "toolUseId"), text_in(&fields, "name"));
    let repeated = calls.add(Some(id.to_owned()), name.to_owned(), &input);
    fields.insert("toolUseId".to_owned(), repeated.id.into());
    fields.insert("name".to_owned(), repeated.name.into());
    fields.insert("input".to_owned(), arguments_object(&input));
    json!({ "toolUse": fields })
}
