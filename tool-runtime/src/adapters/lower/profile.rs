//! Supported schema keywords by dialect.

/// The part of JSON Schema that a dialect supports.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one rule of a dialect")]
pub(in crate::adapters) struct DialectProfile {
    /// Supports every keyword below the root.
    pub(super) full_schema: bool,
    /// The supported keywords, unless all are.
    pub(super) knows: &'static [&'static str],
    /// The supported keywords of the root, a subset of those.
    pub(super) root: &'static [&'static str],
    /// The supported formats of strings, unless all keywords are supported.
    pub(super) formats: &'static [&'static str],
    pub(super) references: ReferenceSupport,
    /// The values that `enum` may contain.
    pub(super) values: EnumValues,
    /// All objects must be closed, and all their properties required.
    pub(super) strict: bool,
    /// Arrays must have `items`.
    pub(super) items: bool,
    /// Property names must be unchanged by [`property`](crate::adapters::names::property).
    pub(super) property_names: bool,
    /// The profile of schemas in `items`, if it differs.
    pub(super) inside_items: Option<&'static DialectProfile>,
}

/// The handling of `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adapters) enum ReferenceSupport {
    /// Kept, with its target in `$defs`.
    Kept,
    /// Kept unless it is recursive.
    KeptIfAcyclic,
    /// Replaced by its target.
    Inlined,
}

/// The values that `enum` may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adapters) enum EnumValues {
    /// All except arrays and objects.
    Scalars,
    /// Strings and numbers.
    StringsAndNumbers,
}

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

/// The root's keywords for dialects that support no other object keywords.
const PLAIN_OBJECT: &[&str] =
    &["type", "properties", "required", "additionalProperties", "description"];

const ALL_KEYWORDS: DialectProfile = DialectProfile {
    full_schema: true,
    knows: &[],
    root: OBJECT,
    formats: &[],
    references: ReferenceSupport::Kept,
    values: EnumValues::Scalars,
    strict: false,
    items: false,
    property_names: false,
    inside_items: None,
};

/// OpenAI without `strict`: JSON Schema, except keywords that are not allowed at the root.
pub(in crate::adapters) const OPENAI: DialectProfile =
    DialectProfile { items: true, ..ALL_KEYWORDS };

/// OpenAI with `strict`: the subset of Structured Outputs.
pub(in crate::adapters) const OPENAI_STRICT: DialectProfile = DialectProfile {
    full_schema: false,
    knows: &[
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "title",
    ],
    root: PLAIN_OBJECT,
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    strict: true,
    ..ALL_KEYWORDS
};

/// Anthropic: JSON Schema draft 2020-12, except choices at the root and unusual property names.
pub(in crate::adapters) const ANTHROPIC: DialectProfile =
    DialectProfile { property_names: true, ..ALL_KEYWORDS };

/// Gemini's `parametersJsonSchema`.
pub(in crate::adapters) const GEMINI: DialectProfile = DialectProfile {
    full_schema: false,
    knows: &[
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "format",
        "minimum",
        "maximum",
        "title",
    ],
    root: PLAIN_OBJECT,
    formats: &["date-time", "date", "time"],
    references: ReferenceSupport::KeptIfAcyclic,
    values: EnumValues::StringsAndNumbers,
    property_names: true,
    ..ALL_KEYWORDS
};

/// Bedrock: keywords that all models accept. Amazon's own models accept three keywords at the root.
pub(in crate::adapters) const BEDROCK: DialectProfile = DialectProfile {
    root: &["type", "properties", "required"],
    references: ReferenceSupport::Inlined,
    property_names: true,
    ..ALL_KEYWORDS
};

/// Ollama: keywords that its types keep; it silently drops all others.
pub(in crate::adapters) const OLLAMA: DialectProfile = DialectProfile {
    full_schema: false,
    knows: &["type", "enum", "anyOf", "properties", "items"],
    root: &["type", "properties", "required"],
    references: ReferenceSupport::Inlined,
    inside_items: Some(&OLLAMA_ITEMS),
    ..ALL_KEYWORDS
};

/// Ollama passes the contents of `items` on unchanged.
const OLLAMA_ITEMS: DialectProfile =
    DialectProfile { references: ReferenceSupport::Inlined, ..ALL_KEYWORDS };

impl DialectProfile {
    pub(super) fn knows(&self, word: &str) -> bool {
        self.full_schema || self.knows.contains(&word)
    }
}
