//! Errors of response envelopes.

use std::{borrow::Cow, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use crate::{
    ErrorCode, ToolErrorDetail, ToolErrorDetailBuilder, ToolErrorType,
    portable::normalized_object,
    wire::{self, Buffered, Object, Text, Whole, reads, set, take},
};

/// The names in `details` that are reserved for the envelope.
pub(crate) const RESERVED: [&str; 7] =
    ["tool_code", "retry_after_ms", "cause", "upstream_status", "endpoint", "attempt", "details"];

/// Returns the standard code that represents a tool's own codes of this type.
pub(crate) const fn standard_code(error_type: ToolErrorType) -> ErrorCode {
    match error_type {
        ToolErrorType::RateLimit => ErrorCode::RateLimited,
        ToolErrorType::Timeout => ErrorCode::Timeout,
        ToolErrorType::Upstream => ErrorCode::UpstreamError,
        ToolErrorType::Validation => ErrorCode::InvalidArgument,
        ToolErrorType::Retryable => ErrorCode::Unavailable,
        ToolErrorType::Fatal => ErrorCode::Internal,
    }
}

/// An error: a standard code, a message for people, and details.
///
/// It is a [`ToolErrorDetail`] in another form, and converts to one and back without loss. The
/// type is not written, as each standard code has exactly one ([`ErrorCode::error_type`]).
///
/// A tool's own code becomes `details.tool_code`, which is empty for an error without any code. Its
/// `code` is then the standard code of the same type:
///
/// | type | code |
/// | --- | --- |
/// | `RATE_LIMIT` | `RATE_LIMITED` |
/// | `TIMEOUT` | `TIMEOUT` |
/// | `UPSTREAM` | `UPSTREAM_ERROR` |
/// | `VALIDATION` | `INVALID_ARGUMENT` |
/// | `RETRYABLE` | `UNAVAILABLE` |
/// | `FATAL` | `INTERNAL` |
///
/// `details` also contains `retry_after_ms`, `cause`, `upstream_status`, `endpoint` and `attempt`
/// if they are known, and beside them the tool's own facts, such as `violations` or
/// `upstream_code`. If one of the facts has a reserved name, all facts are one level down, in
/// `details.details`.
///
/// ```
/// use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType, envelope::ResponseError};
///
/// let taken = ToolErrorDetail::builder(ToolErrorType::Retryable, "the seat is taken")
///     .code("SEAT_TAKEN")
///     .detail("seat", "12A")
///     .build();
/// let error = ResponseError::from(taken.clone());
/// assert_eq!((error.code(), error.tool_code()), (ErrorCode::Unavailable, Some("SEAT_TAKEN")));
/// assert_eq!(
///     serde_json::to_string(&error)?,
///     r#"{"code":"UNAVAILABLE","message":"the seat is taken","details":{"tool_code":"SEAT_TAKEN","seat":"12A"}}"#,
/// );
/// assert_eq!(ToolErrorDetail::from(error), taken);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseError(ToolErrorDetail);

impl ResponseError {
    /// Returns the standard code, or the one that represents the tool's own.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.error_code().unwrap_or_else(|| standard_code(self.0.error_type()))
    }

    /// Returns the tool's own code.
    #[must_use]
    pub fn tool_code(&self) -> Option<&str> {
        self.0.code().filter(|_| self.0.error_code().is_none())
    }

    /// Returns the error message for people.
    #[must_use]
    pub fn message(&self) -> &str {
        self.0.message()
    }

    /// Returns the same error in the core's form, with the type and all details.
    #[must_use]
    pub const fn as_detail(&self) -> &ToolErrorDetail {
        &self.0
    }

    fn wire(&self) -> Wire<'_> {
        let details = WireDetails {
            tool_code: self.0.error_code().is_none().then(|| self.0.code().unwrap_or_default()),
            retry_after_ms: self.0.retry_after_ms(),
            cause: self.0.cause(),
            upstream_status: self.0.upstream_status(),
            endpoint: self.0.endpoint(),
            attempt: self.0.attempt(),
            ..WireDetails::default()
        };
        let details = match self.0.details() {
            None if details == WireDetails::default() => None,
            None => Some(details),
            Some(facts) if fits_beside(facts, &details) => {
                Some(WireDetails { facts: Some(facts), ..details })
            }
            Some(facts) => Some(WireDetails { details: Some(facts), ..details }),
        };
        Wire { code: self.code(), message: self.message(), details }
    }
}

/// Returns whether the facts fit beside the known ones: no name is reserved, and an empty object
/// is distinguishable from an absent one.
fn fits_beside(facts: &Map<String, Value>, details: &WireDetails<'_>) -> bool {
    (!facts.is_empty() || *details == WireDetails::default())
        && !RESERVED.iter().any(|name| facts.contains_key(*name))
}

