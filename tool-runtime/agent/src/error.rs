//! The one error of the agent.

use std::fmt;

use serde_json::{Map, Value, json};
use tool_contracts::act::ActResult;
use tool_contracts::{ContractError, ToolErrorType};
use tool_runtime_core::words::word_enum;
use tool_runtime_schema::json::insert;

/// The part of the agent that failed.
///
/// A timeout belongs to the part that waited: a tool's to `ToolExecution`, the model's to `Llm`. Its
/// details have `"reason": "timeout"`. A compression that times out is replaced by another one. A
/// store of sessions that fails or times out is an error of the kind `Configuration` with the reason
/// `session_store`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentErrorKind {
    /// A tool failed, or no tool could be run for a request.
    ToolExecution,
    /// A context could not be compressed enough.
    Compression,
    /// An answer could not be written or read.
    Serialization,
    /// The model failed.
    Llm,
    /// A setting is missing or out of its range.
    Configuration,
    /// A request is not valid.
    Validation,
}

impl AgentErrorKind {
    /// Returns the kind's name, such as `tool_execution`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolExecution => "tool_execution",
            Self::Compression => "compression",
            Self::Serialization => "serialization",
            Self::Llm => "llm",
            Self::Configuration => "configuration",
            Self::Validation => "validation",
        }
    }
}

impl fmt::Display for AgentErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

word_enum! {
    /// Why the agent itself failed: `details.reason` of an [`AgentError`].
    ///
    /// An error may have no reason. A tool's error has the details of its result, and so a reason of
    /// [`RefusalReason`](tool_runtime_core::RefusalReason) or of the tool itself.
    ///
    /// ```
    /// use tool_runtime::agent::AgentErrorReason;
    ///
    /// assert_eq!(AgentErrorReason::Timeout.as_str(), "timeout");
    /// assert_eq!(AgentErrorReason::parse("timeout"), Some(AgentErrorReason::Timeout));
    /// ```
    #[non_exhaustive]
    pub enum AgentErrorReason {
        /// A blocking method was called on a thread that runs async tasks.
        AsyncThread = "async_thread",
        /// The model's server cannot be reached, or the connection ended early.
        Connection = "connection",
        /// The model's server refuses the request.
        InvalidRequest = "invalid_request",
        /// The model's server knows no such model or path.
        NotFound = "not_found",
        /// The model's client panicked.
        Panic = "panic",
        /// The model's server limits the rate of requests.
        RateLimited = "rate_limited",
        /// The store of sessions failed, or took too long.
        SessionStore = "session_store",
        /// The model or the tool did not answer in time.
        Timeout = "timeout",
        /// The tool is of another type than the request says.
        ToolType = "tool_type",
        /// The model's server refuses the API key.
        Unauthorized = "unauthorized",
        /// A call of the conversation has no answer directly after it, or a result answers no call.
        UnansweredCall = "unanswered_call",
        /// The model's server failed.
        Unavailable = "unavailable",
        /// There is no such tool, or the tool has no such function.
        UnknownTool = "unknown_tool",
        /// The response of the model's server cannot be read.
        Unreadable = "unreadable",
    }
}

impl AgentErrorReason {
    /// Returns whether a request to a model's server may fail for the reason.
    pub(super) const fn is_of_model_server(self) -> bool {
        match self {
            Self::Connection
            | Self::InvalidRequest
            | Self::NotFound
            | Self::RateLimited
            | Self::Timeout
            | Self::Unauthorized
            | Self::Unavailable
            | Self::Unreadable => true,
            Self::AsyncThread
            | Self::Panic
            | Self::SessionStore
            | Self::ToolType
            | Self::UnansweredCall
            | Self::UnknownTool => false,
        }
    }
}

impl fmt::Display for AgentErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error of the agent: what failed, a message, and details for programs.
///
/// The message quotes no argument and no data, so it may go into a log.
///
/// ```
/// use tool_runtime::agent::{AgentError, AgentErrorKind, AgentErrorReason};
///
/// let error = AgentError::new(AgentErrorKind::Llm, "the model did not answer in time")
///     .with_reason(AgentErrorReason::Timeout);
/// assert_eq!(error.to_string(), "llm: the model did not answer in time");
/// assert_eq!(error.reason(), Some(AgentErrorReason::Timeout));
/// assert_eq!(error.details()["reason"], "timeout");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    kind: AgentErrorKind,
    message: String,
    details: Map<String, Value>,
}

