//! Writes a tool as a `function`.

use serde_json::{Value, json};

use crate::adapters::declare::DeclaredTool;

pub(in crate::adapters) fn declare(tool: &DeclaredTool<'_>) -> Value {
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
