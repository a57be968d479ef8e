//! The events of a streamed response.

use std::collections::BTreeMap;

use serde_json::json;

use super::items::{self, Item};
use super::read::stop;
use crate::adapters::place::Place;
use crate::adapters::said::Said;
use crate::adapters::stream::{Delta, Gather};
use crate::adapters::{ProviderError, ReadError, Stop};

#[derive(Debug, Default)]
pub(in crate::adapters) struct Gathered {
    /// By their place in the output.
    items: BTreeMap<u64, Coming>,
    stop: Option<Stop>,
}

/// An item that may be still on its way.
#[derive(Debug, Default)]
struct Coming {
    item: Item,
    /// What a message has said so far.
    text: String,
    is_done: bool,
}

impl Gather for Gathered {
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError> {
        let delta = match &*event.text_needed("type")? {
            "response.output_item.added" => self.added(event)?,
            "response.output_item.done" => self.done(event)?,
            "response.function_call_arguments.delta" => {
                self.coming(event).item.arguments += &event.text_needed("delta")?;
                None
            }
            "response.function_call_arguments.done" => {
                self.coming(event).item.arguments = event.text_needed("arguments")?;
                None
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                let text = event.text_needed("delta")?;
                self.coming(event).text += &text;
                Some(Delta::Text(text))
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                Some(Delta::Thinking(event.text_needed("delta")?))
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.closed(event)?
            }
            "error" => return Err(ProviderError::of(event).into()),
            _ => None,
        };
        Ok(delta.into_iter().collect())
    }

    fn finish(self: Box<Self>) -> Said {
        let items = self.items.into_values().filter_map(Coming::into_item).collect();
        items::said(items, self.stop.unwrap_or(Stop::Interrupted))
    }
}

impl Gathered {
    fn coming(&mut self, event: Place<'_>) -> &mut Coming {
        self.items.entry(event.number_of("output_index").unwrap_or(0)).or_default()
    }

    fn added(&mut self, event: Place<'_>) -> Result<Option<Delta>, ReadError> {
        let item = event.need("item", "an item")?;
        self.coming(event).item = Item::read(item)?;
        Ok(if item.is("type", "function_call") {
            item.text_of("name")?.map(Delta::Calls)
        } else {
            None
        })
    }

    fn done(&mut self, event: Place<'_>) -> Result<Option<Delta>, ReadError> {
        let item = Item::read(event.need("item", "an item")?)?;
        *self.coming(event) = Coming { item, is_done: true, ..Coming::default() };
        Ok(None)
    }

    /// Takes the end, which repeats the items; those that came by themselves are the better ones.
    fn closed(&mut self, event: Place<'_>) -> Result<Option<Delta>, ReadError> {
        let response = event.need("response", "the response")?;
        if let Some(error) = response.get("error") {
            return Err(ProviderError::of(error).into());
        }
        self.stop = Some(stop(response)?);
        for (place, item) in (0..).zip(response.list("output")?) {
            let coming = self.items.entry(place).or_default();
            if !coming.is_done {
                *coming = Coming { item: Item::read(item)?, is_done: true, ..Coming::default() };
            }
        }
        Ok(None)
    }
}

impl Coming {
    /// The item as far as it has come; none if nothing of it can go back.
    fn into_item(mut self) -> Option<Item> {
        if self.is_done || self.item.is("function_call") {
            return Some(self.item);
        }
        if !self.item.is("message") || self.text.is_empty() {
            return None;
        }
        let content = json!([{ "type": "output_text", "text": self.text, "annotations": [] }]);
        self.item.fields.insert("content".to_owned(), content);
        self.item.fields.insert("status".to_owned(), "incomplete".into());
        Some(self.item)
    }
}
