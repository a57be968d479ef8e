//! The chunks of a streamed chat completion.

use std::collections::HashMap;

use super::read::{Entry, Message, stop};
use super::slots::{self, Slot};
use crate::adapters::place::Place;
use crate::adapters::said::{Said, grow};
use crate::adapters::stream::{Delta, Gather};
use crate::adapters::{ReadError, Stop};

#[derive(Debug, Default)]
pub(in crate::adapters) struct Gathered {
    message: Message,
    /// Where the last call of each index stands.
    places: HashMap<u64, usize>,
    stop: Option<Stop>,
}

impl Gather for Gathered {
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError> {
        let mut deltas = Vec::new();
        // A chunk without choices tells the usage; other choices than the first are not read.
        for choice in
            event.list("choices")?.filter(|choice| choice.number_of("index").unwrap_or(0) == 0)
        {
            if let Some(delta) = choice.get("delta") {
                self.take(delta, &mut deltas)?;
            }
            match stop(choice) {
                Stop::Interrupted => {}
                stop => self.stop = Some(stop),
            }
        }
        Ok(deltas)
    }

    fn finish(mut self: Box<Self>) -> Said {
        let index = |entry: &Entry| match entry {
            Entry::Function(slot) => slot.index,
            Entry::Other(_) => None,
        };
        if self.message.calls.iter().all(|entry| index(entry).is_some()) {
            self.message.calls.sort_by_key(index);
        }
        self.message.said(self.stop.unwrap_or(Stop::Interrupted))
    }
}

impl Gathered {
    fn take(&mut self, delta: Place<'_>, deltas: &mut Vec<Delta>) -> Result<(), ReadError> {
        for name in ["content", "refusal"] {
            deltas.extend(shown(delta, name).map(Delta::Text));
        }
        for name in ["reasoning_content", "reasoning"] {
            deltas.extend(shown(delta, name).map(Delta::Thinking));
        }
        let mut fields = delta.fields(&["tool_calls", "role"])?;
        // The sound itself does not go back, only the id that the first piece names.
        if delta.get("audio").is_some_and(|audio| audio.get("id").is_none()) {
            fields.remove("audio");
        }
        grow(&mut self.message.fields, fields);
        for call in delta.list("tool_calls")? {
            let begun = slots::take(&mut self.message.calls, &mut self.places, Slot::piece(call)?);
            deltas.extend(begun.map(Delta::Calls));
        }
        Ok(())
    }
}

/// The text of a field that is not empty.
fn shown(delta: Place<'_>, name: &str) -> Option<String> {
    let text = delta.get(name).filter(|place| place.is_text())?.text().ok()?;
    (!text.is_empty()).then(|| text.into_owned())
}
