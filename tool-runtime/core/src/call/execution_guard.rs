//! The guard of a running call: closes the call if `execute` is dropped, and lets its answer wait for
//! its record.

use std::time::Instant;

use super::ToolCall;
use crate::dispatch::answer;
use crate::dispatch::hooks::RecordState;
use crate::dispatch::run::elapsed;
use crate::metrics::ActiveCall;
use crate::tool::CallScope;

/// Closes a running call as interrupted if `execute` is dropped.
pub(super) struct ExecutionGuard<'c> {
    pub(super) call: &'c mut ToolCall,
    pub(super) scope: &'c CallScope,
    pub(super) started: Instant,
    /// Counts the call as running, if calls are measured.
    pub(super) _active: Option<ActiveCall<'c>>,
}

impl ExecutionGuard<'_> {
    /// Waits until the record of the closed call is in the store; adds a warning if it is not.
    pub(super) async fn wait_until_recorded(self, number: u64) {
        let Some(recorder) = self.call.dispatcher().recorder() else { return };
        let left = self.scope.budget().saturating_sub(elapsed(self.scope, self.started));
        let warning = match recorder.wait_until_stored(self.scope, number, left).await {
            RecordState::Stored => return,
            RecordState::Unconfirmed => answer::UNCONFIRMED_RECORD,
            RecordState::LeftOut => answer::MISSING_RECORD,
        };
        if let Some(output) = self.call.output.take() {
            self.call.output = Some(answer::unrecorded(self.scope, output, warning));
        }
    }
}

impl Drop for ExecutionGuard<'_> {
    fn drop(&mut self) {
        if self.call.output.is_none() {
            self.call.close(answer::interrupted(self.scope, self.started));
        }
    }
}
