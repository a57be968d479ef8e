//! Reports the parts of a tool's schema that a declaration does not express.

use std::fmt;

use super::LimitWarning;

/// Lists everything that the declarations do not express.
///
/// Calls are not affected: the runtime checks every call against the complete schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclarationReport {
    losses: Vec<DeclarationLoss>,
    warnings: Vec<LimitWarning>,
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

    /// Lists the published limits of the provider that the declarations pass.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect};
    /// use tool_runtime::contracts::{Effect, ToolSpec};
    ///
    /// let description = "long ".repeat(300);
    /// let spec = ToolSpec::builder("add", Effect::Read).description(description).build()?;
    /// let adapter = Adapter::new(Dialect::OpenAiChat, [&spec]);
    /// let warnings: Vec<_> = adapter.report().warnings().map(ToString::to_string).collect();
    /// let expected =
    ///     "add: 1500 characters of the description, of which the provider accepts 1024";
    /// assert_eq!(warnings, [expected]);
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    pub fn warnings(&self) -> impl Iterator<Item = &LimitWarning> {
        self.warnings.iter()
    }

    /// Returns whether the declarations express the complete schemas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.losses.is_empty()
    }

    /// Replaces the losses of one tool.
    pub(super) fn replace(&mut self, tool: &str, losses: Vec<DeclarationLoss>) {
        self.losses.retain(|loss| loss.tool != tool);
        self.losses.extend(losses);
    }

    pub(super) fn set_warnings(&mut self, warnings: Vec<LimitWarning>) {
        self.warnings = warnings;
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
