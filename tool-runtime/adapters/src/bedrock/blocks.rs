//! Content blocks of a message.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::format::{
    ParsedCalls, ParsedResponse, ReadError, ResponseTexts, ResponseValue, StopReason,
    arguments_object, is_blank, raw_arguments, text_in,
};
use crate::names::ToolNames;

/// One content block.
#[derive(Debug)]
pub(super) enum ContentBlock {
    /// A call of a declared tool.
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
        match block.get("toolUse") {
            Some(call) => ToolUse::read(call).map(Self::from),
            None => block.fields(&[]).map(Self::Other),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Other(fields) => text_in(fields, "text"),
            Self::ToolUse(_) => "",
        }
    }

    /// The text of a block with citations.
    fn cited_text(&self) -> Option<String> {
        let Self::Other(fields) = self else { return None };
        let content = fields.get("citationsContent")?.get("content").and_then(Value::as_array)?;
        let texts = content.iter().filter_map(Value::as_object).map(|part| text_in(part, "text"));
        Some(texts.collect())
    }

    fn thinking(&self) -> &str {
        let Self::Other(fields) = self else { return "" };
        let thought =
            fields.get("reasoningContent").and_then(|thought| thought.get("reasoningText"));
        thought
            .and_then(Value::as_object)
            .map(|thought| text_in(thought, "text"))
            .unwrap_or_default()
    }

    /// A text of a member of the block, such as `toolUse`.
    fn text_in(&self, member: &str, name: &str) -> &str {
        let Self::Other(fields) = self else { return "" };
        let member = fields.get(member).and_then(Value::as_object);
        member.map(|member| text_in(member, name)).unwrap_or_default()
    }

    /// Returns whether the provider would reject the block in the next request.
    fn must_be_omitted(&self, was_cut: bool, finished: &HashSet<String>) -> bool {
        let Self::Other(fields) = self else { return false };
        let unfinished = fields.contains_key("toolUse")
            && !finished.contains(self.text_in("toolUse", "toolUseId"));
        let thought =
            fields.get("reasoningContent").and_then(|thought| thought.get("reasoningText"));
        let unsigned = thought.is_some_and(|thought| thought.get("signature").is_none());
        let blank = fields.contains_key("text") && is_blank(self.text());
        fields.is_empty() || blank || was_cut && (unsigned || unfinished)
    }
}

impl From<ToolUse> for ContentBlock {
    fn from(mut call: ToolUse) -> Self {
        if !call.fields.contains_key("type") {
            return Self::ToolUse(call);
        }
        // A call of the provider's own tool, which needs no answer.
        call.fields.insert("input".to_owned(), arguments_object(&call.input));
        Self::Other(Map::from_iter([("toolUse".to_owned(), call.fields.into())]))
    }
}

impl ToolUse {
    pub(super) fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let mut fields = call.fields(&["input"])?;
        fields.insert("name".to_owned(), call.called_name().into());
        Ok(Self { fields, input: raw_arguments(call.get("input")) })
    }
}

/// Converts the blocks of a message.
pub(super) fn assemble(
    blocks: Vec<ContentBlock>,
    stop: StopReason,
    names: &ToolNames,
) -> ParsedResponse {
    let texts = texts(&blocks);
    let thinking = blocks.iter().map(ContentBlock::thinking).collect();
    let mut calls = ParsedCalls::new(names);
    let was_cut = stop.is_cut_off();
    let results = blocks.iter().map(|block| block.text_in("toolResult", "toolUseId").to_owned());
    let finished = results.collect();
    let content_blocks =
        blocks.into_iter().filter(|block| !block.must_be_omitted(was_cut, &finished));
    let numbered = content_blocks.enumerate();
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
        let text = block.cited_text().unwrap_or_else(|| block.text().to_owned());
        let is_cited = |block: &ContentBlock| block.cited_text().is_some();
        if before.is_some_and(|it| is_cited(it) || is_cited(block)) {
            texts.append(&text);
        } else {
            texts.push(text);
        }
        before = Some(block).filter(|it| is_cited(it) || !it.text().is_empty());
    }
    texts
}

/// A block for the next request, with the call id that the answer uses.
fn for_next_request(block: ContentBlock, at: usize, calls: &mut ParsedCalls<'_>) -> Value {
    let ToolUse { mut fields, input } = match block {
        ContentBlock::ToolUse(call) => call,
        ContentBlock::Other(fields) => return fields.into(),
    };
    let (id, name) = (text_in(&fields, "toolUseId"), text_in(&fields, "name"));
    let repeated = calls.add(Some(id.to_owned()), name.to_owned(), &input);
    calls.set_pointer_of_last_call(format!("/content/{at}/toolUse/input"));
    fields.insert("toolUseId".to_owned(), repeated.id.into());
    fields.insert("name".to_owned(), repeated.name.into());
    fields.insert("input".to_owned(), arguments_object(&input));
    json!({ "toolUse": fields })
}
