//! Writes answers as `toolResult` blocks: all of a turn in one message.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = replies.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

/// Every model accepts text; some accept JSON only as objects.
fn result(reply: &PreparedAnswer<'_>) -> Value {
    let content = json!([{ "text": reply.text() }]);
    let mut result = json!({ "toolUseId": reply.asked.call_id(), "content": content });
    if reply.is_error {
        result["status"] = "error".into();
    }
    json!({ "toolResult": result })
}
