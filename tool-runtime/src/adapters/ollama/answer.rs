//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    answers.iter().map(message).collect()
}

fn message(answer: &PreparedAnswer<'_>) -> Value {
    let name = &answer.call.repeated_name;
    let mut message =
        json!({ "role": "tool", "tool_name": name, "content": answer.content.to_text() });
    // Only newer servers send ids.
    if let Some(id) = &answer.call.wire_id {
        message["tool_call_id"] = id.as_str().into();
    }
    message
}
