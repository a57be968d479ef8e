//! What a dialect cannot say of a tool, so that its declaration admits more than the tool does.

use std::fmt;

/// Everything that was lost between the tools' schemas and their declarations.
///
/// Nothing of it is lost to the tools: the runtime checks every call by the whole schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    losses: Vec<Loss>,
}

/// One thing that a declaration does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub(super) tool: String,
    pub(super) pointer: String,
    pub(super) keyword: String,
    pub(super) what: String,
}

impl Report {
    /// Lists the losses by tool, in the order of its schema.
    pub fn losses(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter()
    }

    /// True if the declarations say all that the schemas say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.losses.is_empty()
    }

    pub(super) fn add(&mut self, loss: Loss) {
        self.losses.push(loss);
    }
}

impl Loss {
    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the place in the tool's input schema, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the schema keyword that the dialect does not know.
    #[must_use]
    pub fn keyword(&self) -> &str {
        &self.keyword
    }

    /// Says what became of it: `left out`, `said in the description` and the like.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at `{}`: {}", self.tool, self.keyword, self.pointer, self.what)
    }
}
