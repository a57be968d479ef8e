//! Reads the events of a streamed message.

use std::collections::BTreeMap;

use serde_json::Value;

use super::blocks::{self, ContentBlock};
use super::read::stop;
use crate::adapters::format::{
    Delta, ParsedResponse, ReadError, ResponseValue, StopReason, StreamAssembler, merge_piece,
};
use crate::adapters::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct MessageStream {
    /// By block index.
    blocks: BTreeMap<u64, ContentBlock>,
    stop: Option<StopReason>,
    is_closed: bool,
}

impl StreamAssembler for MessageStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        let delta = match &*event.required_text("type")? {
            "content_block_start" => self.start(event)?,
            "content_block_delta" => self.append(event)?,
            "message_delta" => {
                // A later one may report only the usage.
                let stop = event.get("delta").map(stop);
                let reported = stop.filter(|stop| *stop != StopReason::Interrupted);
                self.stop = reported.or(self.stop.take());
                None
            }
            "message_stop" => {
                self.is_closed = true;
                None
            }
            _ => None,
        };
        Ok(delta.into_iter().collect())
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let stop = self.stop.filter(|_| self.is_closed).unwrap_or(StopReason::Interrupted);
        blocks::assemble(self.blocks.into_values().collect(), stop, names)
    }
}

impl MessageStream {
    fn start(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let block = ContentBlock::read(event.required("content_block", "a content block")?)?;
        let name = block.fields.get("name").and_then(Value::as_str);
        let delta =
            name.filter(|_| block.is("tool_use")).map(|name| Delta::CallStarted(name.to_owned()));
        self.blocks.insert(index(event), block);
        Ok(delta)
    }

    fn append(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let delta = event.required("delta", "a delta")?;
        let block = self.blocks.entry(index(event)).or_default();
        match &*delta.required_text("type")? {
            "input_json_delta" => {
                block.append_input(&delta.required_json_text("partial_json")?);
                return Ok(None);
            }
            "signature_delta" => {
                block.fields.extend(delta.fields(&["type"])?);
                return Ok(None);
            }
            "citations_delta" => {
                let citation = delta.required("citation", "a citation")?.value()?;
                merge_piece(
                    &mut block.fields,
                    [("citations".to_owned(), vec![citation].into())].into_iter().collect(),
                );
                return Ok(None);
            }
            _ => merge_piece(&mut block.fields, delta.fields(&["type"])?),
        }
        let text = delta.text_of("text")?.map(Delta::Text);
        Ok(text.or(delta.text_of("thinking")?.map(Delta::Thinking)))
    }
}

fn index(event: ResponseValue<'_>) -> u64 {
    event.number_of("index").unwrap_or(0)
}
