//! Writes a tool as a function declaration with a JSON Schema.
//!
//! `parametersJsonSchema` supports `$ref`, tuples, lists of types and `additionalProperties`,
//! unlike the older `parameters`. A function without arguments has neither.

use serde_json::{Value, json};

use crate::adapters::declare::DeclaredTool;

pub(in crate::adapters) fn declare(tool: &DeclaredTool<'_>) -> Value {
    let mut said = json!({ "name": tool.name, "description": tool.description });
    let takes_nothing = tool.schema.get("properties").is_none_or(|named| *named == json!({}))
        && tool.schema.get("additionalProperties") == Some(&Value::Bool(false));
    if let (false, Some(words)) = (takes_nothing, said.as_object_mut()) {
        words.insert("parametersJsonSchema".to_owned(), Value::Object(tool.schema.clone()));
    }
    said
}
