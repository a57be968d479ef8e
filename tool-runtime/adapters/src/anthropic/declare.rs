//! Writes a tool with its `input_schema`, and the provider's own tool search.

use serde_json::{Value, json};

use crate::ToolSearch;
use crate::format::DeclaredTool;
use crate::names::NameRules;
use crate::provider_schema::{ALL_KEYWORDS, DialectProfile, PLAIN_OBJECT, ReferenceSupport};
use crate::strict_quota::StrictQuota;

/// Names of up to 128 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 128, allows_dots: false, begins_with_letter: false };

/// Anthropic: JSON Schema draft 2020-12, except choices at the root and unusual property names.
pub(super) const PROFILE: DialectProfile =
    DialectProfile { restricts_property_names: true, ..ALL_KEYWORDS };

/// Anthropic with `strict`: the subset of its structured outputs, whose only bounds are `minItems` of
/// 0 and 1, and which accepts some patterns.
///
/// See <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>, "JSON Schema
/// limitations".
pub(crate) const STRICT_PROFILE: DialectProfile = DialectProfile {
    full_schema: false,
    keywords: &[
        "type",
        "enum",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "format",
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
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ],
    references: ReferenceSupport::KeptIfAcyclic,
    strict: true,
    restricts_property_names: true,
    ..ALL_KEYWORDS
};

/// The published limits on all strict tools of a request, on the same page.
pub(crate) const STRICT_QUOTA: StrictQuota = StrictQuota { tools: 20, optional: 24, unions: 16 };

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    let mut declaration = json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    });
    if tool.strict {
        declaration["strict"] = true.into();
    }
    if !tool.examples.is_empty() {
        declaration["input_examples"] = tool.examples.clone().into();
    }
    if !tool.allowed_callers.is_empty() {
        declaration["allowed_callers"] = tool.allowed_callers.clone().into();
    }
    if tool.is_deferred() {
        declaration["defer_loading"] = true.into();
    }
    declaration
}

/// The server's tool that finds deferred tools; it needs no beta header.
pub(super) fn search_tool(search: ToolSearch) -> Option<Value> {
    let name = match search {
        ToolSearch::Automatic | ToolSearch::Provider => "tool_search_tool_bm25",
        ToolSearch::ProviderRegex => "tool_search_tool_regex",
        ToolSearch::ClientExecuted | ToolSearch::SearchTools => return None,
    };
    Some(json!({ "type": format!("{name}_20251119"), "name": name }))
}
