//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let message = |reply: &PreparedAnswer<'_>| json!({ "role": "tool", "tool_call_id": reply.asked.call_id(), "content": reply.text() });
    replies.iter().map(message).collect()
}
