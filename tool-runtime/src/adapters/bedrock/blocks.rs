//! Content blocks of a message.

use serde_json::{Map, Value, json};

use crate::adapters::parsed_response::{
    ParsedCalls, ParsedResponse, is_blank, repeated, text_in, written,
};
use crate::adapters::response_value::ResponseValue;
use crate::adapters::{ReadError, StopReason};

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
    fn is_refused(&self, was_cut: bool) -> bool {
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
        call.text_needed("name")?;
        Ok(Self { fields: call.fields(&["input"])?, input: written(call.get("input")) })
    }
}

/// Returns false for calls of the provider's own tools.
pub(super) fn is_ours(call: ResponseValue<'_>) -> bool {
    call.get("type").is_none()
}

/// Converts the blocks of a message.
pub(super) fn said(blocks: Vec<ContentBlock>, stop: StopReason) -> ParsedResponse {
    let text = blocks.iter().map(ContentBlock::text).collect();
    let mut calls = ParsedCalls::default();
    let was_cut = matches!(stop, StopReason::Length | StopReason::Interrupted);
    let kept = blocks.into_iter().filter(|block| !block.is_refused(was_cut));
    let content: Vec<_> = kept.map(|block| repeat(block, &mut calls)).collect();
    let message = || json!({ "role": "assistant", "content": content });
    let messages = if content.is_empty() { Vec::new() } else { vec![message()] };
    ParsedResponse { messages, text, calls, stop }
}

/// A block for the next request, with the call id that the answer uses.
fn repeat(block: ContentBlock, calls: &mut ParsedCalls) -> Value {
    let ToolUse { mut fields, input } = match block {
        ContentBlock::ToolUse(call) => call,
        ContentBlock::Other(fields) => return fields.into(),
    };
    let (id, name) = (text_in(&fields, "toolUseId"), text_in(&fields, "name"));
    let call_id = calls.add(Some(id.to_owned()), name.to_owned(), &input);
    fields.insert("toolUseId".to_owned(), call_id.into());
    fields.insert("input".to_owned(), repeated(&input));
    json!({ "toolUse": fields })
}
