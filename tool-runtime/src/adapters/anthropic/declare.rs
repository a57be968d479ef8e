//! Writes a tool with its `input_schema`.

use serde_json::{Value, json};

use crate::adapters::declare::DeclaredTool;

pub(in crate::adapters) fn declare(tool: &DeclaredTool<'_>) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    })
}
