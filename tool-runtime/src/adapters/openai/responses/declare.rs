//! Writes a tool as a `function`, with its fields beside its type.
//!
//! `strict` is always written, because the API tries strict mode by default.

use serde_json::{Value, json};

use super::super::choose::ChoiceForms;
use crate::adapters::format::DeclaredTool;

pub(super) const CHOICE_FORMS: ChoiceForms = ChoiceForms {
    tool: |tool| json!({ "type": "function", "name": tool.name }),
    allowed: |mode, tools| json!({ "type": "allowed_tools", "mode": mode, "tools": tools }),
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    })
}
