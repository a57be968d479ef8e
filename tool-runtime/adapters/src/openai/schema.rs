//! The tool names and schemas that both of OpenAI's APIs accept.

use crate::limits::DeclarationLimits;
use crate::names::NameRules;
use crate::provider_schema::{ALL_KEYWORDS, DialectProfile, PLAIN_OBJECT, PatternSupport};

/// Names of up to 64 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 64, allows_dots: false, begins_with_letter: false };

/// The published limits of Chat Completions; see `LimitWarning`.
pub(super) const CHAT_LIMITS: DeclarationLimits =
    DeclarationLimits { tools: Some(128), description: Some(1_024) };

/// The published limits of the Responses API.
pub(super) const RESPONSES_LIMITS: DeclarationLimits =
    DeclarationLimits { tools: Some(128), description: None };

/// OpenAI without `strict`: JSON Schema, except keywords that are not allowed at the root.
pub(super) const PROFILE: DialectProfile =
    DialectProfile { requires_items: true, patterns: PatternSupport::Python, ..ALL_KEYWORDS };

/// OpenAI with `strict`: the subset of Structured Outputs.
pub(super) const STRICT_PROFILE: DialectProfile = DialectProfile {
    full_schema: false,
    keywords: &[
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
    root_keywords: PLAIN_OBJECT,
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
    patterns: PatternSupport::Python,
    strict: true,
    requires_all: true,
    ..ALL_KEYWORDS
};
