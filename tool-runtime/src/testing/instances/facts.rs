//! Everything that a schema says of one value at once.

use serde_json::{Map, Value};

use super::document::Part;

/// The parts of a schema that one value has to satisfy, all of them; each is an object of keywords.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts<'d> {
    pub(super) parts: Vec<Part<'d>>,
    /// Is there a rule among them that is not followed when a value is made, only checked after?
    pub(super) hard: bool,
}

/// What a value can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Integer,
    Fraction,
    Text,
    Array,
    Object,
}

/// All kinds, the plainest first.
pub(super) const KINDS: [Kind; 7] =
    [Kind::Null, Kind::Bool, Kind::Integer, Kind::Fraction, Kind::Text, Kind::Array, Kind::Object];

/// Rules that are only checked once a value is made.
const HARD: [&str; 14] = [
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
];

impl<'d> Facts<'d> {
    pub(super) fn push(&mut self, part: Part<'d>) {
        self.hard |=
            !self.parts.is_empty() || HARD.iter().any(|key| part.schema.get(key).is_some());
        self.parts.push(part);
    }

    /// The keywords of each part.
    pub(super) fn maps(&self) -> impl Iterator<Item = &'d Map<String, Value>> + '_ {
        self.parts.iter().filter_map(|part| part.schema.as_object())
    }

    /// What every part says under a keyword.
    pub(super) fn all<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = &'d Value> + 'a {
        self.maps().filter_map(move |keywords| keywords.get(keyword))
    }

    /// Does it show a value, as an example or as the default?
    pub(super) fn shows(&self) -> bool {
        self.has("examples") || self.has("default")
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.all(keyword).next().is_some()
    }

    /// The greatest of what the parts say is the least.
    pub(super) fn at_least(&self, keyword: &str) -> usize {
        self.all(keyword).filter_map(size).max().unwrap_or(0)
    }

    /// The least of what the parts say is the most.
    pub(super) fn at_most(&self, keyword: &str) -> Option<usize> {
        self.all(keyword).filter_map(size).min()
    }

    pub(super) fn texts<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = &'d str> + 'a {
        self.all(keyword).filter_map(Value::as_str)
    }

    /// The kinds that every part admits by its `type`.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let admitted = |kind: &Kind| self.maps().all(|keywords| admits(keywords, *kind));
        KINDS.into_iter().filter(admitted).collect()
    }

    /// Is more said of values of this kind than of others?
    pub(super) fn speaks_of(&self, kind: Kind) -> bool {
        let words: &[&str] = match kind {
            Kind::Null | Kind::Bool => return false,
            Kind::Integer | Kind::Fraction => {
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
            }
            Kind::Text => &["minLength", "maxLength", "pattern", "format"],
            Kind::Array => &["items", "prefixItems", "minItems", "maxItems", "contains"],
            Kind::Object => &["properties", "required", "additionalProperties", "minProperties"],
        };
        words.iter().any(|word| self.has(word))
    }

    /// The listed values that every list has; none where nothing is listed.
    pub(super) fn listed(&self) -> Option<Vec<&'d Value>> {
        let constants = self.all("const").map(std::slice::from_ref);
        let lists = self.all("enum").filter_map(Value::as_array).map(Vec::as_slice);
        let mut lists = constants.chain(lists);
        let first: Vec<&Value> = lists.next()?.iter().collect();
        let rest: Vec<&[Value]> = lists.collect();
        Some(first.into_iter().filter(|value| rest.iter().all(|l| l.contains(value))).collect())
    }
}

fn size(value: &Value) -> Option<usize> {
    value.as_f64().filter(|size| *size >= 0.0)?;
    Some(value.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX))
}

fn admits(keywords: &Map<String, Value>, kind: Kind) -> bool {
    let is = |name: &str| match kind {
        Kind::Null => name == "null",
        Kind::Bool => name == "boolean",
        Kind::Integer => name == "integer" || name == "number",
        Kind::Fraction => name == "number",
        Kind::Text => name == "string",
        Kind::Array => name == "array",
        Kind::Object => name == "object",
    };
    let named = match keywords.get("type") {
        None => return true,
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        Some(name) => name.as_str().is_some_and(is),
    };
    named || (kind == Kind::Null && keywords.get("nullable") == Some(&Value::Bool(true)))
}
