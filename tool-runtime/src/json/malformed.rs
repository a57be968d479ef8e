//! Why a text is not JSON, or more of it than the limits allow.

use thiserror::Error;

/// Says where and why a text could not be read as JSON.
///
/// Positions are byte offsets into the text. No part of the text is ever quoted.
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
    /// Stands for a byte that cannot stand where it does.
    #[error("not JSON: expected {expected} at byte {position}")]
    Syntax {
        /// The offset of the offending byte.
        position: usize,
        /// What could have stood there.
        expected: &'static str,
    },
    /// Stands for a text that ends too early: all of it is right so far.
    #[error("the JSON text ends too early, at byte {position}")]
    Truncated {
        /// The length of the text.
        position: usize,
    },
    /// Stands for a text that is longer than the limit; nothing of it was read.
    #[error("the JSON text has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// The length of the text.
        bytes: usize,
        /// The limit that it passes.
        limit: usize,
    },
    /// Stands for arrays and objects that are nested deeper than the limit.
    #[error("the JSON text nests deeper than {limit} levels at byte {position}")]
    TooDeep {
        /// The offset of the bracket that goes too deep.
        position: usize,
        /// The limit that it passes.
        limit: usize,
    },
    /// Stands for a string or property name that is longer than the limit.
    #[error("the string at byte {position} is longer than {limit} bytes")]
    StringTooLong {
        /// The offset of the string's opening quote.
        position: usize,
        /// The limit that it passes.
        limit: usize,
    },
}

impl Malformed {
    /// Gives the byte offset at which reading stopped.
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
