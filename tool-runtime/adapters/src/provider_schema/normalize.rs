//! Converts older drafts of JSON Schema and OpenAPI to draft 2020-12.

use serde_json::{Map, Value};
use tool_runtime_schema::schema::older_drafts::to_current_draft;
use tool_runtime_schema::schema::subschemas::{SchemaKeyword, has_schema};

use crate::names;

/// A schema's keywords in draft 2020-12, without its definitions, which are read from the document.
pub(super) fn normalize(keywords: &Map<String, Value>) -> Map<String, Value> {
    let own_keywords =
        keywords.iter().filter(|(keyword, _)| !SchemaKeyword::holds_definitions(keyword));
    let mut keywords: Map<_, _> =
        own_keywords.map(|(name, value)| (name.clone(), value.clone())).collect();
    tool_runtime_schema::test_cost::count_values(keywords.values());
    to_current_draft(&mut keywords);
    // It has no meaning without a list in `items`.
    keywords.remove("additionalItems");
    keywords
}

/// Returns whether the keyword is an annotation, which does not affect validity.
pub(super) fn is_annotation(keyword: &str) -> bool {
    const ANNOTATIONS: &[&str] = &[
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "contentEncoding",
        "contentMediaType",
        "discriminator",
        "externalDocs",
        "xml",
    ];
    keyword.starts_with("x-")
        || ANNOTATIONS.contains(&keyword)
        || SchemaKeyword::is_annotation(keyword)
}

/// Returns whether `unevaluatedProperties` rejects every property that the schema does not declare.
///
/// This requires that no sibling keyword declares more properties under a condition.
pub(super) fn closes(keywords: &Map<String, Value>) -> bool {
    const NAME_MORE: [&str; 4] = ["dependentSchemas", "else", "if", "then"];
    keywords.get("unevaluatedProperties") == Some(&Value::Bool(false))
        && !NAME_MORE.iter().any(|keyword| keywords.contains_key(*keyword))
}

/// Returns whether any property would be renamed in a dialect with restricted names.
pub(super) fn has_odd_names(schema: &Value) -> bool {
    let is_odd = |name: &String| names::property(name) != *name;
    schema.as_object().is_some_and(|keywords| {
        has_schema(keywords, |keywords| {
            let properties = keywords.get("properties").and_then(Value::as_object);
            properties.is_some_and(|properties| properties.keys().any(is_odd))
        })
    })
}

/// Returns whether the value is marked secret.
pub(super) fn is_secret(keywords: &Map<String, Value>) -> bool {
    keywords.get("x-sensitivity").is_some_and(|sensitivity| sensitivity == "secret")
}

/// The types that a schema names, or those of its values; empty if it has neither.
pub(super) fn types(keywords: &Map<String, Value>) -> Vec<String> {
    match keywords.get("type") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => types_of(&values(keywords).unwrap_or_default()),
    }
}

/// The values of `enum` or `const`.
pub(super) fn values(keywords: &Map<String, Value>) -> Option<Vec<Value>> {
    match (keywords.get("const"), keywords.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

fn types_of(values: &[Value]) -> Vec<String> {
    let mut type_names: Vec<String> = Vec::new();
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !type_names.iter().any(|known| known == name) {
            type_names.push(name.to_owned());
        }
    }
    type_names
}
