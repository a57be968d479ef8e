//! Writes a tool as a `function`.

use serde_json::{Value, json};

use crate::format::DeclaredTool;
use crate::names::NameRules;
use crate::provider_schema::{ALL_KEYWORDS, DialectProfile, ReferenceSupport};

/// Names of up to 64 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 64, allows_dots: false, begins_with_letter: false };

/// Ollama: keywords that its types keep; it silently drops all others.
pub(super) const PROFILE: DialectProfile = DialectProfile {
    full_schema: false,
    keywords: &["type", "enum", "anyOf", "properties", "items"],
    root_keywords: &["type", "properties", "required"],
    references: ReferenceSupport::Inlined,
    inside_items: Some(&ITEMS),
    ..ALL_KEYWORDS
};

/// Ollama passes the contents of `items` on unchanged.
const ITEMS: DialectProfile =
    DialectProfile { references: ReferenceSupport::Inlined, ..ALL_KEYWORDS };

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        },
    })
}
