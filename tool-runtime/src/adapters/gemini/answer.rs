//! Answers as `functionResponse` parts: as many as there were calls, in one content.

use serde_json::{Value, json};

use crate::adapters::answers::Reply;

pub(in crate::adapters) fn answer(replies: &[Reply<'_>]) -> Vec<Value> {
    let parts: Vec<_> = replies.iter().map(part).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn part(reply: &Reply<'_>) -> Value {
    let mut response = json!({ "name": reply.asked.wire_name, "response": reply.object() });
    // Only what was asked under an id is answered under one.
    if let Some(id) = &reply.asked.wire_id {
        response["id"] = id.as_str().into();
    }
    json!({ "functionResponse": response })
}
