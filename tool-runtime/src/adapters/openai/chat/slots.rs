//! Calls that come in pieces, and which piece belongs to which.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::read::Entry;
use crate::adapters::ReadError;
use crate::adapters::place::Place;
use crate::adapters::said::grow;

/// One call, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Its place among the calls, where the server says it.
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
    /// What else it carries, such as a signature.
    pub(super) rest: Map<String, Value>,
}

impl Slot {
    pub(super) fn read(call: Place<'_>) -> Result<Self, ReadError> {
        let slot = Self::piece(call)?;
        let named = !slot.name.is_empty();
        // A call that names nothing cannot even be answered `NOT_FOUND`.
        if named { Ok(slot) } else { Err(call.unexpected("a call with `function.name`")) }
    }

    /// Reads a call, or a piece of one.
    pub(super) fn piece(call: Place<'_>) -> Result<Self, ReadError> {
        let function = call.get("function");
        let text = |name| function.map(|function| function.text_of(name)).transpose();
        let arguments = match function.and_then(|function| function.get("arguments")) {
            // Some servers give the object itself.
            Some(arguments) if !arguments.is_text() => arguments.raw().to_owned(),
            Some(arguments) => arguments.text()?.into_owned(),
            None => String::new(),
        };
        Ok(Self {
            index: call.number_of("index"),
            id: call.text_of("id")?.filter(|id| !id.is_empty()),
            name: text("name")?.flatten().unwrap_or_default(),
            arguments,
            rest: call.fields(&["index", "id", "type", "function"])?,
        })
    }

    /// True if the piece begins a call, where this one is the last that it could go on with.
    ///
    /// A call begins with its name. Some servers give every call the index 0, or none; some repeat the
    /// name in every piece.
    fn is_left_by(&self, piece: &Self) -> bool {
        if piece.name.is_empty() || self.name.is_empty() {
            return false;
        }
        match (&self.id, &piece.id) {
            (Some(own), Some(id)) => own != id,
            _ => self.name != piece.name || is_whole(&self.arguments),
        }
    }

    fn go_on(&mut self, piece: Self) {
        self.id = self.id.take().or(piece.id);
        if self.name.is_empty() {
            self.name = piece.name;
        }
        self.arguments.push_str(&piece.arguments);
        grow(&mut self.rest, piece.rest);
    }
}

/// Puts a piece where it belongs; returns the name of the call that it begins, if it does.
///
/// A piece with an index goes on with the last call of that index; one without, with the last call.
pub(super) fn take(
    entries: &mut Vec<Entry>,
    places: &mut HashMap<u64, usize>,
    piece: Slot,
) -> Option<String> {
    let place = match piece.index {
        Some(index) => places.get(&index).copied(),
        None => entries.len().checked_sub(1),
    };
    match place.and_then(|place| entries.get_mut(place)) {
        Some(Entry::Function(slot)) if !slot.is_left_by(&piece) => {
            slot.go_on(piece);
            return None;
        }
        _ => {}
    }
    let name = piece.name.clone();
    places.extend(piece.index.map(|index| (index, entries.len())));
    entries.push(Entry::Function(piece));
    Some(name)
}

/// Have the arguments come whole?
fn is_whole(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}
