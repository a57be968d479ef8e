//! What each dialect can say of a tool's arguments.

/// The part of JSON Schema that a dialect knows.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one rule of a dialect")]
pub(in crate::adapters) struct Profile {
    /// Does it know every keyword, below the root?
    pub(super) whole: bool,
    /// The keywords that it knows, where it does not know all.
    pub(super) knows: &'static [&'static str],
    /// The keywords that the root may have, of those.
    pub(super) root: &'static [&'static str],
    /// The formats of strings that it knows, where it does not know all keywords.
    pub(super) formats: &'static [&'static str],
    pub(super) references: References,
    /// What may stand in an `enum`.
    pub(super) values: Values,
    /// Are all objects closed, and all their properties required?
    pub(super) strict: bool,
    /// Has an array to say what is in it?
    pub(super) items: bool,
    /// Are properties only called what [`property`](crate::adapters::names::property) leaves as it is?
    pub(super) property_names: bool,
    /// Who reads what stands in `items`, if somebody else does.
    pub(super) inside_items: Option<&'static Profile>,
}

/// What becomes of a `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adapters) enum References {
    /// It stays, with what it points to in `$defs`.
    Kept,
    /// It stays unless it leads back to itself.
    KeptIfFinite,
    /// What it points to stands in its place.
    Inlined,
}

/// What may stand in an `enum`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adapters) enum Values {
    /// All but arrays and objects.
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

/// The root's keywords, of a dialect that knows no others of objects anywhere.
const PLAIN_OBJECT: &[&str] =
    &["type", "properties", "required", "additionalProperties", "description"];

const WHOLE: Profile = Profile {
    whole: true,
    knows: &[],
    root: OBJECT,
    formats: &[],
    references: References::Kept,
    values: Values::Scalars,
    strict: false,
    items: false,
    property_names: false,
    inside_items: None,
};

/// OpenAI without `strict`: JSON Schema, but for what no function may have at its root.
pub(in crate::adapters) const OPENAI: Profile = Profile { items: true, ..WHOLE };

/// OpenAI with `strict`: the subset that Structured Outputs enforce.
pub(in crate::adapters) const OPENAI_STRICT: Profile = Profile {
    whole: false,
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
    ..WHOLE
};

/// Anthropic: JSON Schema draft 2020-12, but for choices at the root and odd names.
pub(in crate::adapters) const ANTHROPIC: Profile = Profile { property_names: true, ..WHOLE };

/// Gemini's `parametersJsonSchema`.
pub(in crate::adapters) const GEMINI: Profile = Profile {
    whole: false,
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
    references: References::KeptIfFinite,
    values: Values::StringsAndNumbers,
    property_names: true,
    ..WHOLE
};

/// Bedrock: what every model behind it takes. Amazon's own take three keywords at the root.
pub(in crate::adapters) const BEDROCK: Profile = Profile {
    root: &["type", "properties", "required"],
    references: References::Inlined,
    property_names: true,
    ..WHOLE
};

/// Ollama: what its types keep; they drop the rest in silence.
pub(in crate::adapters) const OLLAMA: Profile = Profile {
    whole: false,
    knows: &["type", "enum", "anyOf", "properties", "items"],
    root: &["type", "properties", "required"],
    references: References::Inlined,
    inside_items: Some(&OLLAMA_ITEMS),
    ..WHOLE
};

/// Ollama hands on what stands in `items`, whatever it is.
const OLLAMA_ITEMS: Profile = Profile { references: References::Inlined, ..WHOLE };

impl Profile {
    pub(super) fn knows(&self, word: &str) -> bool {
        self.whole || self.knows.contains(&word)
    }
}
