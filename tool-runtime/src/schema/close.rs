//! Closes the objects of an input schema that say nothing of fields they do not name.

use schemars::Schema;
use serde_json::{Map, Value};

/// The keywords by which a schema speaks of fields that it does not name.
const SPEAKING: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// The keywords whose schemas look at the same value.
const COMBINING: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Lets fields pass that a type does not name: `#[ai_type(open)]` applies it.
#[doc(hidden)]
pub fn open(schema: &mut Schema) {
    schema.ensure_object().entry("additionalProperties").or_insert(Value::Bool(true));
}

/// Refuses unknown fields in every object that names some and is silent about others.
///
/// A reader would drop them without a word, and a misspelt option is one of them. The root is
/// closed even if it names none: those are the arguments of a tool without any.
pub(crate) fn close(schema: &mut Value) {
    if let Value::Object(root) = schema {
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    value(schema);
}

/// Closes the schema of a whole value, and of everything in it.
fn value(schema: &mut Value) {
    inside(schema);
    let Value::Object(keywords) = schema else { return };
    if speaks(keywords) || keywords.contains_key("$ref") {
        return;
    }
    let combines = COMBINING.iter().any(|word| keywords.contains_key(*word));
    if combines && names_fields(keywords) {
        // The branches name fields too, so only all of them together know what is unknown.
        keywords.insert("unevaluatedProperties".to_owned(), false.into());
    } else if keywords.contains_key("properties") {
        keywords.insert("additionalProperties".to_owned(), false.into());
    }
}

fn speaks(keywords: &Map<String, Value>) -> bool {
    SPEAKING.iter().any(|word| keywords.contains_key(*word))
}

/// Does the schema, or a branch of it that is silent, name fields?
fn names_fields(keywords: &Map<String, Value>) -> bool {
    keywords.contains_key("properties")
        || branches(keywords)
            .filter_map(Value::as_object)
            .any(|branch| !speaks(branch) && names_fields(branch))
}

fn branches(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    COMBINING.iter().filter_map(|word| keywords.get(*word)?.as_array()).flatten()
}

/// Closes what lies in the value, and leaves open what looks at the value itself.
fn inside(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    for (word, inner) in keywords {
        match (word.as_str(), inner) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(value);
            }
            ("items" | "additionalProperties" | "unevaluatedProperties", inner) => value(inner),
            ("prefixItems", Value::Array(items)) => items.iter_mut().for_each(value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(inside);
            }
            _ => {}
        }
    }
}
