//! A request to a scripted model, as its script reads it.

use serde_json::{Value, json};

use super::ModelReply;

/// A request to a scripted model.
#[derive(Debug)]
pub struct Asked {
    body: Value,
    times: usize,
}

impl Asked {
    pub(super) fn new(body: Value) -> Self {
        Self { body, times: 0 }
    }

    /// Sets how often the model was asked before.
    pub(super) fn with_times(self, times: usize) -> Self {
        Self { times, ..self }
    }

    /// Returns the name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Returns how often the model was asked before, in all conversations.
    #[must_use]
    pub fn times(&self) -> usize {
        self.times
    }

    /// Returns how often the model spoke in this conversation before.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.messages().filter(|message| message["role"] == "assistant").count()
    }

    /// Returns the text of the newest message.
    #[must_use]
    pub fn text(&self) -> &str {
        self.messages().last().and_then(|it| it["content"].as_str()).unwrap_or_default()
    }

    /// Returns whether the request declares a tool.
    #[must_use]
    pub fn has_tool(&self, tool: &str) -> bool {
        self.wire_name(tool).is_some()
    }

    /// Returns the newest answer of a tool, as the model reads it.
    #[must_use]
    pub fn answer_of(&self, tool: &str) -> Option<&str> {
        let name = self.wire_name(tool)?;
        let calls = self.messages().filter_map(|message| message["tool_calls"].as_array());
        let call = calls.flatten().filter(|call| call["function"]["name"] == name).last()?;
        let answers = |message: &&Value| message["tool_call_id"] == call["id"];
        self.messages().find(answers)?["content"].as_str()
    }

    /// Returns the newest answer of a tool as JSON; null if there is none, or it is no JSON.
    #[must_use]
    pub fn json_of(&self, tool: &str) -> Value {
        let answer = self.answer_of(tool).unwrap_or_default();
        serde_json::from_str(answer).unwrap_or_default()
    }

    pub(super) fn wants_stream(&self) -> bool {
        self.body["stream"] == true
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = &Value> {
        self.body["messages"].as_array().into_iter().flatten()
    }

    /// Makes the message of a reply; none if the reply is no message.
    pub(super) fn message_of(&self, reply: &ModelReply) -> Option<Value> {
        match reply {
            ModelReply::Text(text) => Some(json!({"role": "assistant", "content": text})),
            ModelReply::Calls(calls) => {
                let calls: Vec<Value> = (0..)
                    .zip(calls)
                    .map(|(place, (tool, arguments))| self.call(place, tool, arguments))
                    .collect();
                Some(json!({"role": "assistant", "content": null, "tool_calls": calls}))
            }
            ModelReply::Refused { .. } | ModelReply::Silence => None,
        }
    }

    fn call(&self, place: usize, tool: &str, arguments: &Value) -> Value {
        let name = self.wire_name(tool).unwrap_or(tool);
        let function = json!({"name": name, "arguments": arguments.to_string()});
        json!({"id": format!("call_{}_{place}", self.turn()), "type": "function", "function": function})
    }

    /// Finds the declared name of a tool: a provider's names have no dots.
    fn wire_name(&self, tool: &str) -> Option<&str> {
        let declared = self.body["tools"].as_array()?;
        let mut names = declared.iter().filter_map(|tool| tool["function"]["name"].as_str());
        names.find(|name| *name == tool || *name == tool.replace('.', "_"))
    }
}
