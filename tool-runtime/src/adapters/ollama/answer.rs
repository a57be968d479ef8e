//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    replies.iter().map(message).collect()
}

fn message(reply: &PreparedAnswer<'_>) -> Value {
    let name = &reply.asked.wire_name;
    let mut message = json!({ "role": "tool", "tool_name": name, "content": reply.text() });
    // Only newer servers send ids.
    if let Some(id) = &reply.asked.wire_id {
        message["tool_call_id"] = id.as_str().into();
    }
    message
}
