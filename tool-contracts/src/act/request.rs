//! Requests to run a tool.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::{RetryConfig, ToolType};
use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// The time limit of a request that names none, in seconds.
pub(super) const DEFAULT_TIMEOUT_SECONDS: u32 = 30;

/// A request to run a function of a tool.
///
/// The parameters keep every byte that was sent, so no number loses digits; they can therefore be
/// deserialized from text only. `Debug` shows their length, because they may contain secrets.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::act::{ToolRequest, ToolType};
///
/// let request = ToolRequest::builder("orders", ToolType::DatabaseQuery, "by_customer")
///     .parameters(json!({"customer": "c-17"}))
///     .timeout_seconds(5)
///     .build()?;
/// assert_eq!(request.parameters().get(), r#"{"customer":"c-17"}"#);
/// assert!(ToolRequest::builder("orders", ToolType::DatabaseQuery, "all").timeout_seconds(301).build().is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_request"))]
pub struct ToolRequest {
    /// The tool's id: the name of a tool, or of a toolkit that has the function.
    #[schemars(length(min = 1))]
    tool_id: String,
    /// The tool's type.
    tool_type: ToolType,
    /// The name of the function.
    #[schemars(length(min = 1))]
    function_name: String,
    /// The arguments of the function.
    #[schemars(with = "Option<Map<String, Value>>", extend("default" = serde_json::json!({})))]
    parameters: Box<RawValue>,
    /// The time limit of the call with all its attempts, in seconds: 1 to 300.
    #[schemars(with = "Option<u32>", range(min = 1, max = 300), extend("default" = 30))]
    timeout_seconds: u32,
    /// The retries of a failed call; the host's own settings if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_config: Option<RetryConfig>,
}

impl ToolRequest {
    /// Builds a request for this function of this tool.
    pub fn builder(
        tool_id: impl Into<String>,
        tool_type: ToolType,
        function_name: impl Into<String>,
    ) -> ToolRequestBuilder {
        ToolRequestBuilder {
            tool_id: tool_id.into(),
            tool_type,
            function_name: function_name.into(),
            parameters: None,
            timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
            retry_config: None,
        }
    }

    /// Returns the tool's id.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        &self.tool_id
    }

    /// Returns the tool's type.
    #[must_use]
    pub const fn tool_type(&self) -> ToolType {
        self.tool_type
    }

    /// Returns the name of the function.
    #[must_use]
    pub fn function_name(&self) -> &str {
        &self.function_name
    }

    /// Returns the arguments of the function: an object as JSON text.
    #[must_use]
    pub fn parameters(&self) -> &RawValue {
        &self.parameters
    }

    /// Returns the time limit of the call with all its attempts, in seconds: 1 to 300.
    #[must_use]
    pub const fn timeout_seconds(&self) -> u32 {
        self.timeout_seconds
    }

    /// Returns the retries of a failed call, if the request sets them.
    #[must_use]
    pub const fn retry_config(&self) -> Option<&RetryConfig> {
        self.retry_config.as_ref()
    }
}

/// Compares parameters byte by byte: `{}` and `{ }` differ.
impl PartialEq for ToolRequest {
    fn eq(&self, other: &Self) -> bool {
        self.tool_id == other.tool_id
            && self.tool_type == other.tool_type
            && self.function_name == other.function_name
            && self.parameters.get() == other.parameters.get()
            && self.timeout_seconds == other.timeout_seconds
            && self.retry_config == other.retry_config
    }
}

/// Shows the length of the parameters only.
impl fmt::Debug for ToolRequest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ToolRequest")
            .field("tool_id", &self.tool_id)
            .field("tool_type", &self.tool_type)
            .field("function_name", &self.function_name)
            .field("parameters", &format_args!("{} bytes", self.parameters.get().len()))
            .field("timeout_seconds", &self.timeout_seconds)
            .field("retry_config", &self.retry_config)
            .finish()
    }
}

