//! Visits every subschema of a schema, but no values that merely look like schemas.

use serde_json::{Map, Value};

/// Keywords whose value maps names to schemas.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Keywords whose value is a schema, or a list of schemas.
const DIRECT: [&str; 15] = [
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
];

/// Applies a change to every object schema, innermost first.
pub fn each(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(keywords) = schema else { return };
    each_direct(keywords, &mut |_, inner| each(inner, change));
    change(keywords);
}

/// Applies a change to the schemas of each keyword of a schema, but not to those within them.
pub fn each_direct(keywords: &mut Map<String, Value>, change: &mut impl FnMut(&str, &mut Value)) {
    for (keyword, inner) in keywords.iter_mut() {
        let keyword = keyword.as_str();
        match inner {
            Value::Object(named) if NAMED.contains(&keyword) => {
                for schema in named.values_mut() {
                    change(keyword, schema);
                }
            }
            Value::Array(list) if DIRECT.contains(&keyword) => {
                for schema in list {
                    change(keyword, schema);
                }
            }
            inner if DIRECT.contains(&keyword) => change(keyword, inner),
            _ => {}
        }
    }
}
