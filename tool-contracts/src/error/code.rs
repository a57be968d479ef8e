//! The closed set of error codes.

use schemars::JsonSchema;

use super::ToolErrorType;
use crate::wire::words;

/// Says what happened, in the closed set of codes that all tools share.
///
/// Each code has exactly one class. A tool's own codes are text in
/// [`ToolErrorDetail`](crate::ToolErrorDetail). A new code needs a page in `docs/rfc`; the last
/// five were added by `docs/rfc/0001-runtime-codes.md`.
///
/// ```
/// use tool_contracts::{ErrorCode, ToolErrorType};
///
/// assert_eq!(ErrorCode::Conflict.class(), ToolErrorType::Retryable);
/// assert_eq!("OUT_OF_STOCK".parse(), Ok(ErrorCode::OutOfStock));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "SCREAMING_SNAKE_CASE", transform = crate::schemas::documented("error_code"))]
#[non_exhaustive]
pub enum ErrorCode {
    /// The arguments break the tool's schema or its rules. `VALIDATION`
    InvalidArgument,
    /// The address cannot be delivered to. `VALIDATION`
    AddressInvalid,
    /// The tool, or what the arguments name, does not exist. `VALIDATION`
    NotFound,
    /// Nobody is signed in. `FATAL`
    Unauthorized,
    /// Who is signed in may not do this. `FATAL`
    Forbidden,
    /// Somebody else is changing, or has changed, the same thing. `RETRYABLE`
    Conflict,
    /// The deadline passed. `TIMEOUT`
    Timeout,
    /// A service behind the tool failed. `UPSTREAM`
    UpstreamError,
    /// A person has to agree first. `FATAL`
    NeedsUserConfirmation,
    /// A rule of law or policy forbids it. `FATAL`
    ComplianceBlocked,
    /// The price is no longer the one that was shown. `FATAL`
    PriceChanged,
    /// There is nothing left to sell. `FATAL`
    OutOfStock,
    /// Too many calls in too little time. `RATE_LIMIT`
    RateLimited,
    /// The tool panicked, or failed in a way that it does not explain. `FATAL`
    Internal,
    /// The tool's output breaks the schema that it declares. `VALIDATION`
    InvalidOutput,
    /// A person said no. `FATAL`
    Declined,
    /// The call was interrupted, overtaken, or expired. `FATAL`
    Cancelled,
    /// The tool cannot be reached now: open breaker, full queue, store down. `RETRYABLE`
    Unavailable,
}

words!(ErrorCode {
    InvalidArgument = "INVALID_ARGUMENT",
    AddressInvalid = "ADDRESS_INVALID",
    NotFound = "NOT_FOUND",
    Unauthorized = "UNAUTHORIZED",
    Forbidden = "FORBIDDEN",
    Conflict = "CONFLICT",
    Timeout = "TIMEOUT",
    UpstreamError = "UPSTREAM_ERROR",
    NeedsUserConfirmation = "NEEDS_USER_CONFIRMATION",
    ComplianceBlocked = "COMPLIANCE_BLOCKED",
    PriceChanged = "PRICE_CHANGED",
    OutOfStock = "OUT_OF_STOCK",
    RateLimited = "RATE_LIMITED",
    Internal = "INTERNAL",
    InvalidOutput = "INVALID_OUTPUT",
    Declined = "DECLINED",
    Cancelled = "CANCELLED",
    Unavailable = "UNAVAILABLE",
});

impl ErrorCode {
    /// Returns the one class of this code.
    #[must_use]
    pub const fn class(self) -> ToolErrorType {
        match self {
            Self::InvalidArgument | Self::AddressInvalid | Self::NotFound | Self::InvalidOutput => {
                ToolErrorType::Validation
            }
            Self::Conflict | Self::Unavailable => ToolErrorType::Retryable,
            Self::Timeout => ToolErrorType::Timeout,
            Self::UpstreamError => ToolErrorType::Upstream,
            Self::RateLimited => ToolErrorType::RateLimit,
            Self::Unauthorized
            | Self::Forbidden
            | Self::NeedsUserConfirmation
            | Self::ComplianceBlocked
            | Self::PriceChanged
            | Self::OutOfStock
            | Self::Internal
            | Self::Declined
            | Self::Cancelled => ToolErrorType::Fatal,
        }
    }
}
