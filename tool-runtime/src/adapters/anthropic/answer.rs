//! Writes answers as `tool_result` blocks: all of a turn in one message, before other content.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = answers.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

fn result(answer: &PreparedAnswer<'_>) -> Value {
    let id = &answer.call.call_id;
    let mut result =
        json!({ "type": "tool_result", "tool_use_id": id, "content": answer.content.to_text() });
    if answer.content.is_error {
        result["is_error"] = true.into();
    }
    result
}
