//! One change of a contract, and all of them.

use std::fmt;
use std::path::Path;

use super::version::Version;
use super::{ACCEPT, ExportError, ExportErrorKind, Mode};
use crate::schema::{Compatibility, SchemaChange};

/// Which part of a tool's contract has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Side {
    /// What it says of itself: its effect, its codes, whether it exists.
    Contract,
    /// The schema of its arguments.
    Input,
    /// The schema of its data.
    Output,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contract => "contract",
            Self::Input => "input",
            Self::Output => "output",
        })
    }
}

/// One change of a tool's contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    tool: String,
    side: Side,
    pointer: String,
    rule: &'static str,
    compatibility: Compatibility,
    message: String,
    /// What a breaking change needs; none if the tool's version admits it.
    cure: Option<Cure>,
}

/// What makes a breaking change one that may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cure {
    /// This version, or a later one.
    Version(String),
    /// To say that nobody calls the tool any more.
    Acceptance,
}

impl Change {
    pub(super) fn of_contract(
        tool: &str,
        pointer: impl Into<String>,
        rule: &'static str,
        compatibility: Compatibility,
        message: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            side: Side::Contract,
            pointer: pointer.into(),
            rule,
            compatibility,
            message: message.into(),
            cure: None,
        }
    }

    pub(super) fn of_schema(tool: &str, side: Side, change: SchemaChange) -> Self {
        let SchemaChange { pointer, rule, compatibility, message } = change;
        Self { tool: tool.to_owned(), side, pointer, rule, compatibility, message, cure: None }
    }

    /// Says what it needs if it breaks somebody, as the versions before and after have it.
    pub(super) fn under(mut self, before: &Version, after: &Version) -> Self {
        if self.is_breaking() && !after.breaks_with(before) {
            self.cure = Some(Cure::Version(before.next_line()));
        }
        self
    }

    pub(super) fn needs_acceptance(mut self) -> Self {
        self.cure = Some(Cure::Acceptance);
        self
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Says which part of the contract has changed.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Returns the place in that part, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Names the rule that classed it, such as `maximum-lowered` or `effect-strengthened`.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Says what it means to who relies on the contract.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.compatibility
    }

    /// Says what has changed, for a person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    fn is_breaking(&self) -> bool {
        self.compatibility == Compatibility::Breaking
    }

    fn is_admitted(&self, mode: Mode) -> bool {
        match &self.cure {
            None => true,
            Some(Cure::Acceptance) => mode == Mode::Accept,
            Some(Cure::Version(_)) => false,
        }
    }
}

/// Gives one line, such as
/// ``` `search` input /properties/limit/maximum: breaking (maximum-lowered): … ```.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, side, pointer, rule, message, .. } = self;
        let class = match self.compatibility {
            Compatibility::None => "no effect",
            Compatibility::Compatible => "compatible",
            Compatibility::Breaking => "breaking",
        };
        let space = if pointer.is_empty() { "" } else { " " };
        write!(f, "`{tool}` {side}{space}{pointer}: {class} ({rule}): {message}")
    }
}

/// What has changed since the lock was written, tool by tool in the order of their names.
///
/// `Display` gives a line a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes(pub(super) Vec<Change>);

impl Changes {
    /// Lists the changes.
    pub fn iter(&self) -> std::slice::Iter<'_, Change> {
        self.0.iter()
    }

    /// Tells whether nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts the changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Says what they mean together: the worst of them.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.iter().map(Change::compatibility).max().unwrap_or(Compatibility::None)
    }

    /// Refuses what breaks somebody and is not said by a version.
    pub(super) fn refuse_breaking(&self, lock: &Path, mode: Mode) -> Result<(), ExportError> {
        let refused: Vec<_> = self.iter().filter(|change| !change.is_admitted(mode)).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let mut lines = vec![format!("the tools break what {} promises:", lock.display())];
        lines.extend(refused.iter().map(|change| format!("  - {change}")));
        lines.push("take these changes back, or say that they break:".to_owned());
        lines.extend(refused.iter().filter_map(|change| change.cured()));
        // The changes of one tool have one cure.
        lines.dedup();
        if mode != Mode::Accept {
            lines.push(format!("then run the build with `{ACCEPT}`, and commit the lock"));
        }
        let message = lines.join("\n");
        Err(ExportError::new(ExportErrorKind::Breaking, message))
    }
}

impl Change {
    fn cured(&self) -> Option<String> {
        let tool = &self.tool;
        Some(match self.cure.as_ref()? {
            Cure::Version(next) => format!("  - `{tool}`: set `version = \"{next}\"`"),
            Cure::Acceptance => format!("  - `{tool}`: make sure that nobody calls it any more"),
        })
    }
}

impl<'c> IntoIterator for &'c Changes {
    type Item = &'c Change;
    type IntoIter = std::slice::Iter<'c, Change>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no contract has changed");
        }
        let mut lines = self.iter();
        lines.by_ref().take(1).try_for_each(|change| write!(f, "{change}"))?;
        lines.try_for_each(|change| write!(f, "\n{change}"))
    }
}
