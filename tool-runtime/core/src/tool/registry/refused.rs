//! Dynamic tools that were left out of a runtime because they cannot be used.

use std::fmt;

use super::SourceLocation;
use crate::tool::BuildError;

/// A dynamic tool that was left out, with every reason.
///
/// [`Tools::refused`](crate::Tools::refused) lists them.
#[derive(Debug, Clone)]
pub struct RefusedTool {
    name: String,
    location: SourceLocation,
    error: BuildError,
}

impl RefusedTool {
    pub(super) fn new(name: &str, location: &SourceLocation, error: BuildError) -> Self {
        Self { name: name.to_owned(), location: location.clone(), error }
    }

    /// Returns the tool's name, as it was registered.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place of the registration in the program.
    #[must_use]
    pub fn location(&self) -> &SourceLocation {
        &self.location
    }

    /// Returns every problem of the tool; that of a schema names its place in the schema.
    #[must_use]
    pub fn error(&self) -> &BuildError {
        &self.error
    }
}

impl fmt::Display for RefusedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, registered at {}, is left out:", self.name, self.location)?;
        self.error.problems().iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}
