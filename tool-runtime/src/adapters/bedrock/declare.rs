//! Writes a tool as a `toolSpec`. Bedrock rejects an empty description, so it is omitted.

use serde_json::{Value, json};

use crate::adapters::declare::DeclaredTool;

pub(in crate::adapters) fn declare(tool: &DeclaredTool<'_>) -> Value {
    let mut spec = json!({ "name": tool.name, "inputSchema": { "json": tool.schema } });
    if let (false, Some(words)) = (tool.description.trim().is_empty(), spec.as_object_mut()) {
        words.insert("description".to_owned(), tool.description.as_ref().into());
    }
    json!({ "toolSpec": spec })
}
