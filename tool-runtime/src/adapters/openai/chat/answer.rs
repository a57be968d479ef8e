//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    answers.iter().map(message).collect()
}

fn message(answer: &PreparedAnswer<'_>) -> Value {
    let (call, content) = (answer.call, answer.content.to_text());
    if call.is_function_call {
        return json!({ "role": "function", "name": call.repeated_name, "content": content });
    }
    json!({ "role": "tool", "tool_call_id": call.call_id, "content": content })
}
