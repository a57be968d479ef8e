//! The status of a call.

use schemars::JsonSchema;

use crate::wire::words;

/// The status of a call: created, running, or one of six final states.
///
/// ```text
/// Pending → Executing → Executed | Failed | Interrupted
///         ↘ Rejected | Declined | NotExecuted          (the tool never ran)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("call_status"))]
#[non_exhaustive]
pub enum CallStatus {
    /// Checked and deserialized; waits for execution, and for approval if required.
    Pending,
    /// The tool runs.
    Executing,
    /// The tool ran and returned a result.
    Executed,
    /// The tool ran and failed.
    Failed,
    /// The tool was stopped while it ran; its effect is unknown.
    Interrupted,
    /// Never ran: unknown tool, bad arguments, or a denied tool.
    Rejected,
    /// Never ran: a person declined the call.
    Declined,
    /// Never ran: superseded by a newer message, or expired.
    NotExecuted,
}

words!(CallStatus {
    Pending = "pending",
    Executing = "executing",
    Executed = "executed",
    Failed = "failed",
    Interrupted = "interrupted",
    Rejected = "rejected",
    Declined = "declined",
    NotExecuted = "not_executed",
});

impl CallStatus {
    /// Returns whether the status is final and never changes again.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Executing)
    }

    /// Returns whether the tool was started, so that it may have had an effect.
    #[must_use]
    pub const fn has_run(self) -> bool {
        matches!(self, Self::Executing | Self::Executed | Self::Failed | Self::Interrupted)
    }
}
