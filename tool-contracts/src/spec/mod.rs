//! Descriptions of tools.

mod builder;
mod effect;
mod toolkit;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub use self::{
    builder::ToolSpecBuilder,
    effect::{Effect, Permission, ToolAnnotations},
    toolkit::ToolkitSpec,
};
pub(crate) use self::{builder::check_name, toolkit::check_prefix};

/// The description of a tool: its name, its schemas, its effect and its requirements.
///
/// ```
/// use tool_contracts::{Effect, Permission, ToolSpec};
///
/// let spec = ToolSpec::builder("pricing.quote", Effect::Read)
///     .description("Quotes a price.")
///     .timeout_ms(5_000)
///     .build()?;
/// assert_eq!(spec.permission(), Permission::Allow);
/// assert!(spec.requires_auth());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("tool_spec"),
    transform = crate::schemas::ttl_only_for_reads
)]
pub struct ToolSpec {
    /// The tool's name for models: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,128}$"))]
    name: String,
    /// The tool's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The tool's version.
    #[schemars(length(min = 1))]
    version: String,
    /// The purpose of the tool, for a model that selects one.
    description: String,
    /// The tool's category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The toolkit that the tool belongs to; its name and a dot begin the tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    // In each tool's contract and not in a list beside them: the description of one tool is
    // complete, and a filtered list stays consistent.
    toolkit: Option<ToolkitSpec>,
    /// The effect of a call.
    effect: Effect,
    /// Further properties of the effect.
    annotations: ToolAnnotations,
    /// The permission of a call to run.
    permission: Permission,
    /// The JSON Schema of the arguments.
    input_schema: Map<String, Value>,
    /// Examples of arguments that the schema accepts, for a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    input_examples: Vec<Map<String, Value>>,
    /// The JSON Schema of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Map<String, Value>>,
    /// The time for which a result may be cached, in seconds; reads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// The maximum duration of a call, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// True if the caller must be authenticated.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    requires_auth: bool,
    /// True if a model may call the tool.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    ai_callable: bool,
}

impl ToolSpec {
    /// Starts a tool's description.
    pub fn builder(name: impl Into<String>, effect: Effect) -> ToolSpecBuilder {
        ToolSpecBuilder::new(name.into(), effect)
    }

    /// Returns the name for models.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name for people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the tool's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the category.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// Returns the toolkit that the tool belongs to.
    #[must_use]
    pub const fn toolkit(&self) -> Option<&ToolkitSpec> {
        self.toolkit.as_ref()
    }

    /// Returns the effect of a call.
    #[must_use]
    pub const fn effect(&self) -> Effect {
        self.effect
    }

    /// Returns further properties of the effect.
    #[must_use]
    pub const fn annotations(&self) -> ToolAnnotations {
        self.annotations
    }

    /// Returns the permission of a call to run.
    #[must_use]
    pub const fn permission(&self) -> Permission {
        self.permission
    }

    /// Returns the JSON Schema of the arguments.
    #[must_use]
    pub const fn input_schema(&self) -> &Map<String, Value> {
        &self.input_schema
    }

    /// Returns examples of arguments that the schema accepts, for a model.
    ///
    /// A description is not validated against its own schema: the runtime checks the examples of
    /// its tools when it is built.
    #[must_use]
    pub fn input_examples(&self) -> &[Map<String, Value>] {
        &self.input_examples
    }

    /// Returns the JSON Schema of the data.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output_schema.as_ref()
    }

    /// Returns how long a result may be cached, in seconds.
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {
        self.ttl_seconds
    }

    /// Returns how long a call may take, in milliseconds.
    #[must_use]
    pub const fn timeout_ms(&self) -> Option<u64> {
        self.timeout_ms
    }

    /// Returns whether the caller must be authenticated.
    #[must_use]
    pub const fn requires_auth(&self) -> bool {
        self.requires_auth
    }

    /// Returns whether a model may call the tool.
    #[must_use]
    pub const fn ai_callable(&self) -> bool {
        self.ai_callable
    }
}