impl From<ToolErrorDetail> for ResponseError {
    fn from(detail: ToolErrorDetail) -> Self {
        Self(detail)
    }
}

impl From<ResponseError> for ToolErrorDetail {
    fn from(error: ResponseError) -> Self {
        error.0
    }
}

/// An error: a standard code, a message for people, and details.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "ResponseError",
    transform = crate::schemas::documented("response_error"),
    transform = crate::schemas::tool_codes_have_standard_codes
)]
struct Wire<'a> {
    /// The error code, one of the standard codes; each has exactly one type.
    code: ErrorCode,
    /// The error message for people.
    message: &'a str,
    /// Further details, including the tool's own facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<WireDetails<'a>>,
}

/// The details of an error; other names are the tool's own facts.
#[derive(Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ResponseErrorDetails", transform = crate::schemas::facts_in_one_place)]
struct WireDetails<'a> {
    /// The tool's own code, which `code` represents; empty if the error has no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OwnCode>")]
    tool_code: Option<&'a str>,
    /// The delay before the next attempt, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// The type name of the underlying error, never its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    /// The HTTP or gRPC status of an upstream service.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_status: Option<u16>,
    /// The upstream's endpoint or queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<&'a str>,
    /// The number of the failed attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    attempt: Option<u32>,
    /// The tool's own facts, if one of them has the name of a field of this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Map<String, Value>>,
    #[serde(flatten)]
    #[schemars(skip)]
    facts: Option<&'a Map<String, Value>>,
}

/// The schema of a code that is not a standard one.
struct OwnCode;

impl JsonSchema for OwnCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OwnCode".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "not": generator.subschema_for::<ErrorCode>()})
    }
}

impl Serialize for ResponseError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.wire().serialize(to)
    }
}

impl JsonSchema for ResponseError {
    fn schema_name() -> Cow<'static, str> {
        Wire::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Wire::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Wire::json_schema(generator)
    }
}

reads! {
    ResponseError, "an error";
    required code = "code", nested ErrorCode;
    required message = "message", leaf wire::Text;
    optional details = "details", nested ReadDetails;
    => {
        let details = details.unwrap_or_default();
        let builder = match details.tool_code {
            None => ToolErrorDetail::from_code(code, message),
            Some(own) if code == standard_code(code.error_type()) => {
                ToolErrorDetail::builder(code.error_type(), message).code(own)
            }
            Some(_) => return Err(A::Error::custom(format_args!(
                "`code`: expected `{}`, the standard code for a tool's own codes of this type",
                standard_code(code.error_type())
            ))),
        };
        let builder = set(builder, details.retry_after_ms, ToolErrorDetailBuilder::retry_after_ms);
        let builder = set(builder, details.cause, ToolErrorDetailBuilder::cause);
        let builder = set(builder, details.upstream_status, ToolErrorDetailBuilder::upstream_status);
        let builder = set(builder, details.endpoint, ToolErrorDetailBuilder::endpoint);
        let builder = set(builder, details.attempt, ToolErrorDetailBuilder::attempt);
        Ok(ResponseError(set(builder, details.facts, ToolErrorDetailBuilder::details).build()))
    }
}

/// The deserialized form of [`WireDetails`].
#[derive(Default)]
struct ReadDetails {
    tool_code: Option<String>,
    retry_after_ms: Option<u64>,
    cause: Option<String>,
    upstream_status: Option<u16>,
    endpoint: Option<String>,
    attempt: Option<u32>,
    facts: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for ReadDetails {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut fields = Buffered::deserialize(from)?.into_object()?;
        let is_empty = fields.is_empty();
        let details = Self {
            tool_code: take::<Text, _>(&mut fields, "tool_code")?,
            retry_after_ms: take::<Whole<u64>, _>(&mut fields, "retry_after_ms")?,
            cause: take::<Text, _>(&mut fields, "cause")?,
            upstream_status: take::<Whole<u16>, _>(&mut fields, "upstream_status")?,
            endpoint: take::<Text, _>(&mut fields, "endpoint")?,
            attempt: take::<Whole<u32>, _>(&mut fields, "attempt")?,
            facts: take::<Object, _>(&mut fields, "details")?,
        };
        if details.tool_code.as_deref().is_some_and(|code| ErrorCode::from_str(code).is_ok()) {
            return Err(D::Error::custom(
                "`tool_code`: expected a code of the tool's own; give a standard one as `code`",
            ));
        }
        match details.facts {
            Some(_) if fields.is_empty() => Ok(details),
            Some(_) => Err(D::Error::custom(
                "`details`: expected all of the tool's own facts in it, or all of them beside it",
            )),
            None => Ok(Self {
                facts: Some(normalized_object(fields))
                    .filter(|fields| is_empty || !fields.is_empty()),
                ..details
            }),
        }
    }
}
