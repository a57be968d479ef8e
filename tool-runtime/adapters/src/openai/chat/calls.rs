//! The calls of a message, complete or assembled from streamed pieces.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::format::{CallNamespace, ReadError, ResponseValue, is_blank, is_id, merge_piece};

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
    /// The type of a call of the provider's own tool, such as `builtin_function`.
    pub(super) kind: Option<String>,
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
            id: call.text_of("id")?.filter(|id| is_id(id)),
            kind: own_type(call),
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

    /// The namespace of a call of the provider's own tool, which is its type.
    pub(super) fn namespace(&self) -> Option<CallNamespace> {
        self.kind.clone().map(|name| CallNamespace { field: "type", name })
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
            // Another call under the same id: complete arguments are followed by none.
            let has_content = !is_blank(&piece.name) && !is_blank(&piece.arguments);
            return has_content && !self.is_custom && is_whole(&self.arguments);
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
        self.kind = self.kind.take().or(piece.kind);
        if is_blank(&self.name) {
            self.name = piece.name;
        }
        self.arguments.push_str(&piece.arguments);
        merge_piece(&mut self.other_fields, piece.other_fields);
    }
}

/// Adds a piece to its call; returns the name of a call that begins with it.
///
/// A piece with the id of a call under the same index continues that call, since some servers send the
/// pieces of several calls in turns. Any other piece continues the last call of its index; without one,
/// the last call.
pub(super) fn add_piece(
    calls: &mut Vec<ChatCall>,
    positions: &mut CallPositions,
    piece: PartialCall,
) -> Option<String> {
    let last = match piece.index {
        Some(index) => positions.last_of_index.get(&index).copied(),
        None => calls.len().checked_sub(1),
    };
    let id = piece.id.clone();
    let same_id = id.clone().and_then(|id| positions.by_id.get(&(piece.index, id))).copied();
    let position = same_id.or(last);
    let count = calls.len();
    let continued = match position.and_then(|position| calls.get_mut(position)) {
        Some(ChatCall::Function(call)) if !call.is_followed_by(&piece) => Some(call),
        Some(ChatCall::Function(_) | ChatCall::Other(_)) | None => None,
    };
    let at = position.filter(|_| continued.is_some()).unwrap_or(count);
    positions.last_of_index.extend(piece.index.map(|index| (index, at)));
    // Some servers send the index in the first piece alone.
    for index in [piece.index, None] {
        positions.by_id.extend(id.clone().map(|id| ((index, id), at)));
    }
    if let Some(call) = continued {
        // The first id counts: some servers give every piece another one.
        call.append(piece);
        return None;
    }
    let name = CallNamespace::qualified(piece.namespace().as_ref(), &piece.name);
    calls.push(ChatCall::Function(piece));
    Some(name)
}

/// The positions of the calls of a message.
#[derive(Debug, Default)]
pub(super) struct CallPositions {
    /// The call that had the last piece of an index.
    last_of_index: HashMap<u64, usize>,
    /// By index and id; without an index, by the id alone.
    by_id: HashMap<(Option<u64>, String), usize>,
}

/// The types under which servers send the calls of declared tools.
const OWN_TYPES: [&str; 4] = ["function", "custom", "function_call", "tool_call"];

/// The type of a call that is neither a function's nor a custom tool's.
fn own_type(call: ResponseValue<'_>) -> Option<String> {
    let kind = call.enum_value_of("type")?;
    let is_ours = OWN_TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known));
    (!is_ours).then_some(kind)
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
