//! Writes answers as `function_call_output` items, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let item = |answer: &PreparedAnswer<'_>| {
        let call_id = &answer.call.call_id;
        let output = answer.content.to_text();
        let mut item =
            json!({ "type": "function_call_output", "call_id": call_id, "output": output });
        if let Some(caller) = &answer.call.caller {
            item["caller"] = caller.clone();
        }
        item
    };
    answers.iter().map(item).collect()
}
