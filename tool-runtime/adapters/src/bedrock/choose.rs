//! Writes the member `toolChoice` of the field `toolConfig`.

use serde_json::{Map, Value, json};

use crate::format::{CallChoice, UnsupportedRule};

pub(super) fn write(
    choice: &CallChoice<'_>,
    parallel: Option<bool>,
    fields: &mut Map<String, Value>,
) -> Result<(), UnsupportedRule> {
    UnsupportedRule::without_parallel_calls(parallel)?;
    let written = match choice {
        CallChoice::Auto { .. } => json!({ "auto": {} }),
        CallChoice::Required { .. } => json!({ "any": {} }),
        CallChoice::Tool(tool) => json!({ "tool": { "name": tool.name } }),
        CallChoice::None => {
            return Err(UnsupportedRule {
                rule: "a response without calls",
                cure: "leave `toolConfig` out, if the conversation contains no calls yet; else ask \
                       for it in the prompt",
            });
        }
    };
    fields.entry("toolConfig").or_insert_with(|| json!({}))["toolChoice"] = written;
    Ok(())
}
