//! Errors of reading JSON, including exceeded limits.

use thiserror::Error;

/// Describes where and why a text could not be read as JSON.
///
/// Positions are byte offsets into the text. The error never quotes the text.
///
/// # Examples
/// ```
/// use tool_runtime::Limits;
/// use tool_runtime::schema::{Coerce, Malformed, Validator};
///
/// let any = Validator::compile(&serde_json::json!(true))?;
/// let cut = any.check(r#"{"query": "te"#, &Limits::new(), Coerce::Off);
/// assert_eq!(cut.malformed, Some(Malformed::Truncated { position: 13 }));
/// # Ok::<(), tool_runtime::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Malformed {
    /// A byte is not valid at its position.
    #[error("not JSON: expected {expected} at byte {position}")]
    Syntax {
        /// The offset of the offending byte.
        position: usize,
        /// A description of the valid input at this position.
        expected: &'static str,
    },
    /// The text ends too early, and is valid so far.
    #[error("the JSON text ends too early, at byte {position}")]
    Truncated {
        /// The length of the text.
        position: usize,
    },
    /// The text is longer than the limit; it was not read.
    #[error("the JSON text has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// The length of the text.
        bytes: usize,
        /// The exceeded limit.
        limit: usize,
    },
    /// Arrays and objects are nested deeper than the limit.
    #[error("the JSON text nests deeper than {limit} levels at byte {position}")]
    TooDeep {
        /// The offset of the bracket that exceeds the limit.
        position: usize,
        /// The exceeded limit.
        limit: usize,
    },
    /// A string or property name is longer than the limit.
    #[error("the string at byte {position} is longer than {limit} bytes")]
    StringTooLong {
        /// The offset of the string's opening quote.
        position: usize,
        /// The exceeded limit.
        limit: usize,
    },
}

impl Malformed {
    /// Returns the limit, in bytes, that the length of the whole text exceeds; none for other errors.
    #[must_use]
    pub const fn exceeded_bytes(&self) -> Option<usize> {
        match self {
            Self::TooLarge { limit, .. } => Some(*limit),
            Self::Syntax { .. }
            | Self::Truncated { .. }
            | Self::TooDeep { .. }
            | Self::StringTooLong { .. } => None,
        }
    }
}

impl Malformed {
    /// Returns the byte offset at which reading stopped.
    #[must_use]
    pub const fn position(&self) -> usize {
        match *self {
            Self::Syntax { position, .. }
            | Self::Truncated { position }
            | Self::TooDeep { position, .. }
            | Self::StringTooLong { position, .. } => position,
            Self::TooLarge { limit, .. } => limit,
        }
    }
}
