//! The combined rules of one value.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::document::SchemaPart;
use crate::json::comparison_key;

/// The parts of a schema that one value has to satisfy, each an object of keywords.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueRules<'d> {
    pub(super) parts: Vec<SchemaPart<'d>>,
    /// True if a rule is checked only after a value is made.
    pub(super) needs_check: bool,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Null,
    Bool,
    Integer,
    Fraction,
    Text,
    Array,
    Object,
}

/// All types, the simplest first.
pub(super) const VALUE_KINDS: [ValueKind; 7] = [
    ValueKind::Null,
    ValueKind::Bool,
    ValueKind::Integer,
    ValueKind::Fraction,
    ValueKind::Text,
    ValueKind::Array,
    ValueKind::Object,
];

/// Keywords that are only checked once a value is made.
const UNFOLLOWED_KEYWORDS: [&str; 15] = [
    "examples",
    "default",
    "not",
    "if",
    "contains",
    "uniqueItems",
    "enum",
    "const",
    "pattern",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "unevaluatedItems",
];

impl<'d> ValueRules<'d> {
    pub(super) fn push(&mut self, part: SchemaPart<'d>) {
        self.needs_check |= !self.parts.is_empty()
            || UNFOLLOWED_KEYWORDS.iter().any(|key| part.schema.get(key).is_some());
        self.parts.push(part);
    }

    /// Returns the keywords of each part.
    pub(super) fn maps(&self) -> impl Iterator<Item = &'d Map<String, Value>> + '_ {
        self.parts.iter().filter_map(|part| part.schema.as_object())
    }

    /// Returns a keyword's value in every part that has it.
    pub(super) fn all<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = &'d Value> + 'a {
        self.maps().filter_map(move |keywords| keywords.get(keyword))
    }

    /// Returns whether a part has an example or a default.
    pub(super) fn shows(&self) -> bool {
        self.has("examples") || self.has("default")
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.all(keyword).next().is_some()
    }

    /// Returns the greatest lower bound under this keyword.
    pub(super) fn at_least(&self, keyword: &str) -> usize {
        self.all(keyword).filter_map(size).max().unwrap_or(0)
    }

    /// Returns the smallest upper bound under this keyword.
    pub(super) fn at_most(&self, keyword: &str) -> Option<usize> {
        self.all(keyword).filter_map(size).min()
    }

    pub(super) fn texts<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = &'d str> + 'a {
        self.all(keyword).filter_map(Value::as_str)
    }

    /// Returns the types that every part admits by its `type`.
    pub(super) fn kinds(&self) -> Vec<ValueKind> {
        let admitted = |kind: &ValueKind| self.maps().all(|keywords| admits(keywords, *kind));
        VALUE_KINDS.into_iter().filter(admitted).collect()
    }

    /// Returns whether there are rules for values of this type.
    pub(super) fn has_rules_for(&self, kind: ValueKind) -> bool {
        let words: &[&str] = match kind {
            ValueKind::Null | ValueKind::Bool => return false,
            ValueKind::Integer | ValueKind::Fraction => {
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            }
            ValueKind::Text => &["minLength", "maxLength", "pattern", "format"],
            ValueKind::Array => &["items", "prefixItems", "minItems", "maxItems", "contains"],
            ValueKind::Object => {
                &["properties", "required", "additionalProperties", "minProperties"]
            }
        };
        words.iter().any(|word| self.has(word))
    }

    /// Returns the values that are in every list; none without a list.
    pub(super) fn enumerated(&self) -> Option<Vec<&'d Value>> {
        let constants = self.all("const").map(std::slice::from_ref);
        let lists = self.all("enum").filter_map(Value::as_array).map(Vec::as_slice);
        let mut lists = constants.chain(lists);
        let mut values: Vec<&Value> = lists.next()?.iter().collect();
        for list in lists {
            let keys: HashSet<String> = list.iter().map(comparison_key).collect();
            values.retain(|value| keys.contains(&comparison_key(value)));
        }
        Some(values)
    }
}

fn size(value: &Value) -> Option<usize> {
    value.as_f64().filter(|size| *size >= 0.0)?;
    Some(value.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX))
}

fn admits(keywords: &Map<String, Value>, kind: ValueKind) -> bool {
    let is = |name: &str| match kind {
        ValueKind::Null => name == "null",
        ValueKind::Bool => name == "boolean",
        ValueKind::Integer => name == "integer" || name == "number",
        ValueKind::Fraction => name == "number",
        ValueKind::Text => name == "string",
        ValueKind::Array => name == "array",
        ValueKind::Object => name == "object",
    };
    let is_declared = match keywords.get("type") {
        None => return true,
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        Some(name) => name.as_str().is_some_and(is),
    };
    is_declared || (kind == ValueKind::Null && keywords.get("nullable") == Some(&Value::Bool(true)))
}
