//! Supported schema keywords by dialect.

use super::python_pattern;

/// The part of JSON Schema that a dialect supports.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one rule of a dialect")]
pub(crate) struct DialectProfile {
    /// Supports every keyword below the root.
    pub(crate) full_schema: bool,
    /// The supported keywords, unless all are.
    pub(crate) keywords: &'static [&'static str],
    /// The supported keywords of the root, a subset of those.
    pub(crate) root_keywords: &'static [&'static str],
    /// The supported formats of strings, unless all keywords are supported.
    pub(crate) formats: &'static [&'static str],
    pub(crate) patterns: PatternSupport,
    pub(crate) references: ReferenceSupport,
    /// The values that `enum` may contain.
    pub(crate) enum_values: EnumValues,
    /// All objects must be closed.
    pub(crate) strict: bool,
    /// All properties of objects must be required, so `null` stands for those that a call omits.
    pub(crate) requires_all: bool,
    /// Arrays must have `items`.
    pub(crate) requires_items: bool,
    /// Property names must be unchanged by [`property`](crate::names::property).
    pub(crate) restricts_property_names: bool,
    /// The profile of schemas in `items`, if it differs.
    pub(crate) inside_items: Option<&'static DialectProfile>,
}

/// The regular expressions that a declaration may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternSupport {
    /// All.
    All,
    /// Those that Python's `re` compiles, without look-around.
    Python,
}

/// The handling of `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceSupport {
    /// Kept, with its target in `$defs`.
    Kept,
    /// Kept unless it is recursive.
    KeptIfAcyclic,
    /// Replaced by its target.
    Inlined,
}

/// The values that `enum` may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnumValues {
    /// All except arrays and objects.
    Scalars,
    /// Strings and numbers.
    StringsAndNumbers,
}

/// The keywords of the root for dialects that support all keywords of objects.
const OBJECT: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "description",
];

/// The keywords of the root for dialects that support no other object keywords.
pub(crate) const PLAIN_OBJECT: &[&str] =
    &["type", "properties", "required", "additionalProperties", "description"];

/// JSON Schema draft 2020-12, except choices at the root; dialects name their differences.
pub(crate) const ALL_KEYWORDS: DialectProfile = DialectProfile {
    full_schema: true,
    keywords: &[],
    root_keywords: OBJECT,
    formats: &[],
    patterns: PatternSupport::All,
    references: ReferenceSupport::Kept,
    enum_values: EnumValues::Scalars,
    strict: false,
    requires_all: false,
    requires_items: false,
    restricts_property_names: false,
    inside_items: None,
};

impl DialectProfile {
    pub(crate) fn supports(&self, keyword: &str) -> bool {
        self.full_schema || self.keywords.contains(&keyword)
    }

    pub(crate) fn accepts_pattern(&self, pattern: &str) -> bool {
        match self.patterns {
            PatternSupport::All => true,
            PatternSupport::Python => python_pattern::is_accepted(pattern),
        }
    }
}
