//! The content blocks of a message, and what they become.

use serde_json::{Map, Value, json};

use crate::adapters::place::Place;
use crate::adapters::said::{Calls, Said, is_blank, repeated, text_in, written};
use crate::adapters::{ReadError, Stop};

/// One content block.
#[derive(Debug)]
pub(super) enum Block {
    Call(Call),
    Other(Map<String, Value>),
}

#[derive(Debug)]
pub(super) struct Call {
    /// All but the input.
    pub(super) fields: Map<String, Value>,
    pub(super) input: String,
}

impl Block {
    pub(super) fn read(block: Place<'_>) -> Result<Self, ReadError> {
        match block.get("toolUse").filter(|call| is_ours(*call)) {
            Some(call) => Call::read(call).map(Self::Call),
            None => block.fields(&[]).map(Self::Other),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Other(fields) => text_in(fields, "text"),
            Self::Call(_) => "",
        }
    }

    /// True if the provider would refuse to see it again.
    fn is_refused(&self, was_cut: bool) -> bool {
        let Self::Other(fields) = self else { return false };
        let thought =
            fields.get("reasoningContent").and_then(|thought| thought.get("reasoningText"));
        let unsigned = thought.is_some_and(|thought| thought.get("signature").is_none());
        let blank = fields.contains_key("text") && is_blank(self.text());
        fields.is_empty() || blank || was_cut && unsigned
    }
}

impl Call {
    pub(super) fn read(call: Place<'_>) -> Result<Self, ReadError> {
        call.text_needed("name")?;
        Ok(Self { fields: call.fields(&["input"])?, input: written(call.get("input")) })
    }
}

/// False for what the provider's own tools are called by.
pub(super) fn is_ours(call: Place<'_>) -> bool {
    call.get("type").is_none()
}

/// What a message of these blocks says.
pub(super) fn said(blocks: Vec<Block>, stop: Stop) -> Said {
    let text = blocks.iter().map(Block::text).collect();
    let mut calls = Calls::default();
    let was_cut = matches!(stop, Stop::Length | Stop::Interrupted);
    let kept = blocks.into_iter().filter(|block| !block.is_refused(was_cut));
    let content: Vec<_> = kept.map(|block| repeat(block, &mut calls)).collect();
    let message = || json!({ "role": "assistant", "content": content });
    let messages = if content.is_empty() { Vec::new() } else { vec![message()] };
    Said { messages, text, calls, stop }
}

/// A block as it goes back, a call under the id that its answer names.
fn repeat(block: Block, calls: &mut Calls) -> Value {
    let Call { mut fields, input } = match block {
        Block::Call(call) => call,
        Block::Other(fields) => return fields.into(),
    };
    let (id, name) = (text_in(&fields, "toolUseId"), text_in(&fields, "name"));
    let call_id = calls.add(Some(id.to_owned()), name.to_owned(), &input);
    fields.insert("toolUseId".to_owned(), call_id.into());
    fields.insert("input".to_owned(), repeated(&input));
    json!({ "toolUse": fields })
}
