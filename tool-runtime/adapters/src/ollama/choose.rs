//! Removes the tools if the model is to make no call. The API has no field for a choice.

use serde_json::{Map, Value};

use crate::format::{CallChoice, UnsupportedRule};

pub(super) fn write(
    choice: &CallChoice<'_>,
    parallel: Option<bool>,
    fields: &mut Map<String, Value>,
) -> Result<(), UnsupportedRule> {
    match choice {
        CallChoice::Auto { .. } => UnsupportedRule::without_parallel_calls(parallel),
        CallChoice::None => {
            fields.clear();
            Ok(())
        }
        CallChoice::Required { .. } | CallChoice::Tool(_) => Err(UnsupportedRule {
            rule: "a required call",
            cure: "ask for it in the prompt, and repeat the request if no call was made",
        }),
    }
}
