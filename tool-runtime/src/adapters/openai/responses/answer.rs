//! Writes answers as `function_call_output` items, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let item = |reply: &PreparedAnswer<'_>| {
        let call_id = reply.asked.call_id();
        json!({ "type": "function_call_output", "call_id": call_id, "output": reply.text() })
    };
    replies.iter().map(item).collect()
}
