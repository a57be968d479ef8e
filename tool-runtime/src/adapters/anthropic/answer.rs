//! Answers as `tool_result` blocks: all of a turn in one message, before anything else.

use serde_json::{Value, json};

use crate::adapters::answers::Reply;

pub(in crate::adapters) fn answer(replies: &[Reply<'_>]) -> Vec<Value> {
    let results: Vec<_> = replies.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

fn result(reply: &Reply<'_>) -> Value {
    let id = reply.asked.call_id();
    let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": reply.text() });
    if reply.is_error {
        result["is_error"] = true.into();
    }
    result
}
