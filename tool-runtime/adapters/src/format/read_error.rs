//! Errors of reading a response.

use std::fmt;

use thiserror::Error;
use tool_runtime_schema::schema::Malformed;

/// Describes why a response could not be read, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON, or nests too deep.
    #[error("the response cannot be read: {0}; pass its body, or the data of one event")]
    Malformed(Malformed),
    /// The JSON is not a response of the dialect.
    #[error(
        "expected {expected} at `{pointer}` of the response, found {found}; \
         check that the adapter's dialect matches the request"
    )]
    Unexpected {
        /// The location, as a JSON Pointer (RFC 6901) into the response or the event.
        pointer: String,
        /// The expected value.
        expected: &'static str,
        /// The type of the value found.
        found: &'static str,
    },
    /// The response reports a failure of the provider.
    #[error(transparent)]
    Provider(ProviderError),
    /// The response is longer than the limit.
    #[error(
        "the response is longer than {limit} bytes; \
         raise `AdapterBuilder::max_response_bytes` if responses may be longer"
    )]
    TooLong {
        /// The limit on one response in bytes, including all its events.
        limit: usize,
    },
    /// The bytes are not framed as the provider frames its streams.
    #[error(
        "expected {expected} at byte {position} of the stream; pass the body's bytes, decompressed \
         and in their order"
    )]
    Framing {
        /// The position in the stream, at or after the start of the event.
        position: u64,
        /// The expected part of a stream.
        expected: &'static str,
    },
    /// A value of a client library cannot be serialized as JSON.
    #[error(
        "a value of `{type_name}` cannot be serialized as JSON; pass the provider's text instead"
    )]
    NotSerializable {
        /// The value's type.
        type_name: &'static str,
    },
    /// The arguments are streamed in pieces by path.
    #[error(
        "the arguments at `{pointer}` are streamed in pieces; \
         leave `streamFunctionCallArguments` out of the request"
    )]
    InPieces {
        /// The location, as a JSON Pointer (RFC 6901) into the event.
        pointer: String,
    },
}

/// Describes a provider's failure by its enumerated type and code.
///
/// The provider's message is omitted, because it may repeat the request; read it in the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    kind: Option<String>,
    code: Option<String>,
}

impl ProviderError {
    /// Returns the error's type, such as `overloaded_error` or `RESOURCE_EXHAUSTED`.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns the error's code, such as `rate_limit_exceeded` or `429`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    pub(crate) fn new(kind: Option<String>, code: Option<String>) -> Self {
        Self { kind, code }
    }
}

impl std::error::Error for ProviderError {}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the provider returned an error")?;
        match (self.kind(), self.code()) {
            (Some(kind), Some(code)) => write!(f, " of type `{kind}` and code `{code}`")?,
            (Some(word), None) | (None, Some(word)) => write!(f, " `{word}`")?,
            (None, None) => {}
        }
        f.write_str("; see its message in the response")
    }
}

impl From<ProviderError> for ReadError {
    fn from(error: ProviderError) -> Self {
        Self::Provider(error)
    }
}
