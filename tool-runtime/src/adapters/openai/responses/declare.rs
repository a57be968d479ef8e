//! Writes a tool as a `function`, with its fields beside its type.
//!
//! `strict` is always written, because the API tries strict mode by default.

use serde_json::{Value, json};

use super::super::choose::ChoiceForms;
use crate::adapters::custom_tools::CustomTool;
use crate::adapters::format::DeclaredTool;

pub(super) const CHOICE_FORMS: ChoiceForms = ChoiceForms {
    tool: |tool| {
        let kind = if tool.is_custom() { "custom" } else { "function" };
        json!({ "type": kind, "name": tool.name })
    },
    allowed: |mode, tools| json!({ "type": "allowed_tools", "mode": mode, "tools": tools }),
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    if let Some(custom) = &tool.custom {
        return custom_declaration(tool, custom);
    }
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    })
}

fn custom_declaration(tool: &DeclaredTool, custom: &CustomTool) -> Value {
    let description = tool.declared_description();
    let mut written = json!({ "type": "custom", "name": tool.name, "description": description });
    if let Some((syntax, definition)) = &custom.grammar {
        written["format"] =
            json!({ "type": "grammar", "syntax": syntax, "definition": definition });
    }
    written
}
