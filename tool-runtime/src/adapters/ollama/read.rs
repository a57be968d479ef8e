//! A whole response of `/api/chat`, and what one becomes.

use serde_json::{Map, Value, json};

use crate::adapters::place::Place;
use crate::adapters::said::{Calls, Said, repeated, text_in, written};
use crate::adapters::{ReadError, Stop};

/// What a message says, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// All but the calls.
    pub(super) fields: Map<String, Value>,
    pub(super) calls: Vec<Call>,
}

/// One call, which always comes whole.
#[derive(Debug)]
pub(super) struct Call {
    /// All but the function.
    fields: Map<String, Value>,
    /// All of the function but the arguments.
    function: Map<String, Value>,
    arguments: String,
}

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let message = Message::read(root.need("message", "the assistant's message")?)?;
    Ok(message.said(stop(root)))
}

/// Why a response ended; one that has not is interrupted.
pub(super) fn stop(root: Place<'_>) -> Stop {
    if !root.is_true("done") {
        return Stop::Interrupted;
    }
    match root.word_of("done_reason").as_deref() {
        // Older servers give no reason.
        Some("stop" | "tool_calls") | None => Stop::Done,
        Some("length") => Stop::Length,
        Some(word) => Stop::Other(word.to_owned()),
    }
}

impl Message {
    pub(super) fn read(message: Place<'_>) -> Result<Self, ReadError> {
        let calls = message.list("tool_calls")?.map(Call::read).collect::<Result<_, _>>()?;
        Ok(Self { fields: message.fields(&["tool_calls"])?, calls })
    }

    pub(super) fn said(mut self, stop: Stop) -> Said {
        let text = text_in(&self.fields, "content").to_owned();
        let mut calls = Calls::default();
        let repeated: Vec<_> = std::mem::take(&mut self.calls)
            .into_iter()
            .map(|call| call.repeat(&mut calls))
            .collect();
        let says = |name| !text_in(&self.fields, name).is_empty();
        let is_empty = repeated.is_empty() && !says("content") && !says("thinking");
        self.fields.insert("role".to_owned(), "assistant".into());
        self.fields.entry("content").or_insert_with(|| "".into());
        if !repeated.is_empty() {
            self.fields.insert("tool_calls".to_owned(), repeated.into());
        }
        let messages = if is_empty { Vec::new() } else { vec![self.fields.into()] };
        Said { messages, text, calls, stop }
    }
}

impl Call {
    fn read(call: Place<'_>) -> Result<Self, ReadError> {
        let function = call.need("function", "a function")?;
        function.text_needed("name")?;
        Ok(Self {
            fields: call.fields(&["function"])?,
            function: function.fields(&["arguments"])?,
            arguments: written(function.get("arguments")),
        })
    }

    pub(super) fn name(&self) -> &str {
        text_in(&self.function, "name")
    }

    /// The call as it goes back.
    fn repeat(mut self, calls: &mut Calls) -> Value {
        let id = self.fields.get("id").and_then(Value::as_str).map(str::to_owned);
        calls.add(id, self.name().to_owned(), &self.arguments);
        self.function.insert("arguments".to_owned(), repeated(&self.arguments));
        self.fields.insert("function".to_owned(), json!(self.function));
        self.fields.into()
    }
}
