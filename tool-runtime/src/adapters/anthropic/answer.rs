//! Writes answers as `tool_result` blocks: all of a turn in one message, before other content.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = replies.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

fn result(reply: &PreparedAnswer<'_>) -> Value {
    let id = reply.asked.call_id();
    let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": reply.text() });
    if reply.is_error {
        result["is_error"] = true.into();
    }
    result
}
