//! Shows a tool's examples of arguments: in a separate field, or in the description.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use tool_runtime_schema::json::normalized;

use super::restore::DeclarationChanges;

/// Converts examples to the declared schema: with its names, and `null` where it requires a property
/// that the example omits.
pub(super) fn declared(
    examples: &[Map<String, Value>],
    changes: Option<&DeclarationChanges>,
) -> Vec<Value> {
    let example_values = examples.iter().cloned().map(Value::Object);
    match changes {
        Some(changes) => example_values.map(|example| normalized(changes.apply(example))).collect(),
        None => example_values.collect(),
    }
}

/// Appends a line for each example to a description.
pub(super) fn append_to(description: &mut String, examples: &[Value]) {
    for (index, example) in examples.iter().enumerate() {
        let separator = match (index, description.is_empty()) {
            (0, true) => "",
            (0, false) => "\n\n",
            _ => "\n",
        };
        // Writing to a string cannot fail.
        let _ = write!(description, "{separator}Example: {example}");
    }
}
