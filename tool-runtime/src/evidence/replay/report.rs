//! What came of running a trace again.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ledger::RecordedCall;

/// What came of running a trace's reads again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayReport {
    pub(super) trace_id: String,
    pub(super) calls: Vec<Replayed>,
    /// The last of these calls, where the trace has more that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<u64>,
}

/// One call of a trace, and what became of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Replayed {
    pub(super) seq: u64,
    pub(super) tool: String,
    pub(super) at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(rename = "replayed_by", skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<Uuid>,
    pub(super) verdict: Verdict,
}

/// Whether a call would answer the same today.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It answers the same, or fails with the same code.
    Same,
    /// It answers something else.
    Drifted {
        /// What would make the earlier answer today's: a JSON Patch (RFC 6902), in which secret and
        /// personal values stand redacted. None where the earlier answer was not kept, or one of
        /// the two is an error.
        #[serde(skip_serializing_if = "Option::is_none")]
        diff: Option<Value>,
        /// The code of the error with which it ended then.
        #[serde(skip_serializing_if = "Option::is_none")]
        earlier_error: Option<String>,
        /// The code of the error with which it ends today.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// There is no tool of this name any more.
    Gone,
    /// It was not run again.
    Skipped {
        /// Why.
        reason: SkipReason,
    },
}

/// Why a call was not run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// It has an effect, then or today.
    Write,
    /// It did not run at all: it was refused, declined or dropped.
    NotRun,
    /// Its arguments were not kept, something in what was kept is redacted, or the vault's
    /// authorizer withholds them.
    InputNotKept,
    /// Its arguments are sealed, and cannot be opened.
    InputSealed,
    /// What was kept of its arguments is not what they were: their hash is another.
    InputAltered,
    /// Its snapshot is not the one that the call left: it was changed, stripped of its checksum, or
    /// differs from the ledger's record.
    EvidenceAltered,
    /// The ledger names its snapshot, and the vault does not have it.
    EvidenceMissing,
    /// It may not run in this runtime, or not for this user.
    Refused,
    /// Its tool needs approval, and nobody has given it for this replay.
    NeedsApproval,
    /// The reader may not call its tool.
    NotAllowed,
    /// Nothing is known of its answer to compare with.
    OutputNotKept,
}

impl ReplayReport {
    /// Names the trace.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// Lists the trace's calls in their order, with what became of each.
    #[must_use]
    pub fn calls(&self) -> &[Replayed] {
        &self.calls
    }

    /// Tells behind which record a further replay [goes on](super::Replay::after), where this one has
    /// left out calls of the trace; none if it has not.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Tells whether every call that was run again answered the same, and none is gone.
    #[must_use]
    pub fn holds(&self) -> bool {
        let holds = |it: &Replayed| matches!(it.verdict, Verdict::Same | Verdict::Skipped { .. });
        self.calls.iter().all(holds)
    }
}

impl Replayed {
    pub(super) fn of(seq: u64, call: &RecordedCall, verdict: Verdict) -> Self {
        Self {
            seq,
            tool: call.tool.clone(),
            at: call.at.clone(),
            recorded_version: call.version.clone(),
            version: None,
            by: None,
            verdict,
        }
    }

    /// Gives the number of the call's record.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Names the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Tells when the call ended, as its record says it.
    #[must_use]
    pub fn at(&self) -> &str {
        &self.at
    }

    /// Gives the tool's version then.
    #[must_use]
    pub fn recorded_version(&self) -> Option<&str> {
        self.recorded_version.as_deref()
    }

    /// Gives the tool's version today, if there is the tool.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Tells whether the tool is another version today.
    #[must_use]
    pub fn version_changed(&self) -> bool {
        self.version.is_some() && self.version != self.recorded_version
    }

    /// Gives the invocation id of the call that repeated it, if one did.
    #[must_use]
    pub fn replayed_by(&self) -> Option<Uuid> {
        self.by
    }

    /// Tells whether the call would answer the same today.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }
}
