//! A tool with its `input_schema`.

use serde_json::{Value, json};

use crate::adapters::declare::Declared;

pub(in crate::adapters) fn declare(tool: &Declared<'_>) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    })
}
