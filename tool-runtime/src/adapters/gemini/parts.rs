//! The parts of a candidate's content, and what they become.

use serde_json::{Map, Value, json};

use crate::adapters::place::Place;
use crate::adapters::said::{Calls, Said, repeated, text_in, written};
use crate::adapters::{ReadError, Stop};

/// One part of a content.
#[derive(Debug)]
pub(super) struct Part {
    /// All but the call.
    pub(super) fields: Map<String, Value>,
    call: Option<Call>,
}

#[derive(Debug)]
struct Call {
    /// All but the arguments.
    fields: Map<String, Value>,
    arguments: String,
}

impl Part {
    pub(super) fn read(part: Place<'_>) -> Result<Self, ReadError> {
        let call = part.get("functionCall").map(Call::read).transpose()?;
        Ok(Self { fields: part.fields(&["functionCall"])?, call })
    }

    /// The name of the function that it calls.
    pub(super) fn calls(&self) -> Option<&str> {
        self.call.as_ref().map(|call| text_in(&call.fields, "name"))
    }

    pub(super) fn text(&self) -> &str {
        text_in(&self.fields, "text")
    }

    pub(super) fn is_thought(&self) -> bool {
        self.fields.get("thought").is_some_and(|thought| thought == true)
    }

    /// True for text alone, which more text of the same kind may go on with.
    ///
    /// A part with a signature stays as it is: it is valid in its own place only.
    pub(super) fn is_plain(&self) -> bool {
        let is_kind = |(name, _): (&String, &Value)| matches!(&**name, "text" | "thought");
        self.call.is_none() && self.fields.contains_key("text") && self.fields.iter().all(is_kind)
    }

    fn is_empty(&self) -> bool {
        self.call.is_none() && (self.fields.is_empty() || self.is_plain() && self.text().is_empty())
    }
}

impl Call {
    fn read(call: Place<'_>) -> Result<Self, ReadError> {
        if call.get("partialArgs").is_some() || call.is_true("willContinue") {
            return Err(call.in_pieces());
        }
        call.text_needed("name")?;
        Ok(Self { fields: call.fields(&["args"])?, arguments: written(call.get("args")) })
    }
}

/// What a content of these parts says.
pub(super) fn said(parts: Vec<Part>, stop: Stop) -> Said {
    let heard = parts.iter().filter(|part| !part.is_thought());
    let text = heard.map(Part::text).collect();
    let mut calls = Calls::default();
    let kept = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<_> = kept.map(|part| repeat(part, &mut calls)).collect();
    let content = || json!({ "role": "model", "parts": parts });
    let messages = if parts.is_empty() { Vec::new() } else { vec![content()] };
    Said { messages, text, calls, stop }
}

/// A part as it goes back.
fn repeat(mut part: Part, calls: &mut Calls) -> Value {
    if let Some(mut call) = part.call {
        let id = call.fields.get("id").and_then(Value::as_str).map(str::to_owned);
        calls.add(id, text_in(&call.fields, "name").to_owned(), &call.arguments);
        call.fields.insert("args".to_owned(), repeated(&call.arguments));
        part.fields.insert("functionCall".to_owned(), call.fields.into());
    }
    part.fields.into()
}
