//! Answers as `tool` messages, one a call, by the tool's name. An error's text says that it is one.

use serde_json::{Value, json};

use crate::adapters::answers::Reply;

pub(in crate::adapters) fn answer(replies: &[Reply<'_>]) -> Vec<Value> {
    replies.iter().map(message).collect()
}

fn message(reply: &Reply<'_>) -> Value {
    let name = &reply.asked.wire_name;
    let mut message = json!({ "role": "tool", "tool_name": name, "content": reply.text() });
    // Newer servers give ids.
    if let Some(id) = &reply.asked.wire_id {
        message["tool_call_id"] = id.as_str().into();
    }
    message
}
