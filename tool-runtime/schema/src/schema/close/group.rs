//! Lists the schemas that apply to one value: a schema, its reference and its combinators.

use serde_json::{Map, Value};

use crate::schema::reference::escaped;

/// Keywords that restrict properties not listed in `properties`.
const UNNAMED_PROPERTY_KEYWORDS: [&str; 3] =
    ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// Keywords whose subschemas describe properties or items of the value.
const STRUCTURAL_KEYWORDS: [&str; 7] = [
    "additionalItems",
    "additionalProperties",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "unevaluatedProperties",
];

/// A schema that applies to the same value as the schema that contains it.
#[derive(Debug, Clone)]
pub(in crate::schema) struct InPlacePart<'s> {
    pub(in crate::schema) keyword: &'static str,
    /// The position in a list; 0 for single schemas.
    pub(in crate::schema) index: usize,
    /// The name in `dependentSchemas` and `dependencies`.
    pub(in crate::schema) name: Option<&'s str>,
    /// The schema, or the text of a `$ref`.
    pub(in crate::schema) schema: &'s Value,
}

impl InPlacePart<'_> {
    /// The location of the schema, from the location of the schema that contains it.
    pub(in crate::schema) fn pointer(&self, at: &str) -> String {
        match (self.name, self.keyword) {
            (Some(name), word) => format!("{at}/{word}/{}", escaped(name)),
            (None, word @ ("allOf" | "anyOf" | "oneOf")) => format!("{at}/{word}/{}", self.index),
            (None, word) => format!("{at}/{word}"),
        }
    }
}

/// Lists the schemas by which a value may be evaluated, but not those under `not`.
pub(in crate::schema) fn in_place(
    keywords: &Map<String, Value>,
) -> impl Iterator<Item = InPlacePart<'_>> {
    let single = ["$ref", "if", "then", "else"].into_iter().filter_map(|keyword| {
        Some(InPlacePart { keyword, index: 0, name: None, schema: keywords.get(keyword)? })
    });
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| {
        let branches = keywords.get(keyword).and_then(Value::as_array).into_iter().flatten();
        branches.enumerate().map(move |(index, schema)| InPlacePart {
            keyword,
            index,
            name: None,
            schema,
        })
    });
    let dependent_parts = ["dependentSchemas", "dependencies"].into_iter().flat_map(|keyword| {
        let dependents = keywords.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let schemas = dependents.filter(|(_, schema)| !schema.is_array());
        schemas.map(move |(name, schema)| InPlacePart {
            keyword,
            index: 0,
            name: Some(name.as_str()),
            schema,
        })
    });
    single.chain(lists).chain(dependent_parts)
}

/// Returns whether the keywords themselves describe properties or items.
pub(super) fn is_structural(keywords: &Map<String, Value>) -> bool {
    STRUCTURAL_KEYWORDS.iter().any(|word| match keywords.get(*word) {
        Some(Value::Object(named)) => *word != "properties" || !named.is_empty(),
        Some(_) => true,
        None => false,
    })
}

pub(in crate::schema) fn restricts_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS.iter().any(|word| keywords.contains_key(*word))
}

/// Returns whether a schema accepts properties that it does not list by name.
pub(super) fn admits_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS
        .iter()
        .any(|word| keywords.get(*word).is_some_and(|rule| *rule != Value::Bool(false)))
}