/// Builds a [`ToolRequest`].
///
/// Without further settings there are no parameters, the time limit is 30 seconds, and the host
/// decides about retries.
#[derive(Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolRequestBuilder {
    tool_id: String,
    tool_type: ToolType,
    function_name: String,
    /// Absent if the parameters are not set; an error if they cannot be written as an object.
    parameters: Option<Result<Box<RawValue>, NotAnObject>>,
    timeout_seconds: u32,
    retry_config: Option<RetryConfig>,
}

#[derive(Debug, Clone, Copy)]
struct NotAnObject;

impl ToolRequestBuilder {
    /// Sets the parameters: anything that is an object as JSON.
    pub fn parameters(mut self, parameters: impl Serialize) -> Self {
        let written = serde_json::value::to_raw_value(&parameters).map_err(|_| NotAnObject);
        self.parameters = Some(written.and_then(object));
        self
    }

    /// Sets the time limit of the call with all its attempts, in seconds: 1 to 300.
    pub fn timeout_seconds(mut self, seconds: u32) -> Self {
        self.timeout_seconds = seconds;
        self
    }

    /// Sets the retries of a failed call, in place of the host's settings.
    pub fn retry_config(mut self, config: RetryConfig) -> Self {
        self.retry_config = Some(config);
        self
    }

    /// Builds the request.
    ///
    /// # Errors
    /// Returns an error if the id or the name is empty, the parameters are not an object, or the
    /// time limit is not 1 to 300 seconds.
    pub fn build(self) -> Result<ToolRequest, ContractError> {
        let mut problems = Problems::new("ToolRequest");
        problems.filled("tool_id", Some(&self.tool_id));
        problems.filled("function_name", Some(&self.function_name));
        let parameters = self.parameters.unwrap_or_else(|| to_object("{}"));
        problems.check(parameters.is_ok(), "parameters", "expected an object");
        let seconds = self.timeout_seconds;
        problems.check(
            (1..=300).contains(&seconds),
            "timeout_seconds",
            "expected a whole number of seconds from 1 to 300",
        );
        match parameters {
            Ok(parameters) => problems.finish().map(|()| ToolRequest {
                tool_id: self.tool_id,
                tool_type: self.tool_type,
                function_name: self.function_name,
                parameters,
                timeout_seconds: seconds,
                retry_config: self.retry_config,
            }),
            Err(NotAnObject) => Err(problems.refusal()),
        }
    }
}

/// Shows the names only.
impl fmt::Debug for ToolRequestBuilder {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ToolRequestBuilder")
            .field("tool_id", &self.tool_id)
            .field("function_name", &self.function_name)
            .finish_non_exhaustive()
    }
}

fn object(value: Box<RawValue>) -> Result<Box<RawValue>, NotAnObject> {
    if value.get().starts_with('{') { Ok(value) } else { Err(NotAnObject) }
}

fn to_object(json: &str) -> Result<Box<RawValue>, NotAnObject> {
    RawValue::from_string(json.to_owned()).map_err(|_| NotAnObject)
}

reads! {
    ToolRequest, "a request to run a tool";
    required tool_id = "tool_id", leaf wire::Text;
    required tool_type = "tool_type", nested ToolType;
    required function_name = "function_name", leaf wire::Text;
    optional parameters = "parameters", raw Box<RawValue>;
    optional timeout_seconds = "timeout_seconds", leaf wire::Whole<wire::TimeoutSeconds>;
    optional retry_config = "retry_config", nested RetryConfig;
    => {
        let mut builder = ToolRequest::builder(tool_id, tool_type, function_name);
        builder.parameters = parameters.filter(|it| it.get() != "null").map(object);
        let timeout = timeout_seconds.map(|seconds| seconds.saturated(u32::MAX));
        builder.timeout_seconds = timeout.unwrap_or(DEFAULT_TIMEOUT_SECONDS);
        builder.retry_config = retry_config;
        builder.build().map_err(wire::refused)
    }
}
