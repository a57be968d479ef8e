//! A parsed response, before declared names are resolved.

use std::collections::HashSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::StopReason;
use super::response_value::ResponseValue;
use crate::json::{self, JsonKind};
use crate::limits::Limits;

/// A parsed response.
#[derive(Debug)]
pub(super) struct ParsedResponse {
    pub(super) messages: Vec<Value>,
    pub(super) text: String,
    pub(super) calls: ParsedCalls,
    pub(super) stop: StopReason,
}

/// The calls of one response, in the model's order.
#[derive(Debug, Default)]
pub(super) struct ParsedCalls {
    pub(super) list: Vec<ParsedCall>,
    used: HashSet<String>,
}

/// One call as the provider sent it.
#[derive(Debug)]
pub(super) struct ParsedCall {
    /// The id in the response.
    pub(super) wire_id: Option<String>,
    /// A unique id within the response.
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl ParsedCalls {
    /// Adds a call; returns its id, which is generated if the provider sent none or a duplicate.
    pub(super) fn add(&mut self, id: Option<String>, name: String, arguments: &str) -> &str {
        let wire_id = id.filter(|id| !id.is_empty());
        let own = || format!("call_{}", Uuid::now_v7().simple());
        let fresh = wire_id.clone().filter(|id| !self.used.contains(id));
        let call_id = fresh.unwrap_or_else(own);
        self.used.insert(call_id.clone());
        // Providers stream a call without arguments as an empty text.
        let arguments = if arguments.is_empty() { "{}" } else { arguments }.to_owned();
        self.list.push(ParsedCall { wire_id, call_id, name, arguments });
        self.list.last().map_or("", |call| &call.call_id)
    }
}

/// Arguments as an object for the next request: `{}` if they are not an object.
pub(super) fn repeated(arguments: &str) -> Value {
    let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Map::new().into())
}

/// Arguments as text for the next request: `{}` if they are not an object.
pub(super) fn repeated_text(arguments: &str) -> &str {
    let tree = json::read(arguments, &Limits::WIDEST);
    let is_object = tree.is_ok_and(|tree| tree.view(arguments).node(0).kind == JsonKind::Object);
    if is_object { arguments } else { "{}" }
}

/// The raw arguments of an object; an empty text if they are absent.
pub(super) fn written(arguments: Option<ResponseValue<'_>>) -> String {
    arguments.map(ResponseValue::raw).unwrap_or_default().to_owned()
}

/// Merges a streamed piece into an object: texts and lists are appended, other values replaced.
pub(super) fn merge_piece(fields: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        match (fields.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => drop(fields.insert(name, value)),
        }
    }
}

/// The text of a field; empty if absent.
pub(super) fn text_in<'m>(fields: &'m Map<String, Value>, name: &str) -> &'m str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether a text block is blank, which every provider rejects.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
