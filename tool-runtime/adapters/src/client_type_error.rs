//! The error of converting a value to a type of a client library.

use std::fmt;

use thiserror::Error;

/// Describes why a value cannot be converted to a type of a client library, without its content.
#[derive(Clone, PartialEq, Eq, Error)]
#[error("{value} cannot be read as `{type_name}`; see `ClientTypeError::reason`")]
pub struct ClientTypeError {
    pub(super) value: String,
    pub(super) type_name: &'static str,
    pub(super) reason: String,
}

impl ClientTypeError {
    /// Returns the type's message, which may repeat content of the conversation.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Omits the reason, which may contain content.
impl fmt::Debug for ClientTypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTypeError")
            .field("value", &self.value)
            .field("type_name", &self.type_name)
            .finish_non_exhaustive()
    }
}
