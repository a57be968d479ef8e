//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let message = |answer: &PreparedAnswer<'_>| json!({ "role": "tool", "tool_call_id": answer.call.call_id, "content": answer.content.to_text() });
    answers.iter().map(message).collect()
}
