//! The status of a call.

use schemars::JsonSchema;

use crate::wire::words;

/// Says how far a call has come: from created, over running, to one of six ends.
///
/// ```text
/// Pending → Executing → Executed | Failed | Interrupted
///         ↘ Rejected | Declined | NotExecuted          (the tool never ran)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("call_status"))]
#[non_exhaustive]
pub enum CallStatus {
    /// Checked and typed; waits to be executed, by a person's leave if need be.
    Pending,
    /// The tool runs.
    Executing,
    /// The tool ran and gave a result.
    Executed,
    /// The tool ran and failed.
    Failed,
    /// The tool was stopped while it ran; what it had done by then is not known.
    Interrupted,
    /// Never ran: unknown tool, bad arguments, or a denied tool.
    Rejected,
    /// Never ran: a person said no.
    Declined,
    /// Never ran: overtaken by a newer message, or expired.
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
    /// Returns whether the call has ended, so that its status never changes again.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Executing)
    }

    /// Returns whether the tool was entered, so that an effect may have happened.
    #[must_use]
    pub const fn has_run(self) -> bool {
        matches!(self, Self::Executing | Self::Executed | Self::Failed | Self::Interrupted)
    }
}
