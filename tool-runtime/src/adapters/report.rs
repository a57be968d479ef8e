//! Reports the parts of a tool's schema that a declaration does not express.

use std::fmt;

/// Lists everything that the declarations do not express.
///
/// Calls are not affected: the runtime checks every call against the complete schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclarationReport {
    losses: Vec<DeclarationLoss>,
}

/// Describes one part of a schema that a declaration does not express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationLoss {
    pub(super) tool: String,
    pub(super) pointer: String,
    pub(super) keyword: String,
    pub(super) consequence: String,
}

impl DeclarationReport {
    /// Lists the losses by tool, in the order of its schema.
    pub fn losses(&self) -> impl Iterator<Item = &DeclarationLoss> {
        self.losses.iter()
    }

    /// Returns whether the declarations express the complete schemas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.losses.is_empty()
    }

    pub(super) fn add(&mut self, loss: DeclarationLoss) {
        self.losses.push(loss);
    }
}

impl DeclarationLoss {
    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the location in the tool's input schema, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the schema keyword that the dialect does not support.
    #[must_use]
    pub fn keyword(&self) -> &str {
        &self.keyword
    }

    /// Describes the consequence: `omitted`, `moved to the description` and similar.
    #[must_use]
    pub fn consequence(&self) -> &str {
        &self.consequence
    }
}

impl fmt::Display for DeclarationLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at `{}`: {}", self.tool, self.keyword, self.pointer, self.consequence)
    }
}
