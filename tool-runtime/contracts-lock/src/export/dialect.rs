//! Converts schemas of older drafts to draft 2020-12.

use serde_json::{Map, Value, json};
use tool_runtime_schema::json::normalized;
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
        tuples(keywords);
        dependencies(keywords);
        exclusive(keywords, "exclusiveMinimum", "minimum");
        exclusive(keywords, "exclusiveMaximum", "maximum");
        nullable(keywords);
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

fn tuples(keywords: &mut Map<String, Value>) {
    if keywords.get("items").is_some_and(Value::is_array) {
        let items = keywords.remove("items").unwrap_or_default();
        keywords.insert("prefixItems".to_owned(), items);
        if let Some(rest) = keywords.remove("additionalItems") {
            keywords.insert("items".to_owned(), rest);
        }
    }
}

fn dependencies(keywords: &mut Map<String, Value>) {
    let Some(Value::Object(all)) = keywords.remove("dependencies") else { return };
    for (property, dependency) in all {
        let word = if dependency.is_array() { "dependentRequired" } else { "dependentSchemas" };
        let of_kind = keywords.entry(word).or_insert_with(|| json!({}));
        if let Value::Object(of_kind) = of_kind {
            of_kind.insert(property, dependency);
        }
    }
}

fn exclusive(keywords: &mut Map<String, Value>, word: &str, bound: &str) {
    let Some(Value::Bool(excluded)) = keywords.get(word) else { return };
    let excluded = *excluded;
    keywords.remove(word);
    if excluded {
        if let Some(limit) = keywords.remove(bound) {
            keywords.insert(word.to_owned(), limit);
        }
    }
}

/// `nullable` adds null to the types, and to no other keyword.
fn nullable(keywords: &mut Map<String, Value>) {
    if keywords.remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    match keywords.get_mut("type") {
        Some(Value::Array(kinds)) if kinds.iter().all(|kind| kind != "null") => {
            kinds.push("null".into());
        }
        Some(kind) if kind.is_string() && kind != "null" => *kind = json!([kind, "null"]),
        _ => {}
    }
}

/// Sorts required properties, because their order has no meaning and must not change a file.
fn sort_required(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = keywords.get_mut("required") {
        names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    }
}
