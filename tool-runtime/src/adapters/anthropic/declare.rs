//! Writes a tool with its `input_schema`.

use serde_json::{Value, json};

use crate::adapters::format::DeclaredTool;
use crate::adapters::lower::{ALL_KEYWORDS, DialectProfile};
use crate::adapters::names::NameRules;

/// Names of up to 128 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 128, allows_dots: false, begins_with_letter: false };

/// Anthropic: JSON Schema draft 2020-12, except choices at the root and unusual property names.
pub(super) const PROFILE: DialectProfile =
    DialectProfile { restricts_property_names: true, ..ALL_KEYWORDS };

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    })
}
