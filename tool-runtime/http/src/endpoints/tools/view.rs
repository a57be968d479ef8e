//! The body of `GET /tools`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tool_contracts::{Effect, ToolSpec, ToolkitSpec};

/// Lists tools that the caller may call, in the order of their names.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tools", deny_unknown_fields)]
pub(crate) struct ToolsPage<'s> {
    /// The tools.
    pub(super) tools: Vec<ToolDetails<'s>>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// Describes a tool for a person.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolDetails", deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a field of the body")]
pub(crate) struct ToolDetails<'s> {
    /// The tool's name in calls.
    name: &'s str,
    /// The tool's version.
    version: &'s str,
    /// The tool's title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'s str>,
    /// The purpose of the tool.
    description: &'s str,
    /// The tool's category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'s str>,
    /// The name of the toolkit that the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    toolkit: Option<&'s str>,
    /// The effect of a call.
    effect: Effect,
    /// True if a repeated call has no further effect.
    idempotent: bool,
    /// True if the tool accesses systems beyond the server's own.
    open_world: bool,
    /// True if a model may call the tool.
    ai_callable: bool,
    /// True if the caller must be authenticated.
    requires_auth: bool,
    /// The JSON Schema of the input.
    input_schema: &'s Map<String, Value>,
    /// The JSON Schema of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'s Map<String, Value>>,
}

impl<'s> ToolDetails<'s> {
    pub(super) fn new(spec: &'s ToolSpec) -> Self {
        let annotations = spec.annotations();
        Self {
            name: spec.name(),
            version: spec.version(),
            title: spec.title(),
            description: spec.description(),
            category: spec.category(),
            toolkit: spec.toolkit().map(ToolkitSpec::name),
            effect: spec.effect(),
            idempotent: annotations.idempotent() || spec.effect() == Effect::Read,
            open_world: annotations.open_world(),
            ai_callable: spec.ai_callable(),
            requires_auth: spec.requires_auth(),
            input_schema: spec.input_schema(),
            output_schema: spec.output_schema(),
        }
    }

    pub(super) const fn name(&self) -> &'s str {
        self.name
    }
}
