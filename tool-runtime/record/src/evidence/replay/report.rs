//! The report of a replay.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ledger::{RecordPosition, RecordedCall};

/// Reports the verdict on each call of a trace that was replayed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayReport {
    pub(super) trace_id: String,
    pub(super) calls: Vec<ReplayedCall>,
    /// The record after which a further replay goes on, if the trace has more calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<RecordPosition>,
}

/// Reports one call of a trace and its verdict.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayedCall {
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<Uuid>,
    #[serde(skip)]
    position: RecordPosition,
    pub(super) tool: String,
    pub(super) at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(rename = "replayed_by", skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<Uuid>,
    pub(super) verdict: ReplayVerdict,
}

/// The result of running one call again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplayVerdict {
    /// The answer is the same: its value if the tool leaves evidence, else its JSON text. Or the
    /// failure has the same code.
    Same,
    /// The answer differs. Written as `drifted`.
    #[serde(rename = "drifted")]
    Changed {
        /// The JSON Patch (RFC 6902) from the earlier answer to today's, with secret and personal
        /// values redacted. `None` if the earlier answer was not kept, or one of the two is an
        /// error.
        #[serde(skip_serializing_if = "Option::is_none")]
        diff: Option<Value>,
        /// The code of the earlier error.
        #[serde(skip_serializing_if = "Option::is_none")]
        earlier_error: Option<String>,
        /// The code of today's error.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// No tool has the name now. Written as `gone`.
    #[serde(rename = "gone")]
    ToolRemoved,
    /// The call was not run again.
    Skipped {
        /// The reason.
        reason: SkipReason,
    },
}

/// The reason for which a call was not run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// The tool has an effect, today or when the call was made.
    Write,
    /// The call did not run: it was refused, declined or dropped.
    NotRun,
    /// The arguments were not kept, are kept redacted, or are withheld by the vault's authorizer.
    InputNotKept,
    /// The arguments are sealed and cannot be decrypted.
    InputSealed,
    /// The kept arguments do not have the recorded hash.
    InputAltered,
    /// The snapshot was changed, has lost its checksum, or differs from the ledger's record.
    EvidenceAltered,
    /// The ledger names the snapshot, and the vault does not have it.
    EvidenceMissing,
    /// The runtime did not admit the call (its access policy, a limit, …), or the replay's function
    /// for contexts changed the tenant.
    Refused,
    /// The tool needs approval, which this replay does not have.
    NeedsApproval,
    /// The reader may not call the tool.
    NotAllowed,
    /// The hash of the earlier answer was not kept.
    OutputNotKept,
}

impl ReplayReport {
    /// Returns the trace.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// Returns the trace's calls in their order, each with its verdict.
    #[must_use]
    pub fn calls(&self) -> &[ReplayedCall] {
        &self.calls
    }

    /// Returns the record after which a further replay [goes on](super::Replay::after); `None` if
    /// this one has covered the trace.
    #[must_use]
    pub fn next(&self) -> Option<RecordPosition> {
        self.next
    }

    /// Returns whether every call that was run again has the verdict `Same`, and no tool is gone.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let holds = |it: &ReplayedCall| {
            matches!(it.verdict, ReplayVerdict::Same | ReplayVerdict::Skipped { .. })
        };
        self.calls.iter().all(holds)
    }
}

impl ReplayedCall {
    pub(super) fn new(
        position: RecordPosition,
        call: &RecordedCall,
        verdict: ReplayVerdict,
    ) -> Self {
        Self {
            seq: position.seq(),
            chain: position.chain(),
            position,
            tool: call.tool.clone(),
            at: call.at.clone(),
            recorded_version: call.version.clone(),
            version: None,
            by: None,
            verdict,
        }
    }

    /// Returns the number of the call's record in its chain.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the position of the call's record.
    #[must_use]
    pub fn position(&self) -> RecordPosition {
        self.position
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the time at which the call ended, as its record has it.
    #[must_use]
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Returns the tool's version in the record.
    #[must_use]
    pub fn recorded_version(&self) -> Option<&str> {
        self.recorded_version.as_deref()
    }

    /// Returns the tool's version today, if the tool exists.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns whether the tool's version has changed.
    #[must_use]
    pub fn version_changed(&self) -> bool {
        self.version.is_some() && self.version != self.recorded_version
    }

    /// Returns the invocation id of the call that repeated it, if it was run.
    #[must_use]
    pub fn replayed_by(&self) -> Option<Uuid> {
        self.by
    }

    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> &ReplayVerdict {
        &self.verdict
    }
}
