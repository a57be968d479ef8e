//! Writes the fields `tool_choice` and `parallel_tool_calls`, which both of OpenAI's APIs have.

use serde_json::{Map, Value};

use crate::format::{CallChoice, DeclaredTool};

/// The two forms that differ between the APIs.
pub(super) struct ChoiceForms {
    /// Names one tool.
    pub(super) tool: fn(&DeclaredTool) -> Value,
    /// Limits the calls to some tools, by a mode.
    pub(super) allowed: fn(&str, Vec<Value>) -> Value,
}

pub(super) fn write(
    forms: &ChoiceForms,
    choice: &CallChoice<'_>,
    parallel: Option<bool>,
    fields: &mut Map<String, Value>,
) {
    let among = |mode: &str, allowed: Option<&[&DeclaredTool]>| match allowed {
        Some(tools) => (forms.allowed)(mode, tools.iter().map(|tool| (forms.tool)(tool)).collect()),
        None => mode.into(),
    };
    let choice = match choice {
        CallChoice::Auto { allowed } => among("auto", *allowed),
        CallChoice::Required { allowed } => among("required", *allowed),
        CallChoice::None => "none".into(),
        CallChoice::Tool(tool) => (forms.tool)(tool),
    };
    fields.insert("tool_choice".to_owned(), choice);
    fields.extend(parallel.map(|parallel| ("parallel_tool_calls".to_owned(), parallel.into())));
}
