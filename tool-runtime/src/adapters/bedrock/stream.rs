//! The events of `ConverseStream`, each an object with the event's name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::blocks::{self, Block, Call, is_ours};
use super::read::stop;
use crate::adapters::place::Place;
use crate::adapters::said::{Said, grow, text_in};
use crate::adapters::stream::{Delta, Gather};
use crate::adapters::{ProviderError, ReadError, Stop};

/// The members of the stream that say that it failed.
const FAILURES: [&str; 5] = [
    "internalServerException",
    "modelStreamErrorException",
    "validationException",
    "throttlingException",
    "serviceUnavailableException",
];

#[derive(Debug, Default)]
pub(in crate::adapters) struct Gathered {
    /// By their index.
    blocks: BTreeMap<u64, Coming>,
    stop: Option<Stop>,
}

/// A block that may be still on its way.
#[derive(Debug, Default)]
struct Coming {
    call: Option<Call>,
    text: Option<String>,
    /// What a text is taken from.
    citations: Vec<Value>,
    reasoning: Map<String, Value>,
    /// What of it cannot be put together again.
    is_lost: bool,
}

impl Gather for Gathered {
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError> {
        if let Some(failure) = FAILURES.into_iter().find(|name| event.get(name).is_some()) {
            return Err(ProviderError::named(Some(failure.to_owned())).into());
        }
        if let Some(closed) = event.get("messageStop") {
            self.stop = Some(stop(closed));
        }
        let start = event.get("contentBlockStart").map(|event| self.start(event)).transpose()?;
        let delta = event.get("contentBlockDelta").map(|event| self.go_on(event)).transpose()?;
        Ok(start.or(delta).flatten().into_iter().collect())
    }

    fn finish(self: Box<Self>) -> Said {
        let blocks = self.blocks.into_values().filter_map(Coming::into_block).collect();
        blocks::said(blocks, self.stop.unwrap_or(Stop::Interrupted))
    }
}

impl Gathered {
    fn coming(&mut self, event: Place<'_>) -> &mut Coming {
        self.blocks.entry(event.number_of("contentBlockIndex").unwrap_or(0)).or_default()
    }

    fn start(&mut self, event: Place<'_>) -> Result<Option<Delta>, ReadError> {
        let coming = self.coming(event);
        let Some(start) = event.get("start") else { return Ok(None) };
        match start.get("toolUse").filter(|call| is_ours(*call)) {
            None => coming.is_lost = true,
            Some(call) => {
                let call = coming.call.insert(Call::read(call)?);
                return Ok(Some(Delta::Calls(text_in(&call.fields, "name").to_owned())));
            }
        }
        Ok(None)
    }

    fn go_on(&mut self, event: Place<'_>) -> Result<Option<Delta>, ReadError> {
        let coming = self.coming(event);
        let delta = event.need("delta", "a delta")?;
        if let Some(text) = delta.text_of("text")? {
            coming.text.get_or_insert_default().push_str(&text);
            return Ok(Some(Delta::Text(text)));
        }
        if let Some(reasoning) = delta.get("reasoningContent") {
            grow(&mut coming.reasoning, reasoning.fields(&[])?);
            return Ok(reasoning.text_of("text")?.map(Delta::Thinking));
        }
        if let Some(citation) = delta.get("citation") {
            coming.citations.push(citation.value()?);
        } else if let (Some(input), Some(call)) = (delta.get("toolUse"), &mut coming.call) {
            call.input.push_str(&input.text_needed("input")?);
        } else {
            coming.is_lost = true;
        }
        Ok(None)
    }
}

impl Coming {
    fn into_block(mut self) -> Option<Block> {
        if self.is_lost {
            return None;
        }
        if let Some(call) = self.call {
            return Some(Block::Call(call));
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
            Value::Object(fields) => Some(Block::Other(fields)),
            _ => None,
        }
    }
}
