//! A whole chat completion, and what one becomes.

use serde_json::{Map, Value, json};

use super::slots::Slot;
use crate::adapters::place::Place;
use crate::adapters::said::{Calls, Said, repeated_text, text_in};
use crate::adapters::{ReadError, Stop};

/// What one choice's message says.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// All but the calls.
    pub(super) fields: Map<String, Value>,
    pub(super) calls: Vec<Entry>,
}

/// One of a message's tool calls.
#[derive(Debug)]
pub(super) enum Entry {
    Function(Slot),
    /// Of a kind that is not ours to answer.
    Other(Value),
}

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let choices = root.need("choices", "a list of choices")?;
    let Some(choice) = choices.items()?.next() else {
        return Err(choices.unexpected("a list of one choice"));
    };
    let message = choice.need("message", "the assistant's message")?;
    let fields = message.fields(&["tool_calls"])?;
    let calls = message.list("tool_calls")?.map(entry).collect::<Result<_, _>>()?;
    Ok(Message { fields, calls }.said(stop(choice)))
}

fn entry(call: Place<'_>) -> Result<Entry, ReadError> {
    if call.get("function").is_none() && call.get("type").is_some() {
        return call.value().map(Entry::Other);
    }
    Slot::read(call).map(Entry::Function)
}

/// Why a choice ended; one that has not is interrupted.
pub(super) fn stop(choice: Place<'_>) -> Stop {
    match choice.word_of("finish_reason").as_deref() {
        // Servers of open models name the token that ends a text.
        Some("stop" | "tool_calls" | "function_call" | "eos" | "eos_token") => Stop::Done,
        Some("length" | "model_length") => Stop::Length,
        Some(word @ ("content_filter" | "refusal")) => Stop::Refused(word.to_owned()),
        Some(word) => Stop::Other(word.to_owned()),
        None => Stop::Interrupted,
    }
}

impl Message {
    pub(super) fn said(mut self, stop: Stop) -> Said {
        let refusal = text_in(&self.fields, "refusal").to_owned();
        let text = content(&self.fields) + &refusal;
        let stop = match stop {
            Stop::Done if !refusal.is_empty() => Stop::Refused("refusal".to_owned()),
            stop => stop,
        };
        let mut calls = Calls::default();
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|call| repeat(call, &mut calls))
            .collect();
        Said { messages: self.message(repeated).into_iter().collect(), text, calls, stop }
    }

    /// The message as it goes back; none if it says nothing.
    fn message(mut self, calls: Vec<Value>) -> Option<Value> {
        self.fields.insert("role".to_owned(), "assistant".into());
        if let Some(id) = self.fields.get("audio").and_then(|audio| audio.get("id")) {
            // Audio goes back by its id alone.
            self.fields["audio"] = json!({ "id": id });
        }
        let says =
            ["content", "refusal", "audio"].iter().any(|name| self.fields.contains_key(*name));
        if calls.is_empty() {
            return says.then(|| self.fields.into());
        }
        self.fields.entry("content").or_insert(Value::Null);
        self.fields.insert("tool_calls".to_owned(), calls.into());
        Some(self.fields.into())
    }
}

/// The content's text, which some servers give in parts.
fn content(fields: &Map<String, Value>) -> String {
    match fields.get("content") {
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    }
}

/// A call as it goes back, under the id that its answer names.
fn repeat(call: Entry, calls: &mut Calls) -> Value {
    let Slot { id, name, arguments, mut rest, .. } = match call {
        Entry::Function(slot) => slot,
        Entry::Other(value) => return value,
    };
    let function = json!({ "name": name, "arguments": repeated_text(&arguments) });
    rest.insert("id".to_owned(), calls.add(id, name, &arguments).into());
    rest.insert("type".to_owned(), "function".into());
    rest.insert("function".to_owned(), function);
    rest.into()
}
