//! Sets of JSON types.

use crate::json::{Kind, Node, View};

/// A set of JSON types; whole numbers are told from others, as JSON Schema does.
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

    /// The one type that a value has.
    pub(super) fn of(view: View<'_>, node: &Node) -> Self {
        match node.kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOL,
            Kind::Number if view.is_integral(node) => Self::INTEGER,
            Kind::Number => Self::FRACTION,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    /// The types that a value of a kind may have.
    pub(super) const fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOL,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    /// The types that a value may have, as far as a glance tells.
    #[inline]
    pub(super) const fn at_a_glance(node: &Node) -> Self {
        match node.kind {
            Kind::Number if node.is_digits() => Self::INTEGER,
            kind => Self::of_kind(kind),
        }
    }

    /// What a value of this type may become without loss; see [`Coerce`](super::Coerce).
    pub(super) const fn coercible(self) -> Self {
        let mut reach = Self::NONE;
        if self.meets(Self::NUMBER) {
            reach = reach.or(Self::STRING);
        }
        if self.meets(Self::STRING) {
            reach = reach.or(Self::NUMBER).or(Self::BOOL).or(Self::ARRAY).or(Self::OBJECT);
        }
        reach
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Have the sets a type in common?
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Are all types of the other set in this one?
    pub(super) const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Has the value one of these types?
    pub(super) fn admits(self, view: View<'_>, node: &Node) -> bool {
        let types = Self::at_a_glance(node);
        self.holds(types) || (self.meets(types) && self.holds(Self::of(view, node)))
    }

    /// The names, as a person says them: `string or null`.
    pub(super) fn text(self) -> String {
        if self == Self::ANY {
            return "any value".to_owned();
        }
        let mut names = Vec::new();
        for (set, name) in NAMES {
            let covered = set == Self::INTEGER && self.holds(Self::NUMBER);
            if self.holds(set) && !covered {
                names.push(name);
            }
        }
        match names.split_last() {
            None => "no value".to_owned(),
            Some((only, [])) => (*only).to_owned(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }

    /// The name of the one type of a value.
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(set, _)| set.meets(self)).map_or("absent", |(_, name)| *name)
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
