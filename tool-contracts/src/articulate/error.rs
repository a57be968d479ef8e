//! The error of serializing data, or of reading it back.

use std::fmt;

/// Describes why data could not be serialized, or a text could not be read back.
///
/// The message quotes no value of the data, so it may go into a log.
///
/// ```
/// use tool_contracts::articulate::SerializationError;
///
/// let error = SerializationError::new("expected 3 rows, found 2").at(4, 1);
/// assert_eq!((error.line(), error.column()), (Some(4), Some(1)));
/// assert_eq!(error.to_string(), "line 4, column 1: expected 3 rows, found 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerializationError {
    message: String,
    position: Option<(u64, u64)>,
}

impl SerializationError {
    /// Creates an error; the message says what was expected and what was found.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), position: None }
    }

    /// Sets the position in the text: line and column, each from 1.
    #[must_use]
    pub fn at(self, line: u64, column: u64) -> Self {
        Self { position: Some((line, column)), ..self }
    }

    /// Returns the message without the position.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the line in the text, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.position.map(|(line, _)| line)
    }

    /// Returns the column in the line, from 1.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.position.map(|(_, column)| column)
    }
}

impl fmt::Display for SerializationError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.position {
            write!(to, "line {line}, column {column}: ")?;
        }
        to.write_str(&self.message)
    }
}

impl std::error::Error for SerializationError {}
