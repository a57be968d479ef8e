//! Why a response could not be read.

use std::fmt;

use thiserror::Error;

use super::place::Place;
use crate::schema::Malformed;

/// Says why a response could not be read; nothing of its content.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Stands for a text that is no JSON, or that nests too deep.
    #[error("the response cannot be read: {0}; give its body, or the data of one event")]
    Malformed(Malformed),
    /// Stands for JSON that is no response of the dialect.
    #[error(
        "expected {expected} at `{pointer}` of the response, found {found}; \
         see that the adapter's dialect is the one that the provider was asked in"
    )]
    Unexpected {
        /// The place, as a JSON Pointer (RFC 6901) into the response or the event.
        pointer: String,
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// Stands for a response in which the provider says that it failed.
    #[error(transparent)]
    Provider(ProviderError),
    /// Stands for a response that is longer than the adapter reads.
    #[error(
        "the response is longer than {limit} bytes; \
         raise `AdapterBuilder::max_response_bytes` if that is right"
    )]
    TooLong {
        /// How many bytes one response may have, all its events together.
        limit: usize,
    },
    /// Stands for arguments that are streamed in pieces by their paths.
    #[error(
        "the arguments at `{pointer}` come in pieces; \
         leave `streamFunctionCallArguments` out of the request"
    )]
    InPieces {
        /// The place, as a JSON Pointer (RFC 6901) into the event.
        pointer: String,
    },
}

/// What a provider says of its failure, in its closed words.
///
/// Its sentence is left out, since it may repeat what was sent: read it where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    kind: Option<String>,
    code: Option<String>,
}

impl ProviderError {
    /// Returns the error's class, such as `overloaded_error` or `RESOURCE_EXHAUSTED`.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns the error's code, such as `rate_limit_exceeded` or `429`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Reads what stands under `error`: an object of words, or a sentence alone.
    pub(super) fn of(error: Place<'_>) -> Self {
        let kind = ["type", "status"].into_iter().find_map(|name| error.word_of(name));
        Self { kind, code: error.word_of("code") }
    }

    /// Names an error by its class alone.
    pub(super) fn named(kind: Option<String>) -> Self {
        Self { kind, code: None }
    }
}

impl std::error::Error for ProviderError {}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the provider answered with an error")?;
        match (self.kind(), self.code()) {
            (Some(kind), Some(code)) => write!(f, " of type `{kind}` and code `{code}`")?,
            (Some(word), None) | (None, Some(word)) => write!(f, " `{word}`")?,
            (None, None) => {}
        }
        f.write_str("; its text says more, and may repeat what was sent")
    }
}

impl From<ProviderError> for ReadError {
    fn from(error: ProviderError) -> Self {
        Self::Provider(error)
    }
}
