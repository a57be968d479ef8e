//! Writes a tool as a `function`, with its fields beside its type.
//!
//! `strict` is always written, because the API tries strict mode by default.

use serde_json::{Value, json};

use super::super::choose::ChoiceForms;
use crate::ToolSearch;
use crate::custom_tools::CustomTool;
use crate::format::{DeclaredTool, DeclaredToolkit};

pub(super) const CHOICE_FORMS: ChoiceForms = ChoiceForms {
    tool: |tool| {
        if tool.is_search {
            return json!({ "type": "tool_search" });
        }
        let kind = if tool.is_custom() { "custom" } else { "function" };
        json!({ "type": kind, "name": tool.name })
    },
    allowed: |mode, tools| json!({ "type": "allowed_tools", "mode": mode, "tools": tools }),
};

pub(super) fn declaration(tool: &DeclaredTool) -> Value {
    if let Some(custom) = &tool.custom {
        return custom_declaration(tool, custom);
    }
    if tool.is_search {
        return json!({
            "type": "tool_search",
            "execution": "client",
            "description": tool.description,
            "parameters": tool.schema,
        });
    }
    let mut declaration = json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    });
    if !tool.allowed_callers.is_empty() {
        declaration["allowed_callers"] = tool.allowed_callers.clone().into();
    }
    if tool.is_deferred() {
        declaration["defer_loading"] = true.into();
    }
    declaration
}

/// The server's search for deferred tools.
pub(super) fn search_tool(search: ToolSearch) -> Option<Value> {
    match search {
        ToolSearch::Automatic | ToolSearch::Provider | ToolSearch::ProviderRegex => {
            Some(json!({ "type": "tool_search" }))
        }
        ToolSearch::ClientExecuted | ToolSearch::SearchTools => None,
    }
}

/// Writes deferred tools, those of a toolkit as one namespace: of a namespace, a model reads only
/// name and description before a search, and of a single function everything but the schema.
pub(super) fn deferred(tools: &[&DeclaredTool]) -> Vec<Value> {
    let mut declarations: Vec<Value> = Vec::new();
    let mut namespaces: Vec<(&DeclaredToolkit, Vec<Value>)> = Vec::new();
    for tool in tools {
        let declaration = declaration(tool);
        let Some(toolkit) = &tool.toolkit else {
            declarations.push(declaration);
            continue;
        };
        match namespaces.iter_mut().find(|(known, _)| known.name == toolkit.name) {
            Some((_, tools)) => tools.push(declaration),
            None => namespaces.push((toolkit, vec![declaration])),
        }
    }
    let namespaces = namespaces.into_iter().map(|(toolkit, tools)| {
        let DeclaredToolkit { name, description } = toolkit;
        json!({ "type": "namespace", "name": name, "description": description, "tools": tools })
    });
    namespaces.chain(declarations).collect()
}

fn custom_declaration(tool: &DeclaredTool, custom: &CustomTool) -> Value {
    let description = tool.declared_description();
    let mut written = json!({ "type": "custom", "name": tool.name, "description": description });
    if let Some((syntax, definition)) = &custom.grammar {
        written["format"] =
            json!({ "type": "grammar", "syntax": syntax, "definition": definition });
    }
    if tool.is_deferred() {
        written["defer_loading"] = true.into();
    }
    written
}
