//! Writes a tool as a `function`.

use serde_json::{Value, json};

use super::super::choose::ChoiceForms;
use crate::custom_tools::CustomTool;
use crate::format::DeclaredTool;

pub(super) const CHOICE_FORMS: ChoiceForms = ChoiceForms {
    tool: |tool| {
        let kind = if tool.is_custom() { "custom" } else { "function" };
        json!({ "type": kind, kind: { "name": tool.name } })
    },
    allowed: |mode, tools| json!({ "type": "allowed_tools", "allowed_tools": { "mode": mode, "tools": tools } }),
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    if let Some(custom) = &tool.custom {
        return custom_declaration(tool, custom);
    }
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

fn custom_declaration(tool: &DeclaredTool, custom: &CustomTool) -> Value {
    let description = tool.declared_description();
    let mut written = json!({ "name": tool.name, "description": description });
    if let Some((syntax, definition)) = &custom.grammar {
        let grammar = json!({ "syntax": syntax, "definition": definition });
        written["format"] = json!({ "type": "grammar", "grammar": grammar });
    }
    json!({ "type": "custom", "custom": written })
}
