//! Assembles calls from streamed pieces.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::read::ChatCall;
use crate::adapters::ReadError;
use crate::adapters::parsed_response::merge_piece;
use crate::adapters::response_value::ResponseValue;

/// One call, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    /// Its index among the calls, if the server sends one.
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Other fields, such as a signature.
    pub(super) rest: Map<String, Value>,
}

impl PartialCall {
    pub(super) fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let slot = Self::piece(call)?;
        let named = !slot.name.is_empty();
        // A call without a name cannot even be answered with `NOT_FOUND`.
        if named { Ok(slot) } else { Err(call.unexpected("a call with `function.name`")) }
    }

    /// Reads a call, or a piece of one.
    pub(super) fn piece(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let function = call.get("function");
        let text = |name| function.map(|function| function.text_of(name)).transpose();
        let arguments = match function.and_then(|function| function.get("arguments")) {
            // Some servers send an object instead of text.
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

    /// Returns whether the piece begins another call than this one.
    ///
    /// A call begins with its name. Some servers send the index 0 for every call, or none; some
    /// repeat the name in every piece.
    fn is_followed_by(&self, piece: &Self) -> bool {
        if piece.name.is_empty() || self.name.is_empty() {
            return false;
        }
        match (&self.id, &piece.id) {
            (Some(own), Some(id)) => own != id,
            _ => self.name != piece.name || is_whole(&self.arguments),
        }
    }

    fn append(&mut self, piece: Self) {
        self.id = self.id.take().or(piece.id);
        if self.name.is_empty() {
            self.name = piece.name;
        }
        self.arguments.push_str(&piece.arguments);
        merge_piece(&mut self.rest, piece.rest);
    }
}

/// Adds a piece to its call; returns the name of a call that begins with it.
///
/// A piece with an index continues the last call of that index; without one, the last call.
pub(super) fn take(
    entries: &mut Vec<ChatCall>,
    last_positions: &mut HashMap<u64, usize>,
    piece: PartialCall,
) -> Option<String> {
    let place = match piece.index {
        Some(index) => last_positions.get(&index).copied(),
        None => entries.len().checked_sub(1),
    };
    match place.and_then(|place| entries.get_mut(place)) {
        Some(ChatCall::Function(slot)) if !slot.is_followed_by(&piece) => {
            slot.append(piece);
            return None;
        }
        _ => {}
    }
    let name = piece.name.clone();
    last_positions.extend(piece.index.map(|index| (index, entries.len())));
    entries.push(ChatCall::Function(piece));
    Some(name)
}

/// Returns whether the arguments are complete.
fn is_whole(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}
