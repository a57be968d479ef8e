//! What a response says, before its calls are known by the tools' own names.

use std::collections::HashSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::Stop;
use super::place::Place;
use crate::json::{self, Kind};
use crate::limits::Limits;

/// What a response says.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) messages: Vec<Value>,
    pub(super) text: String,
    pub(super) calls: Calls,
    pub(super) stop: Stop,
}

/// The calls of one response, in the model's order.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) list: Vec<Spoken>,
    used: HashSet<String>,
}

/// One call in a provider's words.
#[derive(Debug)]
pub(super) struct Spoken {
    /// The id that the response gave.
    pub(super) wire_id: Option<String>,
    /// An id that no other call of the response has.
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Calls {
    /// Adds a call; returns its id, which is a new one if the provider gave none, or gave it twice.
    pub(super) fn add(&mut self, id: Option<String>, name: String, arguments: &str) -> &str {
        let wire_id = id.filter(|id| !id.is_empty());
        let own = || format!("call_{}", Uuid::now_v7().simple());
        let fresh = wire_id.clone().filter(|id| !self.used.contains(id));
        let call_id = fresh.unwrap_or_else(own);
        self.used.insert(call_id.clone());
        // No text at all is how providers stream a call without arguments.
        let arguments = if arguments.is_empty() { "{}" } else { arguments }.to_owned();
        self.list.push(Spoken { wire_id, call_id, name, arguments });
        self.list.last().map_or("", |call| &call.call_id)
    }
}

/// Arguments as a provider takes them back in an object: none, where they are no object.
pub(super) fn repeated(arguments: &str) -> Value {
    let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Map::new().into())
}

/// Arguments as a provider takes them back in a text: none, where they are no object.
pub(super) fn repeated_text(arguments: &str) -> &str {
    let tree = json::read(arguments, &Limits::WIDEST);
    let is_object = tree.is_ok_and(|tree| tree.view(arguments).node(0).kind == Kind::Object);
    if is_object { arguments } else { "{}" }
}

/// The arguments that stand as an object: as they are written; no text, if they are absent.
pub(super) fn written(arguments: Option<Place<'_>>) -> String {
    arguments.map(Place::raw).unwrap_or_default().to_owned()
}

/// Adds a piece of a streamed object to what came before: texts and lists go on, the rest is new.
pub(super) fn grow(fields: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        match (fields.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => drop(fields.insert(name, value)),
        }
    }
}

/// The text of a field; empty if there is none.
pub(super) fn text_in<'m>(fields: &'m Map<String, Value>, name: &str) -> &'m str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// True for a text block that no provider takes back.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
