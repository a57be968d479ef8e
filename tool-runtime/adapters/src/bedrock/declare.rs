//! Writes a tool as a `toolSpec`. Bedrock rejects an empty description, so it is omitted.

use serde_json::{Value, json};

use crate::format::DeclaredTool;
use crate::names::NameRules;
use crate::provider_schema::{ALL_KEYWORDS, DialectProfile, ReferenceSupport};

/// Names of up to 64 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 64, allows_dots: false, begins_with_letter: false };

/// Bedrock: keywords that all models accept. Amazon's own models accept three keywords at the root.
pub(super) const PROFILE: DialectProfile = DialectProfile {
    root_keywords: &["type", "properties", "required"],
    references: ReferenceSupport::Inlined,
    restricts_property_names: true,
    ..ALL_KEYWORDS
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    let mut spec = json!({ "name": tool.name, "inputSchema": { "json": tool.schema } });
    if let (false, Some(fields)) = (tool.description.trim().is_empty(), spec.as_object_mut()) {
        fields.insert("description".to_owned(), tool.description.as_str().into());
    }
    if tool.strict {
        spec["strict"] = true.into();
    }
    json!({ "toolSpec": spec })
}
