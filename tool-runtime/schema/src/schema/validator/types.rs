//! Sets of JSON types.

use crate::json::{JsonKind, JsonNode, JsonView};

/// A set of JSON types that, like JSON Schema, distinguishes whole numbers from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const NUMBER: Self = Self(12);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ANY: Self = Self(127);

    /// The set that a schema's `type` names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOL,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The type of a value.
    pub(super) fn from_node(view: JsonView<'_>, node: &JsonNode) -> Self {
        match node.kind {
            JsonKind::Null => Self::NULL,
            JsonKind::Bool => Self::BOOL,
            JsonKind::Number if view.is_integral(node) => Self::INTEGER,
            JsonKind::Number => Self::FRACTION,
            JsonKind::String => Self::STRING,
            JsonKind::Array => Self::ARRAY,
            JsonKind::Object => Self::OBJECT,
        }
    }

    /// The types that a value of a kind may have.
    pub(super) const fn from_kind(kind: JsonKind) -> Self {
        match kind {
            JsonKind::Null => Self::NULL,
            JsonKind::Bool => Self::BOOL,
            JsonKind::Number => Self::NUMBER,
            JsonKind::String => Self::STRING,
            JsonKind::Array => Self::ARRAY,
            JsonKind::Object => Self::OBJECT,
        }
    }

    /// The types that a value may have, without parsing its number.
    #[inline]
    pub(super) const fn approximate(node: &JsonNode) -> Self {
        match node.kind {
            JsonKind::Number if node.is_digits() => Self::INTEGER,
            kind @ (JsonKind::Null
            | JsonKind::Bool
            | JsonKind::Number
            | JsonKind::String
            | JsonKind::Array
            | JsonKind::Object) => Self::from_kind(kind),
        }
    }

    /// The types that a value of this type may be converted to; see [`Coerce`](super::Coerce).
    pub(super) const fn coercible_to(self) -> Self {
        let mut possible_types = Self::NONE;
        if self.intersects(Self::NUMBER) {
            possible_types = possible_types.or(Self::STRING);
        }
        if self.intersects(Self::STRING) {
            possible_types =
                possible_types.or(Self::NUMBER).or(Self::BOOL).or(Self::ARRAY).or(Self::OBJECT);
        }
        possible_types
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the sets intersect.
    pub(super) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether this set contains the other.
    pub(super) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether the value has one of these types.
    pub(super) fn admits(self, view: JsonView<'_>, node: &JsonNode) -> bool {
        let types = Self::approximate(node);
        self.contains(types)
            || (self.intersects(types) && self.contains(Self::from_node(view, node)))
    }

    /// The names as text, such as `string or null`.
    pub(super) fn text(self) -> String {
        if self == Self::ANY {
            return "any value".to_owned();
        }
        let mut names = Vec::new();
        for (set, name) in NAMES {
            let covered = set == Self::INTEGER && self.contains(Self::NUMBER);
            if self.contains(set) && !covered {
                names.push(name);
            }
        }
        match names.split_last() {
            None => "no value".to_owned(),
            Some((only, [])) => (*only).to_owned(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }

    /// The name of the type of a single value.
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(set, _)| set.intersects(self)).map_or("absent", |(_, name)| *name)
    }
}

const NAMES: [(Types, &str); 7] = [
    (Types::INTEGER, "integer"),
    (Types::NUMBER, "number"),
    (Types::BOOL, "boolean"),
    (Types::STRING, "string"),
    (Types::ARRAY, "array"),
    (Types::OBJECT, "object"),
    (Types::NULL, "null"),
];

/// Returns whether JSON Schema has a type of this name.
#[must_use]
pub fn is_type_name(name: &str) -> bool {
    Types::named(name).is_some()
}
