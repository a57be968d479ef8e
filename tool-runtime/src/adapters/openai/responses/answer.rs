//! Writes answers as `function_call_output` and `custom_tool_call_output` items, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::PreparedAnswer;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let item = |answer: &PreparedAnswer<'_>| {
        let call_id = &answer.call.call_id;
        let kind =
            if answer.call.is_custom { "custom_tool_call_output" } else { "function_call_output" };
        json!({ "type": kind, "call_id": call_id, "output": answer.content.to_text() })
    };
    answers.iter().map(item).collect()
}
