//! The errors of reading the headers of a trace context.

/// The rule of the specification that a header or a part of one breaks.
///
/// The receiver of a request always continues: with a trace of its own if `traceparent` is
/// invalid, without a state if only `tracestate` is. No rejected value is quoted, so the text may
/// go into a log.
///
/// ```
/// use tool_contracts::trace_context::{TraceContext, TraceContextError};
///
/// let twice = ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; 2];
/// let refused = TraceContext::from_headers(twice, None::<&str>);
/// assert_eq!(refused, Err(TraceContextError::Repeated));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TraceContextError {
    /// There is no `traceparent` header.
    #[error("`traceparent`: expected one header, found none; start a trace")]
    Missing,
    /// There is more than one `traceparent` header.
    #[error("`traceparent`: expected one header, found more; start a trace")]
    Repeated,
    /// The header does not have the fields of its version.
    #[error("`traceparent`: expected four fields with dashes between, and in version 00 no more")]
    Form,
    /// The version is malformed, or is `ff`.
    #[error("`traceparent`: expected a version of two lower-case hex digits, other than `ff`")]
    Version,
    /// The trace id is malformed, or is all zeros.
    #[error("trace id: expected 32 lower-case hex digits (16 bytes), not all zero")]
    TraceId,
    /// The span id is malformed, or is all zeros.
    #[error("span id: expected 16 lower-case hex digits (8 bytes), not all zero")]
    SpanId,
    /// The flags are malformed.
    #[error("trace flags: expected two lower-case hex digits")]
    Flags,
    /// A member of the state has no key and value.
    #[error("`tracestate`: expected members of the form `key=value` with commas between")]
    Member,
    /// A member's key has invalid characters, or too many.
    #[error(
        "`tracestate`: expected a key of 1 to 256 characters: lower-case letters, digits and \
         `_-*/@`, the first a letter or a digit"
    )]
    Key,
    /// A member's value has invalid characters, or none, or too many.
    #[error(
        "`tracestate`: expected a value of 1 to 256 printable ASCII characters without comma and \
         equals sign, the last no blank"
    )]
    Value,
    /// The state has more than 32 members.
    #[error("`tracestate`: expected at most 32 members")]
    TooManyMembers,
}
