//! Changes of a tool's contract.

use std::fmt;

use serde_json::Value;

use super::file::RemovedTools;
use super::version::Version;
use crate::export::{ACCEPT, ExportError, ExportErrorKind, LockMode};
use crate::{ComparedVersion, Compatibility, SchemaChange};

/// Selects a part of a tool's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ContractPart {
    /// The description: effect, codes, existence.
    Contract,
    /// The schema of its arguments.
    Input,
    /// The schema of its data.
    Output,
}

impl fmt::Display for ContractPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contract => "contract",
            Self::Input => "input",
            Self::Output => "output",
        })
    }
}

/// Describes one change of a tool's contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractChange {
    tool: String,
    part: ContractPart,
    pointer: String,
    located_in: ComparedVersion,
    rule: &'static str,
    compatibility: Compatibility,
    message: String,
    /// A value that shows why a change of a schema is breaking.
    counterexample: Option<Value>,
    /// The action that a breaking change requires; `None` if the tool's version allows it.
    action: Option<RequiredAction>,
}

/// The action that allows a breaking change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequiredAction {
    /// Raise the version to this one or a later one.
    RaiseVersion(String),
    /// Confirm that the tool is no longer called.
    ConfirmRemoval,
}

impl ContractChange {
    pub(super) fn new(
        tool: &str,
        pointer: impl Into<String>,
        rule: &'static str,
        compatibility: Compatibility,
        message: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            part: ContractPart::Contract,
            pointer: pointer.into(),
            located_in: ComparedVersion::After,
            rule,
            compatibility,
            message: message.into(),
            counterexample: None,
            action: None,
        }
    }

    pub(super) fn from_schema_change(tool: &str, part: ContractPart, change: SchemaChange) -> Self {
        let SchemaChange { pointer, located_in, rule, compatibility, message, counterexample } =
            change;
        let tool = tool.to_owned();
        Self {
            tool,
            part,
            pointer,
            located_in,
            rule,
            compatibility,
            message,
            counterexample,
            action: None,
        }
    }

    /// Locates the change in the old contract, if the new one does not have the changed part.
    pub(super) fn located_by(self, after: &Value) -> Self {
        let is_present = after.pointer(&self.pointer).is_some();
        if is_present { self } else { self.located_in_lock() }
    }

    pub(super) fn located_in_lock(self) -> Self {
        Self { located_in: ComparedVersion::Before, ..self }
    }

    /// Sets the required action, from the versions before and after.
    pub(super) fn with_required_action(mut self, before: &Version, after: &Version) -> Self {
        if self.is_breaking() && !after.breaks_with(before) {
            self.action = Some(RequiredAction::RaiseVersion(before.next_line()));
        }
        self
    }

    pub(super) fn needs_acceptance(mut self) -> Self {
        self.action = Some(RequiredAction::ConfirmRemoval);
        self
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the changed part of the contract.
    #[must_use]
    pub fn part(&self) -> ContractPart {
        self.part
    }

    /// Returns the location in that part, as a JSON Pointer (RFC 6901).
    ///
    /// The pointer always resolves in the version that [`located_in`](Self::located_in) selects. A
    /// contract is an entry of `tools` in `tools.json`.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the version that [`pointer`](Self::pointer) refers to: the old one, which is in the
    /// lock, if a part of it was removed, otherwise the new one.
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {
        self.located_in
    }

    /// Returns the rule that classified the change, such as `maximum-lowered`.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns the effect on users of the contract.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.compatibility
    }

    /// Describes the change.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns a value that shows why a change of a schema is breaking; see
    /// [`SchemaChange::counterexample`].
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {
        self.counterexample.as_ref()
    }

    fn is_breaking(&self) -> bool {
        self.compatibility == Compatibility::Breaking
    }

    fn is_admitted(&self, rule: &LockRule<'_>) -> bool {
        match &self.action {
            None => true,
            Some(RequiredAction::ConfirmRemoval) => {
                rule.mode == LockMode::Accept || rule.confirmed.contains_key(&self.tool)
            }
            Some(RequiredAction::RaiseVersion(_)) => false,
        }
    }
}

