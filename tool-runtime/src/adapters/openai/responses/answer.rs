//! Answers as `function_call_output` items, one a call. There is no mark for an error: its text says it.

use serde_json::{Value, json};

use crate::adapters::answers::Reply;

pub(in crate::adapters) fn answer(replies: &[Reply<'_>]) -> Vec<Value> {
    let item = |reply: &Reply<'_>| {
        let call_id = reply.asked.call_id();
        json!({ "type": "function_call_output", "call_id": call_id, "output": reply.text() })
    };
    replies.iter().map(item).collect()
}
