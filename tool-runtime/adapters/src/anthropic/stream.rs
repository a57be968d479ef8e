//! Reads the events of a streamed message.

use serde_json::Value;

use super::blocks::{self, ContentBlock};
use super::read::{refusal, stop};
use super::usage::reported;
use crate::TurnUsage;
use crate::format::{
    CallNamespace, Delta, OpenBlocks, ParsedResponse, ReadError, ResponseMetadata, ResponseValue,
    StopReason, StreamAssembler, merge_piece,
};
use crate::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct MessageStream {
    blocks: OpenBlocks<ContentBlock>,
    stop: Option<StopReason>,
    is_closed: bool,
    refusal: String,
    metadata: ResponseMetadata,
}

impl StreamAssembler for MessageStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        let delta = match &*event.required_text("type")? {
            "message_start" => {
                self.report(event.get("message"));
                None
            }
            "content_block_start" => self.start(event)?,
            "content_block_delta" => self.append(event)?,
            "message_delta" => {
                self.report(Some(event));
                event.get("delta").and_then(|delta| self.end(delta))
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
        let response = blocks::assemble(self.blocks.into_list(), stop, names);
        let usage = self.metadata.usage.map(TurnUsage::with_cached_input);
        let metadata = ResponseMetadata { usage, ..self.metadata };
        ParsedResponse { refusal: self.refusal, metadata, ..response }
    }
}

impl MessageStream {
    /// Adds what an event reports; its counts are cumulative, and may be only some of them.
    fn report(&mut self, event: Option<ResponseValue<'_>>) {
        let Some(event) = event else { return };
        let mut later = reported(event);
        later.usage = match (self.metadata.usage, later.usage) {
            (Some(earlier), Some(later)) => Some(earlier.updated(later)),
            (_, later) => later,
        };
        self.metadata.update(later);
    }

    /// Reads the end of a message; a later event may report only the usage.
    fn end(&mut self, delta: ResponseValue<'_>) -> Option<Delta> {
        let reported = Some(stop(delta)).filter(|stop| *stop != StopReason::Interrupted);
        self.stop = reported.or(self.stop.take());
        let refusal = refusal(delta);
        self.refusal.push_str(&refusal);
        (!refusal.is_empty()).then_some(Delta::Refusal(refusal))
    }

    fn start(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let block = ContentBlock::read(event.required("content_block", "a content block")?)?;
        let name = block.fields.get("name").and_then(Value::as_str);
        let name = name.filter(|_| block.is("tool_use"));
        let name = name.map(|name| CallNamespace::qualified(block.namespace().as_ref(), name));
        self.blocks.start(index(event), block);
        Ok(name.map(Delta::CallStarted))
    }

    fn append(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let delta = event.required("delta", "a delta")?;
        let block = self.blocks.open(index(event));
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
