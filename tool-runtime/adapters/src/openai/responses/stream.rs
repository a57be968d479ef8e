//! Reads the events of a streamed response.

use super::items::{self, OutputItem};
use super::partial_items::{ItemName, PartialItem, PartialItems};
use super::read::stop;
use super::usage::metadata;
use crate::format::{
    CallNamespace, Delta, ParsedResponse, ReadError, ResponseMetadata, ResponseValue, StopReason,
    StreamAssembler, is_id,
};
use crate::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct ResponsesStream {
    items: PartialItems,
    /// The readable reasoning so far.
    thinking: String,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
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
        let items = self.items.into_list();
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
    /// The item of an event, which names it by its id and its index.
    fn partial(&mut self, event: ResponseValue<'_>) -> &mut PartialItem {
        let id = event.label_of("item_id").filter(|id| is_id(id)).map(ItemName::Item);
        self.items.find_or_add(output_index(event), id.as_slice())
    }

    fn added(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let item = event.required("item", "an item")?;
        let read = OutputItem::read(item)?;
        let name = CallNamespace::qualified(read.namespace().as_ref(), &item.called_name());
        let begun = read.is_call().then_some(Delta::CallStarted(name));
        let place = self.items.place(output_index(event), &read);
        place.item = read;
        Ok(begun)
    }

    fn done(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let item = OutputItem::read(event.required("item", "an item")?)?;
        self.items.place(output_index(event), &item).set_done(item);
        Ok(None)
    }

    /// Reads the final event, which repeats the items; items from earlier events take precedence.
    fn closed(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let response = event.required("response", "the response")?;
        if let Some(error) = response.get("error") {
            return Err(error.provider_error().into());
        }
        self.stop = Some(stop(response)?);
        for (index, item) in (0..).zip(response.list("output")?) {
            let item = OutputItem::read(item)?;
            let partial = self.items.place_in_list(index, &item);
            if !partial.is_done {
                partial.set_done(item);
            }
        }
        Ok(None)
    }
}

fn output_index(event: ResponseValue<'_>) -> u64 {
    event.number_of("output_index").unwrap_or(0)
}
