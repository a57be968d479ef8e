//! The kinds of recorded calls: whether a record says that a tool ran with its effect.

use std::fmt;

use tool_contracts::{CallStatus, ErrorCode};
use tool_runtime_core::words::word_enum;

use super::record::{RecordedCall, RecordedOrigin};

word_enum! {
    /// The kind of a recorded call. Of a write, only a [`Run`](Self::Run) may have had its effect.
    ///
    /// One payment may leave several records: the preview that its approver was shown, the call that
    /// ended with a ticket, and the run. A report of what was paid therefore filters by kind:
    ///
    /// ```
    /// use tool_runtime::ledger::{LedgerQuery, RecordedCallKind};
    ///
    /// let payments = LedgerQuery::new().tool("pay").kind(RecordedCallKind::Run);
    /// assert_eq!(RecordedCallKind::Run.to_string(), "run");
    /// # let _ = payments;
    /// ```
    #[non_exhaustive]
    pub enum RecordedCallKind {
        /// The tool ran. A failed run of a write may have had its effect: see the error's `effect`.
        Run = "run",
        /// A dry run that the caller asked for.
        DryRun = "dry_run",
        /// The dry run, or the preview function, whose answer an approver is shown.
        Preview = "preview",
        /// A replay, which compares the answer of a read with the recorded one.
        Replay = "replay",
        /// The answer of an earlier run was given again, from the cache or under its key.
        StoredAnswer = "stored_answer",
        /// The call waits for an approval, behind the ticket that it was answered with.
        Waiting = "waiting",
        /// The tool did not run: the call was refused, declined or withdrawn.
        NotRun = "not_run",
    }
}

impl fmt::Display for RecordedCallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl RecordedCall {
    /// Returns the kind of the call, which follows from the other fields.
    #[must_use]
    pub fn kind(&self) -> RecordedCallKind {
        if self.replay_of.is_some() {
            RecordedCallKind::Replay
        } else if self.approval_dry_run {
            RecordedCallKind::Preview
        } else if self.origin != RecordedOrigin::Call {
            RecordedCallKind::StoredAnswer
        } else if self.attempts > 0 {
            if self.dry_run { RecordedCallKind::DryRun } else { RecordedCallKind::Run }
        } else if self.waits() {
            RecordedCallKind::Waiting
        } else {
            RecordedCallKind::NotRun
        }
    }

    /// Returns whether the call was answered with a ticket.
    fn waits(&self) -> bool {
        let code = self.error.as_ref().and_then(|error| error.code.as_deref());
        self.final_status == CallStatus::NotExecuted
            && code == Some(ErrorCode::NeedsUserConfirmation.as_str())
            && self.approval.as_ref().is_some_and(|approval| approval.ticket.is_some())
    }
}

/// The SQL expression of a record's kind, over its JSON in the column `tool_calls`.
pub const KIND_SQL: &str = "CASE
    WHEN tool_calls ->> '$.replay_of' IS NOT NULL THEN 'replay'
    WHEN tool_calls ->> '$.rehearsal' THEN 'preview'
    WHEN coalesce(tool_calls ->> '$.origin', 'call') <> 'call' THEN 'stored_answer'
    WHEN tool_calls ->> '$.attempts' > 0
        THEN CASE WHEN tool_calls ->> '$.dry_run' THEN 'dry_run' ELSE 'run' END
    WHEN tool_calls ->> '$.ended' = 'not_executed'
        AND tool_calls ->> '$.error.code' = 'NEEDS_USER_CONFIRMATION'
        AND tool_calls ->> '$.approval.ticket' IS NOT NULL THEN 'waiting'
    ELSE 'not_run' END";
