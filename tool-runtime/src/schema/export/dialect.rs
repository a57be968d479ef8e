//! Schemas as files of draft 2020-12: what older dialects say, said in its words.

use serde_json::{Map, Value, json};

use super::subschemas::each;

/// The dialect of every exported file.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What would move the place that a reference starts from; a tool's schema is one document.
const PLACES: [&str; 4] = ["$schema", "$id", "id", "$anchor"];

/// Makes a document of a schema: with its dialect and its id.
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

/// Says a tool's schema in draft 2020-12. The checker reads older forms too, and so do tools that
/// came with them.
pub(super) fn modern(mut schema: Value) -> Value {
    each(&mut schema, &mut |keywords| {
        keywords
            .retain(|keyword, value| !(PLACES.contains(&keyword.as_str()) && value.is_string()));
        tuples(keywords);
        dependencies(keywords);
        exclusive(keywords, "exclusiveMinimum", "minimum");
        exclusive(keywords, "exclusiveMaximum", "maximum");
        nullable(keywords);
        sort_required(keywords);
    });
    schema
}

/// Makes a tool's schema a part of another document, at `#/$defs/NAME`.
pub(super) fn nested(mut schema: Value, name: &str) -> Value {
    each(&mut schema, &mut |keywords| {
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

/// `nullable` adds null to the types, and to nothing else.
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

/// The order of required properties says nothing, so it must not change a file.
fn sort_required(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = keywords.get_mut("required") {
        names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    }
}
