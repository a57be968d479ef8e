//! Content blocks of a message.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::format::{
    CallNamespace, ParsedCalls, ParsedResponse, ReadError, ResponseTexts, ResponseValue,
    StopReason, arguments_object, is_blank, raw_arguments, text_in,
};
use crate::names::ToolNames;

/// One content block, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct ContentBlock {
    pub(super) fields: Map<String, Value>,
    /// The raw input of a tool use, of a declared tool or of the provider's own.
    input: Option<String>,
    /// True if the input is that of deltas, which replaces the one of the block's start.
    is_input_streamed: bool,
}

impl ContentBlock {
    pub(super) fn read(block: ResponseValue<'_>) -> Result<Self, ReadError> {
        block.required_text("type")?;
        let input = block.get("input");
        let mut fields = block.fields(&["input"])?;
        if block.is("type", "tool_use") {
            fields.insert("name".to_owned(), block.called_name().into());
        }
        let input = input.map(|_| raw_arguments(input));
        Ok(Self { fields, input, is_input_streamed: false })
    }

    /// Appends a delta to the input. The input of a block's start is mostly a placeholder, and
    /// complete if no delta has any.
    pub(super) fn append_input(&mut self, delta: &str) {
        let input = self.input.get_or_insert_default();
        if !delta.is_empty() && !std::mem::replace(&mut self.is_input_streamed, true) {
            input.clear();
        }
        input.push_str(delta);
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        text_in(&self.fields, "type") == kind
    }

    /// The toolset of the provider to which a called tool belongs.
    pub(super) fn namespace(&self) -> Option<CallNamespace> {
        CallNamespace::read(&self.fields, "toolset_name")
    }

    fn text(&self, name: &str) -> &str {
        text_in(&self.fields, name)
    }

    /// Returns whether a text has citations, which divide a text into blocks.
    fn is_cited(&self) -> bool {
        let citations = self.fields.get("citations").and_then(Value::as_array);
        citations.is_some_and(|citations| !citations.is_empty())
    }

    /// Returns whether the provider would reject the block in the next request.
    fn must_be_omitted(&self, was_cut: bool, finished: &HashSet<String>) -> bool {
        let blank = self.is("text") && is_blank(self.text("text"));
        let unsigned = self.is("thinking") && self.text("signature").is_empty();
        let unfinished = self.is("server_tool_use") && !finished.contains(self.text("id"));
        blank || was_cut && (unsigned || unfinished)
    }
}

/// Converts the blocks of a message.
pub(super) fn assemble(
    blocks: Vec<ContentBlock>,
    stop: StopReason,
    names: &ToolNames,
) -> ParsedResponse {
    let thinking = blocks.iter().filter(|block| block.is("thinking"));
    let thinking = thinking.map(|block| block.text("thinking")).collect();
    let texts = texts(&blocks);
    let was_cut = stop.is_cut_off();
    let finished = blocks.iter().map(|block| block.text("tool_use_id").to_owned()).collect();
    let retained_blocks =
        blocks.into_iter().filter(|block| !block.must_be_omitted(was_cut, &finished));
    let mut calls = ParsedCalls::new(names);
    let numbered = retained_blocks.enumerate();
    let content: Vec<_> =
        numbered.map(|(at, block)| for_next_request(block, at, &mut calls)).collect();
    let message = || json!({ "role": "assistant", "content": content });
    let messages = if content.is_empty() { Vec::new() } else { vec![message()] };
    ParsedResponse { messages, texts, thinking, calls: calls.list, ..ParsedResponse::empty(stop) }
}

/// The texts of a message. Citations divide a text into blocks; other blocks are texts of their own.
fn texts(blocks: &[ContentBlock]) -> ResponseTexts {
    let mut texts = ResponseTexts::default();
    let mut before: Option<&ContentBlock> = None;
    for block in blocks {
        let is_text = block.is("text");
        let continues = before.is_some_and(|it| it.is_cited() || block.is_cited());
        match block.text("text") {
            text if is_text && continues => texts.append(text),
            text if is_text => texts.push(text.to_owned()),
            _ => {}
        }
        before = Some(block).filter(|_| is_text);
    }
    texts
}

/// A block for the next request, with the call id that the answer uses.
fn for_next_request(mut block: ContentBlock, at: usize, calls: &mut ParsedCalls<'_>) -> Value {
    if block.is("tool_use") {
        let (id, name) = (block.text("id").to_owned(), block.text("name").to_owned());
        let repeated = calls.add(Some(id), name, block.input.as_deref().unwrap_or_default());
        calls.set_last_namespace(block.namespace());
        calls.set_pointer_of_last_call(format!("/content/{at}/input"));
        block.fields.insert("id".to_owned(), repeated.id.into());
        block.fields.insert("name".to_owned(), repeated.name.into());
        block.input.get_or_insert_default();
    }
    if let Some(input) = block.input {
        block.fields.insert("input".to_owned(), arguments_object(&input));
    }
    block.fields.into()
}
