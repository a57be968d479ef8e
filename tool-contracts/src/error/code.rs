//! The standard error codes: one row of a table for each.

use schemars::JsonSchema;

use super::ToolErrorType;
use crate::wire::words;

/// Defines the codes. A row has the word on the wire, the type, the HTTP status and the message of
/// an error that has none of its own.
macro_rules! error_codes {
    ($(#[$about:meta])* pub enum $type:ident { $(
        $(#[$doc:meta])* $code:ident = $word:literal: $error_type:ident, $status:literal, $message:literal;
    )+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
        #[schemars(
            rename_all = "SCREAMING_SNAKE_CASE",
            transform = crate::schemas::documented("error_code")
        )]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $code,)+
        }

        words!($type { $($code = $word,)+ });

        impl $type {
            /// Returns the one type of this code.
            #[must_use]
            pub const fn error_type(self) -> ToolErrorType {
                match self {
                    $(Self::$code => ToolErrorType::$error_type,)+
                }
            }

            /// Returns the HTTP status of a call that fails with this code.
            #[must_use]
            pub const fn http_status(self) -> u16 {
                match self {
                    $(Self::$code => $status,)+
                }
            }

            /// Returns the message of an error with this code that has none of its own.
            #[must_use]
            pub const fn default_message(self) -> &'static str {
                match self {
                    $(Self::$code => $message,)+
                }
            }
        }
    };
}

error_codes! {
    /// A standard error code, shared by all tools.
    ///
    /// Each code has exactly one type. A tool's own codes are text in
    /// [`ToolErrorDetail`](crate::ToolErrorDetail). A new code needs a page in `docs/rfc`; the last
    /// five were added by `docs/rfc/0001-runtime-codes.md`.
    ///
    /// ```
    /// use tool_contracts::{ErrorCode, ToolErrorType};
    ///
    /// assert_eq!(ErrorCode::Conflict.error_type(), ToolErrorType::Retryable);
    /// assert_eq!(ErrorCode::Conflict.http_status(), 409);
    /// assert_eq!("OUT_OF_STOCK".parse(), Ok(ErrorCode::OutOfStock));
    /// ```
    pub enum ErrorCode {
        /// The arguments break the tool's schema or its rules. `VALIDATION`
        InvalidArgument = "INVALID_ARGUMENT": Validation, 422, "an argument is not valid";
        /// The address cannot be delivered to. `VALIDATION`
        AddressInvalid = "ADDRESS_INVALID": Validation, 422, "the address is not valid";
        /// The tool, or what the arguments name, does not exist. `VALIDATION`
        NotFound = "NOT_FOUND": Validation, 404, "the requested resource does not exist";
        /// The caller is not signed in. `FATAL`
        Unauthorized = "UNAUTHORIZED": Fatal, 401, "the caller is not authenticated";
        /// The caller is signed in, and may not do this. `FATAL`
        Forbidden = "FORBIDDEN": Fatal, 403, "the caller is not permitted to do this";
        /// Another call changes, or has changed, the same thing. `RETRYABLE`
        Conflict = "CONFLICT": Retryable, 409, "the call conflicts with another one; try again later";
        /// The deadline passed. `TIMEOUT`
        Timeout = "TIMEOUT": Timeout, 504, "the tool ran out of time";
        /// A service behind the tool failed. `UPSTREAM`
        UpstreamError = "UPSTREAM_ERROR": Upstream, 502, "a service that the tool depends on failed";
        /// A person has to agree first. `FATAL`
        NeedsUserConfirmation = "NEEDS_USER_CONFIRMATION": Fatal, 409, "a person must confirm this call first";
        /// A rule of law or policy forbids it. `FATAL`
        ComplianceBlocked = "COMPLIANCE_BLOCKED": Fatal, 403, "a rule forbids this";
        /// The price is no longer the one that was shown. `FATAL`
        PriceChanged = "PRICE_CHANGED": Fatal, 409, "the price has changed";
        /// There is nothing left to sell. `FATAL`
        OutOfStock = "OUT_OF_STOCK": Fatal, 409, "the item is out of stock";
        /// Too many calls in too little time. `RATE_LIMIT`
        RateLimited = "RATE_LIMITED": RateLimit, 429, "too many calls; try again later";
        /// The tool panicked, or failed in a way that it does not explain. `FATAL`
        Internal = "INTERNAL": Fatal, 500, "the tool failed";
        /// The tool's output breaks the schema that it declares. `VALIDATION`
        InvalidOutput = "INVALID_OUTPUT": Validation, 500, "the tool's output does not match its output schema; it was not delivered";
        /// A person declined the call. `FATAL`
        Declined = "DECLINED": Fatal, 403, "a person declined this call";
        /// The call was cancelled, superseded or expired. `FATAL`
        Cancelled = "CANCELLED": Fatal, 409, "the call was cancelled";
        /// The tool cannot be reached now: open breaker, full queue, store down. `RETRYABLE`
        Unavailable = "UNAVAILABLE": Retryable, 503, "the tool is not available now; try again later";
    }
}

impl ErrorCode {
    /// Returns the code of a call that failed because a server answered it with this code.
    ///
    /// A code that describes the call is the same for the caller's caller. One that describes the
    /// server, or the caller's relation to it, is an error of an upstream service. A call that a
    /// person must confirm at the server is forbidden here, where no person can confirm it.
    ///
    /// ```
    /// use tool_contracts::ErrorCode;
    ///
    /// assert_eq!(ErrorCode::NotFound.relayed(), ErrorCode::NotFound);
    /// assert_eq!(ErrorCode::Unauthorized.relayed(), ErrorCode::UpstreamError);
    /// ```
    #[must_use]
    pub const fn relayed(self) -> Self {
        match self {
            Self::InvalidArgument
            | Self::AddressInvalid
            | Self::NotFound
            | Self::Forbidden
            | Self::Conflict
            | Self::Timeout
            | Self::ComplianceBlocked
            | Self::PriceChanged
            | Self::OutOfStock
            | Self::RateLimited
            | Self::Unavailable => self,
            Self::NeedsUserConfirmation => Self::Forbidden,
            Self::Unauthorized
            | Self::UpstreamError
            | Self::Internal
            | Self::InvalidOutput
            | Self::Declined
            | Self::Cancelled => Self::UpstreamError,
        }
    }

    /// Returns whether a call with this code was refused before its tool ran, as the code alone
    /// tells: the caller was not authenticated, or a person did not agree.
    ///
    /// ```
    /// use tool_contracts::ErrorCode;
    ///
    /// assert!(ErrorCode::Declined.is_before_run());
    /// assert!(!ErrorCode::Internal.is_before_run());
    /// ```
    #[must_use]
    pub const fn is_before_run(self) -> bool {
        match self {
            Self::Unauthorized | Self::NeedsUserConfirmation | Self::Declined => true,
            Self::InvalidArgument
            | Self::AddressInvalid
            | Self::NotFound
            | Self::Forbidden
            | Self::Conflict
            | Self::Timeout
            | Self::UpstreamError
            | Self::ComplianceBlocked
            | Self::PriceChanged
            | Self::OutOfStock
            | Self::RateLimited
            | Self::Internal
            | Self::InvalidOutput
            | Self::Cancelled
            | Self::Unavailable => false,
        }
    }
}