impl AgentError {
    /// Creates an error without details.
    #[must_use]
    pub fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with_detail(mut self, name: impl Into<String>, detail: impl Into<Value>) -> Self {
        insert(&mut self.details, name.into(), detail.into());
        self
    }

    /// Sets `details.reason`.
    #[must_use]
    pub fn with_reason(self, reason: AgentErrorReason) -> Self {
        self.with_detail("reason", reason.as_str())
    }

    /// Returns the result if the tool answered, and otherwise its error.
    ///
    /// The details are the result's metadata, with `tool_id` and, for a timeout,
    /// `"reason": "timeout"`.
    ///
    /// # Errors
    /// Returns an error of the kind `ToolExecution` if the tool failed.
    pub fn check_result(result: ActResult) -> Result<ActResult, Self> {
        let Some(message) = result.error() else { return Ok(result) };
        let mut error = Self::new(AgentErrorKind::ToolExecution, message);
        error.details.clone_from(result.metadata());
        let is_late = error.details.get("error_type").and_then(Value::as_str)
            == Some(ToolErrorType::Timeout.as_str());
        let error = error.with_detail("tool_id", result.tool_id());
        Err(if is_late { error.with_reason(AgentErrorReason::Timeout) } else { error })
    }

    /// Returns the part of the agent that failed.
    #[must_use]
    pub const fn kind(&self) -> AgentErrorKind {
        self.kind
    }

    /// Returns the reason in `details.reason`; none if there is none, or a word that is not the agent's.
    ///
    /// A tool's error has the details of its result, so that its reason may be such a word too.
    #[must_use]
    pub fn reason(&self) -> Option<AgentErrorReason> {
        self.details.get("reason").and_then(Value::as_str).and_then(AgentErrorReason::parse)
    }

    /// Returns the message without the kind.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the details for programs.
    #[must_use]
    pub const fn details(&self) -> &Map<String, Value> {
        &self.details
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for AgentError {}

/// Makes an error of the kind `Validation`, so that `?` works on the builders of the contracts. Its
/// detail `problems` has the field and the message of each problem.
///
/// ```
/// use tool_runtime::agent::{AgentError, AgentErrorKind};
/// use tool_runtime::contracts::proxy::ProxyRequest;
///
/// fn request(query: &str) -> Result<ProxyRequest, AgentError> {
///     Ok(ProxyRequest::builder(query).optimization_level(9).build()?)
/// }
///
/// let error = request("Which orders are late?").unwrap_err();
/// assert_eq!(error.kind(), AgentErrorKind::Validation);
/// assert_eq!(error.details()["problems"][0]["field"], "optimization_level");
/// ```
impl From<ContractError> for AgentError {
    fn from(error: ContractError) -> Self {
        let problems = error
            .problems()
            .iter()
            .map(|problem| json!({"field": problem.field(), "message": problem.message()}));
        let problems: Vec<Value> = problems.collect();
        Self::new(AgentErrorKind::Validation, error.to_string()).with_detail("problems", problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_contracts::proxy::ProxyRequest;

    #[test]
    fn every_problem_of_a_contract_is_a_detail_of_the_error() {
        let build = || -> Result<ProxyRequest, AgentError> {
            Ok(ProxyRequest::builder("").max_total_tokens(999).optimization_level(4).build()?)
        };
        let error = build().unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Validation);
        assert!(error.message().starts_with("ProxyRequest: `query`: "), "{error}");
        let problems = error.details()["problems"].as_array().expect("a list");
        let fields: Vec<_> = problems.iter().map(|problem| &problem["field"]).collect();
        assert_eq!(fields, ["query", "max_total_tokens", "optimization_level"]);
        assert!(problems.iter().all(|it| it["message"].as_str().is_some_and(|it| !it.is_empty())));
    }
}
