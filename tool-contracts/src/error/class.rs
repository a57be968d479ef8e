//! The error class, which decides the caller's reaction.

use schemars::JsonSchema;

use crate::wire::words;

/// Tells a machine what to do next about an error.
///
/// A reader refuses a class it does not know, and names the ones it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "SCREAMING_SNAKE_CASE", transform = crate::schemas::documented("tool_error_type"))]
#[non_exhaustive]
pub enum ToolErrorType {
    /// The platform or an upstream limits the throughput: wait, then try again.
    RateLimit,
    /// A time budget is used up: try again with more time, if the effect allows it.
    Timeout,
    /// A service behind the tool failed.
    Upstream,
    /// The input or the output breaks its schema: mend it, then try again.
    Validation,
    /// A passing failure: try again.
    Retryable,
    /// Trying again will not help; a person has to act.
    Fatal,
}

words!(ToolErrorType {
    RateLimit = "RATE_LIMIT",
    Timeout = "TIMEOUT",
    Upstream = "UPSTREAM",
    Validation = "VALIDATION",
    Retryable = "RETRYABLE",
    Fatal = "FATAL",
});

impl ToolErrorType {
    /// Returns the HTTP status of a call that fails with a tool's own code of this class.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Validation => 422,
            Self::RateLimit => 429,
            Self::Timeout => 504,
            Self::Upstream => 502,
            Self::Retryable => 503,
            // A retry does not help, and neither the request nor the server is at fault.
            Self::Fatal => 409,
        }
    }
}
