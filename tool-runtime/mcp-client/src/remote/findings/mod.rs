//! Finds suspicious text in the definitions of tools: invisible characters, and instructions to the
//! model that reads them.

mod clean;
mod hidden;
mod instructions;

use std::fmt;

pub(super) use self::clean::{CleanDefinition, clean_definition};
pub(super) use self::hidden::clean_text;

/// Something suspicious in the definition of a remote tool.
///
/// `Display` writes a line for people, in which no character is invisible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFinding {
    tool: String,
    pointer: String,
    kind: RemoteFindingKind,
    detail: String,
}

/// The kind of a [`RemoteFinding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteFindingKind {
    /// Characters that people do not see and models read: zero-width, bidirectional, tag and control
    /// characters. They are removed from what models read.
    InvisibleCharacters,
    /// A text that gives the model instructions beyond describing the tool, such as to ignore other
    /// instructions or to hide something from the user.
    Instructions,
    /// The server lists several tools of this name. The first one that can be read counts, and the
    /// others are left out.
    RepeatedName,
}

impl RemoteFinding {
    pub(super) fn new(
        tool: &str,
        pointer: impl Into<String>,
        kind: RemoteFindingKind,
        detail: impl Into<String>,
    ) -> Self {
        Self { tool: tool.to_owned(), pointer: pointer.into(), kind, detail: detail.into() }
    }

    /// Returns the tool's name, as its server lists it.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the place in the tool's definition as a JSON Pointer (RFC 6901), such as
    /// `/inputSchema/properties/city/description`.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> RemoteFindingKind {
        self.kind
    }

    /// Describes what was found, for people.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for RemoteFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = self.tool.escape_debug();
        write!(f, "`{tool}` {}: {} ({})", self.pointer.escape_debug(), self.detail, self.kind)
    }
}

impl fmt::Display for RemoteFindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvisibleCharacters => "invisible characters",
            Self::Instructions => "instructions to the model",
            Self::RepeatedName => "repeated name",
        })
    }
}
