//! Reads the events of `ConverseStream`, each an object with the event's name as key.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::blocks::{self, ContentBlock, ToolUse, is_ours};
use super::read::stop;
use crate::adapters::format::{
    Delta, ParsedResponse, ProviderError, ReadError, ResponseValue, StopReason, StreamAssembler,
    merge_piece, text_in,
};
use crate::adapters::names::ToolNames;

/// Stream members that report a failure.
const FAILURES: [&str; 5] = [
    "internalServerException",
    "modelStreamErrorException",
    "validationException",
    "throttlingException",
    "serviceUnavailableException",
];

#[derive(Debug, Default)]
pub(super) struct ConverseStream {
    /// By block index.
    blocks: BTreeMap<u64, PartialBlock>,
    stop: Option<StopReason>,
}

/// A block that may be incomplete.
#[derive(Debug, Default)]
struct PartialBlock {
    call: Option<ToolUse>,
    text: Option<String>,
    /// Sources of a text.
    citations: Vec<Value>,
    reasoning: Map<String, Value>,
    /// A part of the block cannot be reassembled.
    is_lost: bool,
}

impl StreamAssembler for ConverseStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        if let Some(failure) = FAILURES.into_iter().find(|name| event.get(name).is_some()) {
            return Err(ProviderError::new(Some(failure.to_owned()), None).into());
        }
        if let Some(closed) = event.get("messageStop") {
            self.stop = Some(stop(closed));
        }
        let start = event.get("contentBlockStart").map(|event| self.start(event)).transpose()?;
        let delta = event.get("contentBlockDelta").map(|event| self.append(event)).transpose()?;
        Ok(start.or(delta).flatten().into_iter().collect())
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let blocks = self.blocks.into_values().filter_map(PartialBlock::into_block).collect();
        blocks::assemble(blocks, self.stop.unwrap_or(StopReason::Interrupted), names)
    }
}

impl ConverseStream {
    fn partial(&mut self, event: ResponseValue<'_>) -> &mut PartialBlock {
        self.blocks.entry(event.number_of("contentBlockIndex").unwrap_or(0)).or_default()
    }

    fn start(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let partial = self.partial(event);
        let Some(start) = event.get("start") else { return Ok(None) };
        match start.get("toolUse").filter(|call| is_ours(*call)) {
            None => partial.is_lost = true,
            Some(call) => {
                let call = partial.call.insert(ToolUse::read(call)?);
                return Ok(Some(Delta::CallStarted(text_in(&call.fields, "name").to_owned())));
            }
        }
        Ok(None)
    }

    fn append(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let partial = self.partial(event);
        let delta = event.required("delta", "a delta")?;
        if let Some(text) = delta.text_of("text")? {
            partial.text.get_or_insert_default().push_str(&text);
            return Ok(Some(Delta::Text(text)));
        }
        if let Some(reasoning) = delta.get("reasoningContent") {
            merge_piece(&mut partial.reasoning, reasoning.fields(&[])?);
            return Ok(reasoning.text_of("text")?.map(Delta::Thinking));
        }
        if let Some(citation) = delta.get("citation") {
            partial.citations.push(citation.value()?);
        } else if let (Some(input), Some(call)) = (delta.get("toolUse"), &mut partial.call) {
            call.input.push_str(&input.required_json_text("input")?);
        } else {
            partial.is_lost = true;
        }
        Ok(None)
    }
}

impl PartialBlock {
    fn into_block(mut self) -> Option<ContentBlock> {
        if self.is_lost {
            return None;
        }
        if let Some(call) = self.call {
            return Some(ContentBlock::ToolUse(call));
        }
        let text = self.text.unwrap_or_default();
        let block = if !self.citations.is_empty() {
            let content = json!([{ "text": text }]);
            json!({ "citationsContent": { "content": content, "citations": self.citations } })
        } else if let Some(redacted) = self.reasoning.remove("redactedContent") {
            json!({ "reasoningContent": { "redactedContent": redacted } })
        } else if !self.reasoning.is_empty() {
            json!({ "reasoningContent": { "reasoningText": self.reasoning } })
        } else {
            json!({ "text": text })
        };
        match block {
            Value::Object(fields) => Some(ContentBlock::Other(fields)),
            _ => None,
        }
    }
}
