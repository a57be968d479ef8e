//! Writes answers as `functionResponse` parts: one per call, in one content.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let parts: Vec<_> = answers.iter().map(part).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn part(answer: &PreparedAnswer<'_>) -> Value {
    let mut response =
        json!({ "name": answer.call.repeated_name, "response": answer.content.to_object() });
    // An id is sent only if the call had one.
    if let Some(id) = &answer.call.wire_id {
        response["id"] = id.as_str().into();
    }
    json!({ "functionResponse": response })
}
