//! Error details for machines and for people.

use std::{borrow::Cow, str::FromStr};

use schemars::JsonSchema;
use serde::{Serialize, de::Error as _};
use serde_json::{Map, Value};

use super::{ErrorCode, ToolErrorType};
use crate::{
    portable::{insert, normalized_object},
    wire::{self, reads},
};

/// The details of an error: the type for programs, the message for people, the code for both.
///
/// `code` is one of the standard [`ErrorCode`]s or a tool's own. A standard code always has its own
/// type: the builder sets it, and deserialization refuses any other. `cause` is an error's type
/// name, never its text.
///
/// ```
/// use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};
///
/// let busy = ToolErrorDetail::from_code(ErrorCode::RateLimited, "too many calls")
///     .retry_after_ms(2_000)
///     .build();
/// assert_eq!(busy.error_type(), ToolErrorType::RateLimit);
///
/// let taken = ToolErrorDetail::builder(ToolErrorType::Retryable, "the seat is taken")
///     .code("SEAT_TAKEN")
///     .build();
/// assert_eq!((taken.code(), taken.error_code()), (Some("SEAT_TAKEN"), None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("tool_error_detail"),
    transform = crate::schemas::require_type_of_code
)]
pub struct ToolErrorDetail {
    /// The type of the error, which tells a program how to react.
    #[serde(rename = "type")]
    error_type: ToolErrorType,
    /// The error message for people.
    message: String,
    /// The error code: one of the standard codes, or a code of the tool's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    code: Option<Cow<'static, str>>,
    /// The type name of the underlying error, never its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cow<'static, str>>,
    /// Further facts about the error, such as `violations` or a ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
    /// The delay before the next attempt, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// The HTTP or gRPC status of an upstream service.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_status: Option<u16>,
    /// The upstream's endpoint or queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<Cow<'static, str>>,
    /// The number of the failed attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    attempt: Option<u32>,
}

impl ToolErrorDetail {
    /// Starts an error of this type, with a code of the tool's own or with none.
    pub fn builder(
        error_type: ToolErrorType,
        message: impl Into<String>,
    ) -> ToolErrorDetailBuilder {
        ToolErrorDetailBuilder(Self {
            error_type,
            message: message.into(),
            code: None,
            cause: None,
            details: None,
            retry_after_ms: None,
            upstream_status: None,
            endpoint: None,
            attempt: None,
        })
    }

    /// Starts an error with a standard code and the type that belongs to it.
    pub fn from_code(code: ErrorCode, message: impl Into<String>) -> ToolErrorDetailBuilder {
        Self::builder(code.error_type(), message).code(code.as_str())
    }

    /// Returns the type, which is `type` on the wire.
    #[must_use]
    pub const fn error_type(&self) -> ToolErrorType {
        self.error_type
    }

    /// Returns the error message for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the code as written: a standard one or the tool's own.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Returns the code if it is a standard one.
    #[must_use]
    pub fn error_code(&self) -> Option<ErrorCode> {
        self.code().and_then(|code| ErrorCode::from_str(code).ok())
    }

    /// Returns the type name of the underlying error.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the facts about the error.
    #[must_use]
    pub const fn details(&self) -> Option<&Map<String, Value>> {
        self.details.as_ref()
    }

    /// Returns the delay before the next attempt, in milliseconds.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        self.retry_after_ms
    }

    /// Returns the HTTP or gRPC status of an upstream service.
    #[must_use]
    pub const fn upstream_status(&self) -> Option<u16> {
        self.upstream_status
    }

    /// Returns the upstream's endpoint or queue.
    #[must_use]
    pub fn endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    /// Returns the number of the failed attempt.
    #[must_use]
    pub const fn attempt(&self) -> Option<u32> {
        self.attempt
    }

    /// Returns a builder that starts from this error.
    pub fn into_builder(self) -> ToolErrorDetailBuilder {
        ToolErrorDetailBuilder(self)
    }
}

/// Builds a [`ToolErrorDetail`], which is always valid.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolErrorDetailBuilder(ToolErrorDetail);

impl ToolErrorDetailBuilder {
    /// Sets the code. A standard code also sets its type; an empty text removes the code.
    pub fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.0.code = Some(code.into()).filter(|code| !code.is_empty());
        self.0.error_type = self.0.error_code().map_or(self.0.error_type, ErrorCode::error_type);
        self
    }

    /// Replaces the error message for people.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Sets the type name of the underlying error; never pass its text.
    pub fn cause(mut self, cause: impl Into<Cow<'static, str>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Removes the type name of the underlying error, for readers outside the program.
    pub fn without_cause(mut self) -> Self {
        self.0.cause = None;
        self
    }

    /// Sets all facts about the error.
    pub fn details(mut self, details: Map<String, Value>) -> Self {
        self.0.details = Some(normalized_object(details));
        self
    }

    /// Adds one fact about the error; replaces one with the same name.
    pub fn detail(mut self, name: impl Into<String>, fact: impl Into<Value>) -> Self {
        let details = self.0.details.get_or_insert_default();
        insert(details, name.into(), fact.into());
        self
    }

    /// Sets the delay before the next attempt, in milliseconds.
    pub fn retry_after_ms(mut self, retry_after_ms: u64) -> Self {
        self.0.retry_after_ms = Some(retry_after_ms);
        self
    }

    /// Sets the HTTP or gRPC status of an upstream service.
    pub fn upstream_status(mut self, status: u16) -> Self {
        self.0.upstream_status = Some(status);
        self
    }

    /// Sets the upstream's endpoint or queue.
    pub fn endpoint(mut self, endpoint: impl Into<Cow<'static, str>>) -> Self {
        self.0.endpoint = Some(endpoint.into());
        self
    }

    /// Sets the number of the failed attempt.
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.0.attempt = Some(attempt);
        self
    }

    /// Returns the error.
    #[must_use]
    pub fn build(self) -> ToolErrorDetail {
        self.0
    }
}

reads! {
    ToolErrorDetail, "an error's detail";
    required error_type = "type", nested ToolErrorType;
    required message = "message", leaf wire::Text;
    optional code = "code", leaf wire::FilledText;
    optional cause = "cause", leaf wire::Text;
    optional details = "details", leaf wire::Object;
    optional retry_after_ms = "retry_after_ms", leaf wire::Whole<u64>;
    optional upstream_status = "upstream_status", leaf wire::Whole<u16>;
    optional endpoint = "endpoint", leaf wire::Text;
    optional attempt = "attempt", leaf wire::Whole<u32>;
    => {
        let detail = ToolErrorDetail {
            error_type,
            message,
            code: code.map(Cow::Owned),
            cause: cause.map(Cow::Owned),
            details,
            retry_after_ms,
            upstream_status,
            endpoint: endpoint.map(Cow::Owned),
            attempt,
        };
        match detail.error_code() {
            Some(code) if code.error_type() != error_type => Err(A::Error::custom(format_args!(
                "`type`: expected `{}`, the one type of the code `{code}`",
                code.error_type()
            ))),
            _ => Ok(detail),
        }
    }
}
