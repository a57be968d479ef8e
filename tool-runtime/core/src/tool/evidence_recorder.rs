//! Lets a tool record the sources and the rules of its answer.

use std::fmt;

use tool_contracts::EvidenceSource;

use super::CallScope;
use super::host_parameters::{FromCall, RecordingTarget};
use crate::failure::Failure;

/// Lets a tool record the sources and the rules of its answer for the evidence.
///
/// A tool marked `#[ai_tool(evidence)]` leaves a snapshot of each answer. The snapshot contains what
/// is recorded here, and `meta.evidence` lists the sources too. Records of other tools, of failed
/// attempts and of calls that have ended are dropped.
///
/// ```
/// use tool_runtime::EvidenceRecorder;
/// use tool_runtime::contracts::EvidenceSource;
/// use tool_runtime::prelude::*;
///
/// /// Tells whether an item may be sold in a country.
/// #[ai_tool(effect = "read", evidence)]
/// async fn check_item(
///     evidence: &EvidenceRecorder,
///     /// The country, two letters.
///     country: String,
/// ) -> bool {
///     evidence.rule("compliance.policy_ruleset_version", "2025-07-01");
///     country != "XX"
/// }
/// ```
#[derive(Clone)]
pub struct EvidenceRecorder {
    target: RecordingTarget,
}

/// The most sources, and the most rules, one answer names; further ones are dropped.
const MAX_ENTRIES: usize = 256;

impl EvidenceRecorder {
    /// Makes a recorder that keeps nothing, for a unit test of a tool's function.
    #[must_use]
    pub const fn detached() -> Self {
        Self { target: RecordingTarget::Nowhere }
    }

    /// Adds something that the answer is made from. At most 256 are kept.
    pub fn source(&self, source: EvidenceSource) {
        let text = |text: &str| self.target.recorded(text.to_owned());
        let (kind, name, hash) = (text(source.kind()), text(source.name()), text(source.hash()));
        // A source stays valid without its secrets.
        let source = EvidenceSource::new(kind, name, hash, source.timestamp()).unwrap_or(source);
        self.target.write(|draft| {
            let sources = &mut draft.evidence_draft.sources;
            if sources.len() < MAX_ENTRIES {
                sources.push(source);
            }
        });
    }

    /// Sets the version of a set of rules that the answer is made by. At most 256 are kept.
    pub fn rule(&self, name: impl Into<String>, version: impl Into<String>) {
        let text = |text: String| self.target.recorded(text);
        let (name, version) = (text(name.into()), text(version.into()));
        self.target.write(|draft| {
            let rules = &mut draft.evidence_draft.rules;
            if rules.len() < MAX_ENTRIES || rules.contains_key(&name) {
                rules.insert(name, version);
            }
        });
    }
}

impl fmt::Debug for EvidenceRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvidenceRecorder").finish_non_exhaustive()
    }
}

impl FromCall for EvidenceRecorder {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self { target: RecordingTarget::for_call(call) })
    }
}
