//! Requests and responses for listing tools.

use schemars::JsonSchema;
use serde::{Serialize, de::Error as _};
use serde_json::{Map, Value};

use crate::{
    ContractError, ToolSpec, ToolkitSpec,
    contract_error::Problems,
    spec::{check_name, check_prefix},
    wire::{self, reads},
};

/// A request to list the tools.
///
/// An empty request lists all tools that a model may call.
///
/// ```
/// use tool_contracts::server::ListRequest;
///
/// let all: ListRequest = serde_json::from_str("{}")?;
/// assert_eq!(all, ListRequest::new());
/// assert!(all.ai_callable_only() && all.category().is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("list_request"))]
pub struct ListRequest {
    /// The category of the tools to list; any category if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// True to list only tools that a model may call.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    ai_callable_only: bool,
}

impl ListRequest {
    /// Creates a request for all tools that a model may call.
    #[must_use]
    pub const fn new() -> Self {
        Self { category: None, ai_callable_only: true }
    }

    /// Sets the category of the tools.
    #[must_use]
    pub fn with_category(self, category: impl Into<String>) -> Self {
        Self { category: Some(category.into()), ..self }
    }

    /// Sets whether to list only tools that a model may call.
    #[must_use]
    pub fn with_ai_callable_only(self, ai_callable_only: bool) -> Self {
        Self { ai_callable_only, ..self }
    }

    /// Returns the category of the tools.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// Returns whether to list only tools that a model may call.
    #[must_use]
    pub const fn ai_callable_only(&self) -> bool {
        self.ai_callable_only
    }

    /// Returns whether the request matches a tool.
    #[must_use]
    pub fn admits(&self, spec: &ToolSpec) -> bool {
        let fits = self.category.is_none() || self.category() == spec.category();
        fits && (spec.ai_callable() || !self.ai_callable_only)
    }
}

impl Default for ListRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// The descriptions of the listed tools.
///
/// ```
/// use tool_contracts::{Effect, ToolSpec, server::{ListResponse, ToolListing}};
///
/// let spec = ToolSpec::builder("search_content", Effect::Read).build()?;
/// let list = ListResponse::new([ToolListing::from(&spec)]);
/// assert_eq!(list.total(), 1);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("list_response"))]
pub struct ListResponse {
    /// The tools.
    tools: Vec<ToolListing>,
    /// The number of tools.
    total: u64,
}

impl ListResponse {
    /// Creates a response with these tools.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = ToolListing>) -> Self {
        let tools: Vec<_> = tools.into_iter().collect();
        let total = tools.len() as u64;
        Self { tools, total }
    }

    /// Returns the tools.
    #[must_use]
    pub fn tools(&self) -> &[ToolListing] {
        &self.tools
    }

    /// Returns the number of tools.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }
}

/// The description of a tool for its callers.
///
/// It contains the fields of a [`ToolSpec`] that a caller needs, without those for the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_listing"))]
pub struct ToolListing {
    /// The tool's name in calls: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,128}$"))]
    name: String,
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
    toolkit: Option<ToolkitSpec>,
    /// The JSON Schema of the input.
    input_schema: Map<String, Value>,
    /// The JSON Schema of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Map<String, Value>>,
    /// True if the caller must be authenticated.
    requires_auth: bool,
    /// True if a model may call the tool.
    ai_callable: bool,
}

impl ToolListing {
    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
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

    /// Returns the JSON Schema of the input.
    #[must_use]
    pub const fn input_schema(&self) -> &Map<String, Value> {
        &self.input_schema
    }

    /// Returns the JSON Schema of the output.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output_schema.as_ref()
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

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("ToolListing");
        check_name(&mut problems, &self.name);
        problems.filled("version", Some(&self.version));
        check_prefix(&mut problems, &self.name, self.toolkit.as_ref());
        problems.finish().map(|()| self)
    }
}

impl From<&ToolSpec> for ToolListing {
    fn from(spec: &ToolSpec) -> Self {
        Self {
            name: spec.name().to_owned(),
            version: spec.version().to_owned(),
            description: spec.description().to_owned(),
            category: spec.category().map(str::to_owned),
            toolkit: spec.toolkit().cloned(),
            input_schema: spec.input_schema().clone(),
            output_schema: spec.output_schema().cloned(),
            requires_auth: spec.requires_auth(),
            ai_callable: spec.ai_callable(),
        }
    }
}

reads! {
    ListRequest, "a request for the list of tools";
    optional category = "category", leaf wire::Text;
    optional ai_callable_only = "ai_callable_only", leaf wire::Flag;
    => Ok(ListRequest { category, ai_callable_only: ai_callable_only.unwrap_or(true) })
}

reads! {
    ListResponse, "a list of tools";
    required tools = "tools", nested Vec<ToolListing>;
    required total = "total", leaf wire::Whole<u64>;
    => {
        let list = ListResponse::new(tools);
        if list.total == total {
            return Ok(list);
        }
        Err(A::Error::custom("`total`: expected the number of `tools`"))
    }
}

reads! {
    ToolListing, "a tool's description";
    required name = "name", leaf wire::Text;
    required version = "version", leaf wire::Text;
    required description = "description", leaf wire::Text;
    optional category = "category", leaf wire::Text;
    optional toolkit = "toolkit", nested ToolkitSpec;
    required input_schema = "input_schema", leaf wire::Object;
    optional output_schema = "output_schema", leaf wire::Object;
    required requires_auth = "requires_auth", leaf wire::Flag;
    required ai_callable = "ai_callable", leaf wire::Flag;
    => {
        let listing = ToolListing {
            name,
            version,
            description,
            category,
            toolkit,
            input_schema,
            output_schema,
            requires_auth,
            ai_callable,
        };
        listing.checked().map_err(wire::refused)
    }
}
