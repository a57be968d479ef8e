//! Writes answers as `toolResult` blocks: all of a turn in one message.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = answers.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

/// Every model accepts text; some accept JSON only as objects.
fn result(answer: &PreparedAnswer<'_>) -> Value {
    let content = json!([{ "text": answer.content.to_text() }]);
    let mut result = json!({ "toolUseId": answer.call.call_id, "content": content });
    if answer.content.is_error {
        result["status"] = "error".into();
    }
    json!({ "toolResult": result })
}
