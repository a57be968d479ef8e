//! Lists the schemas that apply to one value: a schema, its reference and its combinators.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::schema::reference::pointer;

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
    let named = ["dependentSchemas", "dependencies"].into_iter().flat_map(|keyword| {
        let named = keywords.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let schemas = named.filter(|(_, schema)| !schema.is_array());
        schemas.map(move |(name, schema)| InPlacePart {
            keyword,
            index: 0,
            name: Some(name.as_str()),
            schema,
        })
    });
    single.chain(lists).chain(named)
}

/// Returns whether the keywords themselves describe properties or items.
pub(super) fn is_structural(keywords: &Map<String, Value>) -> bool {
    STRUCTURAL_KEYWORDS.iter().any(|word| match keywords.get(*word) {
        Some(Value::Object(named)) => *word != "properties" || !named.is_empty(),
        Some(_) => true,
        None => false,
    })
}

pub(super) fn restricts_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS.iter().any(|word| keywords.contains_key(*word))
}

/// The keywords of all schemas that may apply to one value.
pub(in crate::schema) struct PartsOfValue<'s> {
    parts: Vec<&'s Map<String, Value>>,
}

impl<'s> PartsOfValue<'s> {
    pub(in crate::schema) fn new(document: &'s Value, keywords: &'s Map<String, Value>) -> Self {
        let (mut parts, mut open, mut seen) = (Vec::new(), vec![keywords], BTreeSet::new());
        while let Some(next) = open.pop() {
            crate::steps::count(1);
            parts.push(next);
            for part in in_place(next) {
                let schema = match part.keyword {
                    "$ref" => {
                        let place = part.schema.as_str().and_then(pointer);
                        let place = place.filter(|place| seen.insert(place.clone()));
                        place.and_then(|place| document.pointer(&place))
                    }
                    _ => Some(part.schema),
                };
                open.extend(schema.and_then(Value::as_object));
            }
        }
        Self { parts }
    }

    /// Returns whether the schema itself, or a part that could be closed, declares properties.
    pub(in crate::schema) fn declares_properties(&self) -> bool {
        self.parts.iter().enumerate().any(|(index, part)| {
            part.contains_key("properties") && (index == 0 || !restricts_unnamed(part))
        })
    }

    /// Returns whether the parts declare no property, and restrict none.
    pub(super) fn is_empty(&self) -> bool {
        self.listed().next().is_none() && !self.admits_unnamed()
    }

    /// Returns whether a rule requires a property that no part declares, or more properties than
    /// all parts declare, so that no object is valid once unknown properties are rejected.
    pub(super) fn requires_unlisted(&self) -> bool {
        !self.unlisted().is_empty() || self.missing_properties().is_some()
    }

    /// The names that a rule requires or depends on, and no part declares.
    pub(in crate::schema) fn unlisted(&self) -> BTreeSet<&'s str> {
        if self.admits_unnamed() {
            return BTreeSet::new();
        }
        let listed: BTreeSet<_> = self.listed().collect();
        self.parts
            .iter()
            .flat_map(|part| required_names(part))
            .filter(|name| !listed.contains(name))
            .collect()
    }

    /// The number in `minProperties`, if the parts declare fewer properties.
    pub(in crate::schema) fn missing_properties(&self) -> Option<u64> {
        let least =
            self.parts.iter().filter_map(|part| part.get("minProperties")?.as_u64()).max()?;
        let listed: BTreeSet<_> = self.listed().collect();
        (!self.admits_unnamed() && least > listed.len() as u64).then_some(least)
    }

    fn listed(&self) -> impl Iterator<Item = &'s str> + '_ {
        let named = self.parts.iter().filter_map(|part| part.get("properties")?.as_object());
        named.flatten().map(|(name, _)| name.as_str())
    }

    /// Returns whether a part accepts properties that are not named.
    fn admits_unnamed(&self) -> bool {
        self.parts.iter().any(|part| {
            UNNAMED_PROPERTY_KEYWORDS
                .iter()
                .any(|word| part.get(*word).is_some_and(|rule| *rule != Value::Bool(false)))
        })
    }
}

/// The names that the rules of one schema require or depend on.
fn required_names(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
    let dependents = ["dependentRequired", "dependentSchemas", "dependencies"].into_iter();
    let dependents = dependents
        .filter_map(|keyword| keywords.get(keyword)?.as_object())
        .flatten()
        .flat_map(|(name, names)| {
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
            names.chain([name.as_str()])
        });
    required.filter_map(Value::as_str).chain(dependents)
}
