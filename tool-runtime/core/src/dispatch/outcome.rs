//! The outcome of a call, which every stage after the approval may replace.

use std::fmt;

use tool_contracts::{CallStatus, Evidence};

use crate::tool::{EvidenceDraft, ToolOutput};

/// The outcome of a call, with its answer.
pub struct CallOutcome {
    pub(crate) status: CallStatus,
    pub output: ToolOutput,
    /// For the log only.
    pub log: String,
    pub effect: EffectOutcome,
    pub(crate) origin: AnswerOrigin,
    /// The sources and rules that the tool recorded.
    #[allow(dead_code, reason = "only the feature `evidence` keeps them")]
    pub evidence_draft: Option<Box<EvidenceDraft>>,
}

impl CallOutcome {
    /// Answers a call with the answer of an earlier one.
    #[allow(dead_code, reason = "only the feature `policy` keeps answers")]
    pub(crate) fn from_earlier(output: ToolOutput, origin: AnswerOrigin) -> Self {
        let (status, effect) = match output.error() {
            None => (CallStatus::Executed, EffectOutcome::Answered),
            Some(_) => (CallStatus::Failed, EffectOutcome::Final),
        };
        Self { status, output, log: String::new(), effect, origin, evidence_draft: None }
    }

    /// Adds a warning to the answer's `meta`.
    #[must_use]
    pub fn with_warning(self, warning: &str) -> Self {
        Self { output: self.output.with_warning(warning), ..self }
    }

    /// Names the evidence of the answer in its `meta`.
    #[must_use]
    pub fn with_evidence(self, evidence: &Evidence) -> Self {
        Self { output: self.output.with_evidence(evidence), ..self }
    }
}

impl fmt::Debug for CallOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOutcome").finish_non_exhaustive()
    }
}

/// The known outcome of a call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectOutcome {
    /// The tool answered.
    Answered,
    /// The tool failed, and a repeat would fail again.
    Final,
    /// The tool failed, had no effect, and may succeed another time.
    Transient,
    /// The tool did not run.
    NotRun,
    /// The tool may have had its effect.
    Unknown,
}

/// The origin of a call's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AnswerOrigin {
    /// From this very call: its tool ran, or it was refused.
    #[default]
    Call,
    /// From an earlier call with the same arguments, whose answer is still fresh.
    Cache,
    /// From an earlier call under the same idempotency key.
    Replay,
}

impl AnswerOrigin {
    /// Returns the value for this origin, one for each: a new origin is a new parameter.
    #[doc(hidden)]
    pub fn choose<T>(self, call: T, cache: T, replay: T) -> T {
        match self {
            Self::Call => call,
            Self::Cache => cache,
            Self::Replay => replay,
        }
    }
}
