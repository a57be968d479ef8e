//! Inputs that are refused, and runs that fail.

use axum::http::StatusCode;
use thiserror::Error;
use tool_runtime_agent::{AgentError, AgentErrorKind, AgentErrorReason};
use tool_runtime_core::store::StoreError;

/// An input that is refused before its run begins: the place, what is expected there, and the cure.
///
/// The message quotes no value of the input.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct InputRefusal {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl InputRefusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_input", message)
    }

    /// Returns the status of the HTTP response.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the code for programs, such as `invalid_input`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the message for developers of the client.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The failure of a run that has begun: the content of `RUN_ERROR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunProblem {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl RunProblem {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn store() -> Self {
        Self::new("store", "the store of waiting runs failed; send the input again later")
    }
}

/// Leaves out the error's own text, which may be that of a model's client. The log of the agent has it.
impl From<AgentError> for RunProblem {
    fn from(error: AgentError) -> Self {
        let code = error.reason().map_or(error.kind().as_str(), AgentErrorReason::as_str);
        let message = if error.kind() == AgentErrorKind::Llm {
            "the model failed; send the input again later"
        } else if error.kind() == AgentErrorKind::Configuration {
            "the server is not configured for this run; its log has the cause"
        } else {
            "the agent failed; the server's log has the cause"
        };
        Self::new(code, message)
    }
}

/// Leaves out the error's own text, which may name files.
impl From<StoreError> for RunProblem {
    fn from(_: StoreError) -> Self {
        Self::store()
    }
}
