//! The content blocks of a message, and what they become.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::adapters::place::Place;
use crate::adapters::said::{Calls, Said, is_blank, repeated, text_in, written};
use crate::adapters::{ReadError, Stop};

/// One content block, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) fields: Map<String, Value>,
    /// The input of a call, ours or the provider's own, as it is written.
    pub(super) input: Option<String>,
}

impl Block {
    pub(super) fn read(block: Place<'_>) -> Result<Self, ReadError> {
        block.text_needed("type")?;
        if block.is("type", "tool_use") {
            block.text_needed("name")?;
        }
        let input = block.get("input");
        Ok(Self { fields: block.fields(&["input"])?, input: input.map(|_| written(input)) })
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        text_in(&self.fields, "type") == kind
    }

    fn text(&self, name: &str) -> &str {
        text_in(&self.fields, name)
    }

    /// True if the provider would refuse to see it again.
    fn is_refused(&self, was_cut: bool, finished: &HashSet<String>) -> bool {
        let blank = self.is("text") && is_blank(self.text("text"));
        let unsigned = self.is("thinking") && self.text("signature").is_empty();
        let unfinished = self.is("server_tool_use") && !finished.contains(self.text("id"));
        blank || was_cut && (unsigned || unfinished)
    }
}

/// What a message of these blocks says.
pub(super) fn said(blocks: Vec<Block>, stop: Stop) -> Said {
    let text =
        blocks.iter().filter(|block| block.is("text")).map(|block| block.text("text")).collect();
    let was_cut = matches!(stop, Stop::Length | Stop::Interrupted);
    let finished = blocks.iter().map(|block| block.text("tool_use_id").to_owned()).collect();
    let kept = blocks.into_iter().filter(|block| !block.is_refused(was_cut, &finished));
    let mut calls = Calls::default();
    let content: Vec<_> = kept.map(|block| repeat(block, &mut calls)).collect();
    let message = || json!({ "role": "assistant", "content": content });
    let messages = if content.is_empty() { Vec::new() } else { vec![message()] };
    Said { messages, text, calls, stop }
}

/// A block as it goes back, a call under the id that its answer names.
fn repeat(mut block: Block, calls: &mut Calls) -> Value {
    if block.is("tool_use") {
        let (id, name) = (block.text("id").to_owned(), block.text("name").to_owned());
        let call_id = calls.add(Some(id), name, block.input.as_deref().unwrap_or_default());
        block.fields.insert("id".to_owned(), call_id.into());
        block.input.get_or_insert_default();
    }
    if let Some(input) = block.input {
        block.fields.insert("input".to_owned(), repeated(&input));
    }
    block.fields.into()
}
