//! Converts older drafts of JSON Schema and OpenAPI to draft 2020-12.

use serde_json::{Map, Value};

use crate::names;

/// A schema's keywords in draft 2020-12, without its definitions, which are read from the document.
pub(super) fn normalize(keywords: &Map<String, Value>) -> Map<String, Value> {
    let own_keywords = keywords.iter().filter(|(keyword, _)| !holds_definitions(keyword));
    let mut keywords: Map<_, _> =
        own_keywords.map(|(name, value)| (name.clone(), value.clone())).collect();
    tool_runtime_schema::test_cost::count_values(keywords.values());
    exclusive(&mut keywords, "minimum", "exclusiveMinimum");
    exclusive(&mut keywords, "maximum", "exclusiveMaximum");
    nullable(&mut keywords);
    tuple(&mut keywords);
    keywords
}

/// Returns whether the keyword has schemas that only references apply.
pub(super) fn holds_definitions(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}

/// OpenAPI 3.0: `exclusiveMinimum: true` beside `minimum`.
fn exclusive(keywords: &mut Map<String, Value>, bound: &str, exclusive: &str) {
    let Some(Value::Bool(excludes)) = keywords.get(exclusive).cloned() else { return };
    keywords.remove(exclusive);
    if let Some(value) = excludes.then(|| keywords.remove(bound)).flatten() {
        keywords.insert(exclusive.to_owned(), value);
    }
}

/// OpenAPI 3.0: `nullable: true` beside `type`.
fn nullable(keywords: &mut Map<String, Value>) {
    if keywords.remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    let Some(kind) = keywords.get_mut("type") else { return };
    let mut names = match kind.take() {
        Value::Array(names) => names,
        name => vec![name],
    };
    if !names.contains(&"null".into()) {
        names.push("null".into());
    }
    *kind = Value::Array(names);
}

/// Draft 7: `items` as a list, and `additionalItems` for the rest.
fn tuple(keywords: &mut Map<String, Value>) {
    let additional_items = keywords.remove("additionalItems");
    if !keywords.get("items").is_some_and(Value::is_array) {
        return;
    }
    if let Some(items) = keywords.remove("items") {
        keywords.insert("prefixItems".to_owned(), items);
    }
    if let Some(additional_items) = additional_items {
        keywords.insert("items".to_owned(), additional_items);
    }
}

/// Returns whether the keyword is an annotation, which does not affect validity.
pub(super) fn is_annotation(keyword: &str) -> bool {
    const ANNOTATIONS: &[&str] = &[
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "definitions",
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
        "contentSchema",
        "discriminator",
        "externalDocs",
        "xml",
    ];
    keyword.starts_with("x-") || ANNOTATIONS.contains(&keyword)
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
    let odd = |name: &String| names::property(name) != *name;
    match schema {
        Value::Object(keywords) => keywords.iter().any(|(keyword, inner)| {
            let properties = inner.as_object().filter(|_| keyword == "properties");
            properties.is_some_and(|properties| properties.keys().any(odd)) || has_odd_names(inner)
        }),
        Value::Array(branches) => branches.iter().any(has_odd_names),
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(old: &Value, new: &Value) {
        assert_eq!(&Value::Object(normalize(old.as_object().expect("a schema"))), new);
    }

    #[test]
    fn older_spellings_become_the_current_one() {
        check(
            &json!({"minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": false}),
            &json!({"exclusiveMinimum": 1, "maximum": 2}),
        );
        check(&json!({"type": "string", "nullable": true}), &json!({"type": ["string", "null"]}));
        check(
            &json!({"items": [{"type": "string"}], "additionalItems": false}),
            &json!({"prefixItems": [{"type": "string"}], "items": false}),
        );
    }
}
