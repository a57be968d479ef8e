//! Reads the events of a streamed response.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::items::{self, OutputItem};
use super::read::stop;
use super::usage::metadata;
use crate::adapters::format::{
    Delta, ParsedResponse, ReadError, ResponseMetadata, ResponseValue, StopReason, StreamAssembler,
};
use crate::adapters::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct ResponsesStream {
    /// By output index.
    items: BTreeMap<u64, PartialItem>,
    /// The readable reasoning so far.
    thinking: String,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
}

/// An item that may be incomplete.
#[derive(Debug, Default)]
struct PartialItem {
    item: OutputItem,
    /// The text of a message so far.
    text: String,
    /// The refusal of a message so far.
    refusal: String,
    is_done: bool,
}

impl StreamAssembler for ResponsesStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        if let Some(response) = event.get("response") {
            self.metadata.update(metadata(response));
        }
        let delta = match &*event.required_text("type")? {
            "response.output_item.added" => self.added(event)?,
            "response.output_item.done" => self.done(event)?,
            "response.function_call_arguments.delta" => {
                self.partial(event).item.arguments += &event.required_json_text("delta")?;
                None
            }
            "response.function_call_arguments.done" => {
                self.partial(event).item.arguments = event.required_json_text("arguments")?;
                None
            }
            "response.custom_tool_call_input.delta" => {
                let more = event.required_text("delta")?;
                self.partial(event).append_input(&more);
                None
            }
            "response.custom_tool_call_input.done" => {
                let input = event.required_text("input")?;
                self.partial(event).item.fields.insert("input".to_owned(), input.into());
                None
            }
            "response.output_text.delta" => {
                let text = event.required_text("delta")?;
                self.partial(event).text += &text;
                Some(Delta::Text(text))
            }
            "response.refusal.delta" => {
                let text = event.required_text("delta")?;
                self.partial(event).refusal += &text;
                Some(Delta::Refusal(text))
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let text = event.required_text("delta")?;
                self.thinking += &text;
                Some(Delta::Thinking(text))
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.closed(event)?
            }
            "error" => return Err(event.provider_error().into()),
            _ => None,
        };
        Ok(delta.into_iter().collect())
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let items = self.items.into_values().filter_map(PartialItem::into_item).collect();
        let stop = self.stop.unwrap_or(StopReason::Interrupted);
        let mut response = items::assemble(items, stop, names);
        if !self.thinking.is_empty() {
            // Also that of an item that was cut off.
            response.thinking = self.thinking;
        }
        ParsedResponse { metadata: self.metadata, ..response }
    }
}

impl ResponsesStream {
    fn partial(&mut self, event: ResponseValue<'_>) -> &mut PartialItem {
        self.items.entry(event.number_of("output_index").unwrap_or(0)).or_default()
    }

    fn added(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let item = event.required("item", "an item")?;
        let read = OutputItem::read(item)?;
        let begun = read.is_call().then(|| Delta::CallStarted(item.called_name()));
        self.partial(event).item = read;
        Ok(begun)
    }

    fn done(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let item = OutputItem::read(event.required("item", "an item")?)?;
        *self.partial(event) = PartialItem { item, is_done: true, ..PartialItem::default() };
        Ok(None)
    }

    /// Reads the final event, which repeats the items; items from earlier events take precedence.
    fn closed(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let response = event.required("response", "the response")?;
        if let Some(error) = response.get("error") {
            return Err(error.provider_error().into());
        }
        self.stop = Some(stop(response)?);
        for (place, item) in (0..).zip(response.list("output")?) {
            let partial = self.items.entry(place).or_default();
            if !partial.is_done {
                *partial = PartialItem {
                    item: OutputItem::read(item)?,
                    is_done: true,
                    ..PartialItem::default()
                };
            }
        }
        Ok(None)
    }
}

impl PartialItem {
    /// Appends to the text of a custom tool's call.
    fn append_input(&mut self, more: &str) {
        let input = self.item.fields.entry("input").or_insert_with(|| "".into());
        if let Value::String(input) = input {
            input.push_str(more);
        }
    }

    /// The item so far; `None` if nothing of it can be sent back.
    fn into_item(mut self) -> Option<OutputItem> {
        if self.is_done || self.item.is("function_call") {
            return Some(self.item);
        }
        if self.item.is("custom_tool_call") {
            self.item.fields.insert("status".to_owned(), "incomplete".into());
            return Some(self.item);
        }
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(json!({ "type": "output_text", "text": self.text, "annotations": [] }));
        }
        if !self.refusal.is_empty() {
            content.push(json!({ "type": "refusal", "refusal": self.refusal }));
        }
        if !self.item.is("message") || content.is_empty() {
            return None;
        }
        self.item.fields.insert("content".to_owned(), content.into());
        self.item.fields.insert("status".to_owned(), "incomplete".into());
        Some(self.item)
    }
}
