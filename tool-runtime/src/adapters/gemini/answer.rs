//! Writes answers as `functionResponse` parts: one per call, in one content.

use serde_json::{Value, json};

use crate::adapters::answers::PreparedAnswer;

pub(in crate::adapters) fn answer(replies: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let parts: Vec<_> = replies.iter().map(part).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn part(reply: &PreparedAnswer<'_>) -> Value {
    let mut response = json!({ "name": reply.asked.wire_name, "response": reply.object() });
    // An id is sent only if the call had one.
    if let Some(id) = &reply.asked.wire_id {
        response["id"] = id.as_str().into();
    }
    json!({ "functionResponse": response })
}
