//! Writes a tool as a `function`.

use serde_json::{Value, json};

use super::super::choose::ChoiceForms;
use crate::adapters::format::DeclaredTool;

pub(super) const CHOICE_FORMS: ChoiceForms = ChoiceForms {
    tool: |tool| json!({ "type": "function", "function": { "name": tool.name } }),
    allowed: |mode, tools| json!({ "type": "allowed_tools", "allowed_tools": { "mode": mode, "tools": tools } }),
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
            "strict": tool.strict,
        },
    })
}
