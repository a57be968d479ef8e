//! The calls of a message, complete or assembled from streamed pieces.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::adapters::format::{ReadError, ResponseValue, is_blank, merge_piece};

/// One of a message's tool calls.
#[derive(Debug)]
pub(super) enum ChatCall {
    Function(PartialCall),
    /// A call of another type, which is not handled here.
    Other(Value),
}

/// One call, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    /// Its index among the calls, if the server sends one.
    pub(super) index: Option<u64>,
    /// True for a call of a custom tool, whose arguments are any text.
    pub(super) is_custom: bool,
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// True if the piece has a name, though it may be blank.
    has_name: bool,
    pub(super) arguments: String,
    /// Other fields, such as a signature.
    pub(super) other_fields: Map<String, Value>,
}

impl PartialCall {
    /// Reads a call, or a piece of one.
    pub(super) fn read(call: ResponseValue<'_>) -> Result<Self, ReadError> {
        let is_custom = Self::is_custom(call);
        let called = call.get(if is_custom { "custom" } else { "function" });
        let read = if is_custom { input } else { arguments };
        let arguments = called.map(read).transpose()?.unwrap_or_default();
        Ok(Self {
            index: call.number_of("index"),
            is_custom,
            id: call.text_of("id")?.filter(|id| !id.is_empty()),
            name: called.map(ResponseValue::called_name).unwrap_or_default(),
            has_name: called.is_some_and(|called| called.get("name").is_some()),
            arguments,
            other_fields: call.fields(&["index", "id", "type", "function", "custom"])?,
        })
    }

    /// Returns whether a call, or a piece of one, is of a custom tool.
    pub(super) fn is_custom(call: ResponseValue<'_>) -> bool {
        call.get("custom").is_some() || call.is("type", "custom")
    }

    /// Reads the deprecated `function_call` of a message, or a piece of it.
    pub(super) fn read_function_call(function: ResponseValue<'_>) -> Result<Self, ReadError> {
        let name = function.called_name();
        Ok(Self { name, arguments: arguments(function)?, ..Self::default() })
    }

    /// Returns whether the piece begins another call than this one.
    ///
    /// A call begins with its name. Some servers send the index 0 for every call, or none; some
    /// repeat the name in every piece, and some give every piece another id. A blank name begins a
    /// call only after a complete one.
    fn is_followed_by(&self, piece: &Self) -> bool {
        let ids = self.id.as_ref().zip(piece.id.as_ref());
        if ids.is_some_and(|(own, id)| own == id) {
            return false;
        }
        let other_id = ids.is_some();
        if !is_blank(&self.name) && !is_blank(&piece.name) {
            return other_id || self.name != piece.name || is_whole(&self.arguments);
        }
        let has_content = piece.has_name || !is_blank(&piece.arguments);
        let begins = !is_blank(&piece.name) || other_id && has_content;
        begins && (self.is_custom || is_whole(&self.arguments))
    }

    pub(super) fn append(&mut self, piece: Self) {
        self.is_custom |= piece.is_custom;
        self.id = self.id.take().or(piece.id);
        if is_blank(&self.name) {
            self.name = piece.name;
        }
        self.arguments.push_str(&piece.arguments);
        merge_piece(&mut self.other_fields, piece.other_fields);
    }
}

/// Adds a piece to its call; returns the name of a call that begins with it.
///
/// A piece with an index continues the last call of that index; without one, the last call.
pub(super) fn add_piece(
    calls: &mut Vec<ChatCall>,
    last_positions: &mut HashMap<u64, usize>,
    piece: PartialCall,
) -> Option<String> {
    let position = match piece.index {
        Some(index) => last_positions.get(&index).copied(),
        None => calls.len().checked_sub(1),
    };
    match position.and_then(|position| calls.get_mut(position)) {
        Some(ChatCall::Function(call)) if !call.is_followed_by(&piece) => {
            call.append(piece);
            return None;
        }
        Some(ChatCall::Function(_) | ChatCall::Other(_)) | None => {}
    }
    let name = Some(piece.name.clone());
    last_positions.extend(piece.index.map(|index| (index, calls.len())));
    calls.push(ChatCall::Function(piece));
    name
}

/// The arguments of a function, which are JSON in a text.
fn arguments(function: ResponseValue<'_>) -> Result<String, ReadError> {
    text_or_raw(function.get("arguments"), ResponseValue::json_text)
}

/// The text of a custom tool's call.
fn input(custom: ResponseValue<'_>) -> Result<String, ReadError> {
    text_or_raw(custom.get("input"), ResponseValue::text)
}

/// Reads a text; some servers send an object, or another value, in place of it.
fn text_or_raw<'d>(
    value: Option<ResponseValue<'d>>,
    text: fn(ResponseValue<'d>) -> Result<Cow<'d, str>, ReadError>,
) -> Result<String, ReadError> {
    match value {
        Some(value) if value.is_text() => Ok(text(value)?.into_owned()),
        Some(value) => Ok(value.raw().to_owned()),
        None => Ok(String::new()),
    }
}

/// Returns whether the arguments are complete.
fn is_whole(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}
