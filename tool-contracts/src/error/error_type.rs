//! The error type, which decides the caller's reaction.

use schemars::JsonSchema;

use crate::wire::words;

/// The type of an error, which tells a program how to react.
///
/// Deserialization refuses an unknown type and lists the known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "SCREAMING_SNAKE_CASE", transform = crate::schemas::documented("tool_error_type"))]
#[non_exhaustive]
pub enum ToolErrorType {
    /// The platform or an upstream limits the rate of calls: retry after a delay.
    RateLimit,
    /// A deadline passed: retry with more time, if the effect allows it.
    Timeout,
    /// A service behind the tool failed.
    Upstream,
    /// The input or the output breaks its schema: correct it, then retry.
    Validation,
    /// A transient failure: retry.
    Retryable,
    /// A permanent failure: a retry does not help, and a person must act.
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
    /// Returns whether the same call may succeed later: a retry is worth a try.
    ///
    /// It says nothing about effects: a write may be repeated only if its repeat is safe.
    ///
    /// ```
    /// use tool_contracts::ToolErrorType;
    ///
    /// assert!(ToolErrorType::Upstream.is_transient());
    /// assert!(!ToolErrorType::Validation.is_transient());
    /// ```
    #[must_use]
    pub const fn is_transient(self) -> bool {
        match self {
            Self::RateLimit | Self::Timeout | Self::Upstream | Self::Retryable => true,
            Self::Validation | Self::Fatal => false,
        }
    }

    /// Returns the HTTP status of a call that fails with a tool's own code of this type.
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
