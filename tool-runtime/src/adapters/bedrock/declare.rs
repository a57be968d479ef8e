//! A tool as a `toolSpec`. An empty description is refused, so it is left out.

use serde_json::{Value, json};

use crate::adapters::declare::Declared;

pub(in crate::adapters) fn declare(tool: &Declared<'_>) -> Value {
    let mut spec = json!({ "name": tool.name, "inputSchema": { "json": tool.schema } });
    if let (false, Some(words)) = (tool.description.trim().is_empty(), spec.as_object_mut()) {
        words.insert("description".to_owned(), tool.description.as_ref().into());
    }
    json!({ "toolSpec": spec })
}
