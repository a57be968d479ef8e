//! Writes a tool as a function declaration with a JSON Schema.
//!
//! `parametersJsonSchema` supports `$ref`, tuples, lists of types and `additionalProperties`,
//! unlike the older `parameters`. A function without arguments has neither.

use serde_json::{Value, json};

use crate::format::DeclaredTool;
use crate::limits::DeclarationLimits;
use crate::names::NameRules;
use crate::provider_schema::{
    ALL_KEYWORDS, DialectProfile, EnumValues, PLAIN_OBJECT, ReferenceSupport,
};

/// Names of up to 64 characters, which also contain dots, and begin with no digit.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 64, allows_dots: true, begins_with_letter: true };

/// The limit that the server names when it rejects a request; see `LimitWarning`.
pub(super) const LIMITS: DeclarationLimits =
    DeclarationLimits { tools: Some(512), description: None };

/// Gemini's `parametersJsonSchema`.
pub(super) const PROFILE: DialectProfile = DialectProfile {
    full_schema: false,
    keywords: &[
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "format",
        "minimum",
        "maximum",
        "title",
    ],
    root_keywords: PLAIN_OBJECT,
    formats: &["date-time", "date", "time"],
    references: ReferenceSupport::KeptIfAcyclic,
    enum_values: EnumValues::StringsAndNumbers,
    restricts_property_names: true,
    ..ALL_KEYWORDS
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    let mut declaration = json!({ "name": tool.name, "description": tool.description });
    let takes_nothing =
        tool.schema.get("properties").is_none_or(|properties| *properties == json!({}))
            && tool.schema.get("additionalProperties") == Some(&Value::Bool(false));
    if let (false, Some(fields)) = (takes_nothing, declaration.as_object_mut()) {
        fields.insert("parametersJsonSchema".to_owned(), tool.schema.clone());
    }
    declaration
}
