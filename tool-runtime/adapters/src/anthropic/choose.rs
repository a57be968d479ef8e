//! Writes the field `tool_choice`.

use serde_json::{Map, Value, json};

use crate::format::CallChoice;

pub(super) fn write(
    choice: &CallChoice<'_>,
    parallel: Option<bool>,
    fields: &mut Map<String, Value>,
) {
    let mut written = match choice {
        CallChoice::Auto { .. } => json!({ "type": "auto" }),
        CallChoice::Required { .. } => json!({ "type": "any" }),
        CallChoice::None => json!({ "type": "none" }),
        CallChoice::Tool(tool) => json!({ "type": "tool", "name": tool.name }),
    };
    let is_none = matches!(choice, CallChoice::None);
    if let Some(parallel) = parallel.filter(|_| !is_none) {
        written["disable_parallel_tool_use"] = (!parallel).into();
    }
    fields.insert("tool_choice".to_owned(), written);
}
