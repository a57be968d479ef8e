//! Writes a tool with its `input_schema`, and the provider's own tool search.

use serde_json::{Value, json};

use crate::adapters::ToolSearch;
use crate::adapters::format::DeclaredTool;
use crate::adapters::lower::{ALL_KEYWORDS, DialectProfile};
use crate::adapters::names::NameRules;

/// Names of up to 128 characters.
pub(super) const NAMES: NameRules =
    NameRules { max_length: 128, allows_dots: false, begins_with_letter: false };

/// Anthropic: JSON Schema draft 2020-12, except choices at the root and unusual property names.
pub(super) const PROFILE: DialectProfile =
    DialectProfile { restricts_property_names: true, ..ALL_KEYWORDS };

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    let mut declaration = json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
    });
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
        ToolSearch::Provider => "tool_search_tool_bm25",
        ToolSearch::ProviderRegex => "tool_search_tool_regex",
        ToolSearch::SearchTools => return None,
    };
    Some(json!({ "type": format!("{name}_20251119"), "name": name }))
}
