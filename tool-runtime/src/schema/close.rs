//! Closes input-schema objects that do not restrict unnamed properties.

use schemars::Schema;
use serde_json::{Map, Value};

/// Keywords that restrict properties not listed in `properties`.
const UNNAMED_PROPERTY_KEYWORDS: [&str; 3] =
    ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// Keywords whose subschemas apply to the same value.
const COMBINING_KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Accepts properties that a type does not declare; `#[ai_type(open)]` applies it.
#[doc(hidden)]
pub fn open(schema: &mut Schema) {
    schema.ensure_object().entry("additionalProperties").or_insert(Value::Bool(true));
}

/// Rejects unknown properties in every object that declares some and does not restrict others.
///
/// Without this, serde silently drops an unknown property, such as a misspelt option. The root is
/// closed even if it declares no property: it is the argument object of a tool without parameters.
pub(crate) fn close(schema: &mut Value) {
    if let Value::Object(root) = schema {
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    close_value(schema);
}

/// Closes a schema and its subschemas.
fn close_value(schema: &mut Value) {
    close_children(schema);
    let Value::Object(keywords) = schema else { return };
    if restricts_unnamed(keywords) || keywords.contains_key("$ref") {
        return;
    }
    let combines = COMBINING_KEYWORDS.iter().any(|word| keywords.contains_key(*word));
    if combines && declares_properties(keywords) {
        // Branches declare properties too, so only `unevaluatedProperties` sees all of them.
        keywords.insert("unevaluatedProperties".to_owned(), false.into());
    } else if keywords.contains_key("properties") {
        keywords.insert("additionalProperties".to_owned(), false.into());
    }
}

fn restricts_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS.iter().any(|word| keywords.contains_key(*word))
}

/// Returns whether the schema, or a branch that could be closed, declares properties.
fn declares_properties(keywords: &Map<String, Value>) -> bool {
    keywords.contains_key("properties")
        || branches(keywords)
            .filter_map(Value::as_object)
            .any(|branch| !restricts_unnamed(branch) && declares_properties(branch))
}

fn branches(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    COMBINING_KEYWORDS.iter().filter_map(|word| keywords.get(*word)?.as_array()).flatten()
}

/// Closes the schemas of nested values; schemas that apply to the same value stay open.
fn close_children(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    for (word, inner) in keywords {
        match (word.as_str(), inner) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(close_value);
            }
            ("items" | "additionalProperties" | "unevaluatedProperties", inner) => {
                close_value(inner);
            }
            ("prefixItems", Value::Array(items)) => items.iter_mut().for_each(close_value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(close_children);
            }
            _ => {}
        }
    }
}
