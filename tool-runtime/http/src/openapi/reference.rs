//! Refers to a schema of the document.

use serde_json::{Value, json};

pub(super) const PREFIX: &str = "#/components/schemas/";

/// Returns a reference to a schema.
pub(super) fn schema_ref(name: &str) -> Value {
    json!({"$ref": format!("{PREFIX}{name}")})
}