/// The most characters of a counterexample in a message.
const COUNTEREXAMPLE_LENGTH: usize = 160;

impl ContractChange {
    fn fmt_counterexample(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(counterexample) = self.counterexample.as_ref().map(Value::to_string) else {
            return Ok(());
        };
        let (length, shown) =
            (counterexample.chars().count(), counterexample.chars().take(COUNTEREXAMPLE_LENGTH));
        write!(f, "; for example, {}", shown.collect::<String>())?;
        if length > COUNTEREXAMPLE_LENGTH {
            write!(f, "… ({length} characters)")?;
        }
        f.write_str(match self.part {
            ContractPart::Contract | ContractPart::Input => " was accepted and is refused now",
            ContractPart::Output => " was not returned before and may be now",
        })
    }
}

/// Formats one line, such as
/// ``` `search` input /properties/limit/maximum: breaking (maximum-lowered): … ```; a location in
/// the old version is followed by `of the lock`.
impl fmt::Display for ContractChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, part, pointer, rule, message, .. } = self;
        let version = match self.located_in {
            ComparedVersion::Before if !pointer.is_empty() => " of the lock",
            ComparedVersion::Before | ComparedVersion::After => "",
        };
        let compatibility = match self.compatibility {
            Compatibility::None => "no effect",
            Compatibility::Compatible => "compatible",
            Compatibility::Breaking => "breaking",
        };
        let space = if pointer.is_empty() { "" } else { " " };
        write!(f, "`{tool}` {part}{space}{pointer}{version}: {compatibility} ({rule}): {message}")?;
        self.fmt_counterexample(f)
    }
}

/// The lock that changes are compared with, and the changes that it admits.
pub(super) struct LockRule<'l> {
    /// The name of the lock in messages.
    pub(super) name: String,
    pub(super) mode: LockMode,
    /// Tools whose removal was accepted.
    pub(super) confirmed: &'l RemovedTools,
}

/// The changes since the lock was written, sorted by tool name.
///
/// `Display` writes one line for each change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractChanges(pub(super) Vec<ContractChange>);

impl ContractChanges {
    /// Lists the changes.
    pub fn iter(&self) -> std::slice::Iter<'_, ContractChange> {
        self.0.iter()
    }

    /// Returns whether there are no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts the changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the compatibility of all changes together: that of the most severe one.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.iter().map(ContractChange::compatibility).max().unwrap_or(Compatibility::None)
    }

    /// Returns an error if a change is breaking and no new version declares it.
    pub(super) fn refuse_breaking(&self, rule: &LockRule<'_>) -> Result<(), ExportError> {
        let refused: Vec<_> = self.iter().filter(|change| !change.is_admitted(rule)).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let mut lines = vec![format!("the tools break the contracts in {}:", rule.name)];
        lines.extend(refused.iter().map(|change| format!("  - {change}")));
        lines.push("revert these changes, or declare them breaking:".to_owned());
        lines.extend(refused.iter().filter_map(|change| change.required_action()));
        // The changes of one tool have one action.
        lines.dedup();
        if rule.mode != LockMode::Accept {
            lines.push(format!("then run the build with `{ACCEPT}`, and commit the lock"));
        }
        let message = lines.join("\n");
        Err(ExportError::new(ExportErrorKind::Breaking, message))
    }
}

impl ContractChange {
    fn required_action(&self) -> Option<String> {
        let tool = &self.tool;
        Some(match self.action.as_ref()? {
            RequiredAction::RaiseVersion(next) => {
                format!("  - `{tool}`: set `version = \"{next}\"`")
            }
            RequiredAction::ConfirmRemoval => {
                format!("  - `{tool}`: make sure that it is no longer called")
            }
        })
    }
}

impl<'c> IntoIterator for &'c ContractChanges {
    type Item = &'c ContractChange;
    type IntoIter = std::slice::Iter<'c, ContractChange>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for ContractChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no contract has changed");
        }
        let mut lines = self.iter();
        lines.by_ref().take(1).try_for_each(|change| write!(f, "{change}"))?;
        lines.try_for_each(|change| write!(f, "\n{change}"))
    }
}
