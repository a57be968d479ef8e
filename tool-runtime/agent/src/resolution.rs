//! Finds the registered tool that a request names.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_contracts::ToolSpec;
use tool_contracts::act::{ToolRequest, ToolType};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::registry::narrowest_first;

use super::error::{AgentError, AgentErrorKind, AgentErrorReason};

/// The types that the host gave to tools and toolkits.
pub(super) type ToolTypes = BTreeMap<String, ToolType>;

/// Finds the tool of a request.
///
/// # Errors
/// Returns an error if there is no such tool or function, or the tool is of another type.
pub(super) fn resolve(
    runtime: &Runtime,
    types: &ToolTypes,
    request: &ToolRequest,
) -> Result<Arc<ToolSpec>, AgentError> {
    let (id, function) = (request.tool_id(), request.function_name());
    let names_function = id == function || function_name(id) == Some(function);
    let exact_spec = runtime.spec(id).filter(|_| names_function);
    let spec = exact_spec.or_else(|| runtime.spec(&format!("{id}.{function}")));
    let spec = spec.ok_or_else(|| unknown_tool(runtime, id, function))?;
    match tool_type(types, &spec) {
        Some(expected) if expected != request.tool_type() => Err(wrong_type(&spec, expected)),
        _ => Ok(spec),
    }
}

/// Returns whether a listed tool or toolkit has this name.
pub(super) fn is_known(runtime: &Runtime, id: &str) -> bool {
    let is_member_name =
        |name: &str| name.strip_prefix(id).is_some_and(|rest| rest.starts_with('.'));
    runtime.spec(id).is_some() || runtime.specs().any(|spec| is_member_name(spec.name()))
}

/// Returns the tool's type: as the host gave it, or the tool's category.
fn tool_type(types: &ToolTypes, spec: &ToolSpec) -> Option<ToolType> {
    let toolkit = spec.toolkit().map(tool_contracts::ToolkitSpec::name);
    let given = narrowest_first(spec.name(), toolkit).find_map(|name| types.get(name));
    given.copied().or_else(|| spec.category().and_then(|category| category.parse().ok()))
}

fn function_name(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, function)| function)
}

fn unknown_tool(runtime: &Runtime, id: &str, function: &str) -> AgentError {
    let message = if is_known(runtime, id) {
        "the tool has no such function; name one of the tool's functions"
    } else {
        "there is no such tool; name a registered tool, or a toolkit and a function of it"
    };
    let closest = runtime.services().closest(&format!("{id}.{function}"), &|_| true);
    AgentError::new(AgentErrorKind::ToolExecution, message)
        .with_reason(AgentErrorReason::UnknownTool)
        .with_detail("closest", closest)
}

fn wrong_type(spec: &ToolSpec, expected: ToolType) -> AgentError {
    let message = format!("the tool `{}` is of the type `{expected}`; send that type", spec.name());
    AgentError::new(AgentErrorKind::Validation, message)
        .with_reason(AgentErrorReason::ToolType)
        .with_detail("tool_type", expected.as_str())
}
