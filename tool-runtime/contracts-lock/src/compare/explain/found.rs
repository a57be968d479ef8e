//! Changes while they are collected, before their effect on the reader is known.

use serde_json::Value;

use super::super::subschema::Subschema;
use super::super::{ComparedVersion, Compatibility, SchemaChange};
use super::AcceptanceChange;

/// A change of a document.
pub(super) struct FoundChange<'s> {
    pub(super) at: Subschema<'s>,
    pub(super) rule: &'static str,
    pub(super) severity: Severity,
    pub(super) message: String,
}

/// The effect of a change on the reader, if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Decided(Compatibility),
    /// Neither a rule nor a proof decides, and so the change is breaking.
    Undecided,
}

/// A change of a schema's own keywords, before the overall change of the schema is known.
pub(super) struct PendingChange<'s> {
    pub(super) at: Subschema<'s>,
    pub(super) rule: &'static str,
    pub(super) effect: AcceptanceChange,
    pub(super) message: String,
    /// The effect is decided by a proof, not by the rule.
    pub(super) needs_proof: bool,
}

impl FoundChange<'_> {
    /// Describes the change at this location for the reader; the only place that names the rule
    /// `undecided`.
    pub(super) fn described(self, pointer: String, new_root: &Value) -> SchemaChange {
        let is_new = std::ptr::eq(self.at.root, new_root);
        let located_in = if is_new { ComparedVersion::After } else { ComparedVersion::Before };
        let (rule, compatibility) = match self.severity {
            Severity::Decided(compatibility) => (self.rule, compatibility),
            Severity::Undecided => ("undecided", Compatibility::Breaking),
        };
        let message = self.message;
        SchemaChange { pointer, located_in, rule, compatibility, message, counterexample: None }
    }
}

impl Severity {
    pub(super) fn at_most(self, limit: Compatibility) -> Self {
        Self::Decided(match self {
            Self::Decided(compatibility) => compatibility.min(limit),
            Self::Undecided => limit,
        })
    }

    pub(super) fn is_breaking(self) -> bool {
        matches!(self, Self::Undecided | Self::Decided(Compatibility::Breaking))
    }
}
