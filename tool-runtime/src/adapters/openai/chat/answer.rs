//! Answers as `tool` messages, one a call. There is no mark for an error: its text says it.

use serde_json::{Value, json};

use crate::adapters::answers::Reply;

pub(in crate::adapters) fn answer(replies: &[Reply<'_>]) -> Vec<Value> {
    let message = |reply: &Reply<'_>| json!({ "role": "tool", "tool_call_id": reply.asked.call_id(), "content": reply.text() });
    replies.iter().map(message).collect()
}
