//! Writes a tool as a `function`.

use serde_json::{Value, json};

use crate::adapters::format::DeclaredTool;

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
