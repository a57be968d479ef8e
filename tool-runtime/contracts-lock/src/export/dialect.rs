//! Converts schemas of older drafts to draft 2020-12.

use serde_json::{Map, Value, json};
use tool_runtime_schema::json::normalized;
use tool_runtime_schema::schema::older_drafts;
use tool_runtime_schema::schema::subschemas::for_each_schema_mut;

/// The dialect of every exported file.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords that change how references are resolved; an exported schema is a single document.
const BASE_URI_KEYWORDS: [&str; 4] = ["$schema", "$id", "id", "$anchor"];

/// Creates a document from a schema, with its dialect and id.
pub(super) fn document(schema: Value, id: &str) -> Value {
    let mut keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
        _ => Map::new(),
    };
    keywords.insert("$schema".to_owned(), DIALECT.into());
    keywords.insert("$id".to_owned(), id.into());
    Value::Object(keywords)
}

/// Converts a tool's schema to draft 2020-12. The validator accepts older drafts too, which
/// existing tools may use.
pub(super) fn to_current_draft(mut schema: Value) -> Value {
    for_each_schema_mut(&mut schema, &mut |keywords| {
        keywords.retain(|keyword, value| {
            !(BASE_URI_KEYWORDS.contains(&keyword.as_str()) && value.is_string())
        });
        older_drafts::to_current_draft(keywords);
        sort_required(keywords);
    });
    normalized(schema)
}

/// Embeds a tool's schema in another document, at `#/$defs/NAME`.
pub(super) fn nested(mut schema: Value, name: &str) -> Value {
    for_each_schema_mut(&mut schema, &mut |keywords| {
        if let Some(Value::String(reference)) = keywords.get_mut("$ref") {
            if let Some(pointer) = reference.strip_prefix('#') {
                *reference = format!("#/$defs/{name}{pointer}");
            }
        }
    });
    schema
}

/// Sorts required properties, because their order has no meaning and must not change a file.
fn sort_required(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = keywords.get_mut("required") {
        names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    }
}
