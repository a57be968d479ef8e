//! What a tool is.

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

/// Describes a tool: its name, its schemas, its effect and what it needs.
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
    transform = crate::schemas::fresh_only_if_read
)]
pub struct ToolSpec {
    /// The name that a model calls: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,128}$"))]
    name: String,
    /// The name that a person reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The tool's version.
    #[schemars(length(min = 1))]
    version: String,
    /// What the tool does, for the model that has to choose one.
    description: String,
    /// Where the tool belongs among others.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The toolkit that the tool belongs to; its name and a dot begin the tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    toolkit: Option<ToolkitSpec>,
    /// What a call does to the world.
    effect: Effect,
    /// More about the effect.
    annotations: ToolAnnotations,
    /// Whether a call may run.
    permission: Permission,
    /// The JSON Schema of the arguments.
    input_schema: Map<String, Value>,
    /// The JSON Schema of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Map<String, Value>>,
    /// How long a result stays fresh, in seconds; reads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// How long a call may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
    /// Whether somebody has to be signed in.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    requires_auth: bool,
    /// Whether a model may call it.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    ai_callable: bool,
}

impl ToolSpec {
    /// Starts a tool's description.
    pub fn builder(name: impl Into<String>, effect: Effect) -> ToolSpecBuilder {
        ToolSpecBuilder::new(name.into(), effect)
    }

    /// Gives the name that a model calls.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the name that a person reads.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Gives the tool's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Says what the tool does.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Says where the tool belongs among others.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// Returns the toolkit that the tool belongs to.
    #[must_use]
    pub const fn toolkit(&self) -> Option<&ToolkitSpec> {
        self.toolkit.as_ref()
    }

    /// Says what a call does to the world.
    #[must_use]
    pub const fn effect(&self) -> Effect {
        self.effect
    }

    /// Says more about the effect.
    #[must_use]
    pub const fn annotations(&self) -> ToolAnnotations {
        self.annotations
    }

    /// Says whether a call may run.
    #[must_use]
    pub const fn permission(&self) -> Permission {
        self.permission
    }

    /// Gives the JSON Schema of the arguments.
    #[must_use]
    pub const fn input_schema(&self) -> &Map<String, Value> {
        &self.input_schema
    }

    /// Gives the JSON Schema of the data.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output_schema.as_ref()
    }

    /// Tells how long a result stays fresh, in seconds.
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {
        self.ttl_seconds
    }

    /// Tells how long a call may take, in milliseconds.
    #[must_use]
    pub const fn timeout_ms(&self) -> Option<u64> {
        self.timeout_ms
    }

    /// Tells whether somebody has to be signed in.
    #[must_use]
    pub const fn requires_auth(&self) -> bool {
        self.requires_auth
    }

    /// Tells whether a model may call it.
    #[must_use]
    pub const fn ai_callable(&self) -> bool {
        self.ai_callable
    }
}
