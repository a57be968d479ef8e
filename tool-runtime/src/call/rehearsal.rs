//! A dry run of a call that waits to be decided about.

use tool_contracts::{CallStatus, Permission};

use super::{ToolCall, ToolOutput};
use crate::dispatch::fitting;

impl ToolCall {
    /// Makes a dry run of this call: what it would do, while nothing happens.
    ///
    /// The call itself stays as it is. A read is run, since it changes nothing; a call that is
    /// answered already gives its answer again.
    pub async fn rehearse(&self) -> ToolOutput {
        let (CallStatus::Pending, Some(scope)) = (self.status, self.scope()) else {
            return self.output.clone().unwrap_or_else(fitting::never_closed);
        };
        let cx = scope.cx().with_dry_run(true);
        let (name, id) = (scope.tool().name(), scope.call_id().map(Into::into));
        let mut rehearsal = scope.runtime().open(name, id, scope.arguments().into(), cx);
        // Boxed, since a call that asks for permission may be rehearsed while it is executed.
        Box::pin(rehearsal.execute()).await;
        rehearsal.into_output().unwrap_or_else(fitting::never_closed)
    }

    /// Tells whether the call waits for somebody's word: its tool asks for permission, it is no dry
    /// run, and nobody has approved it yet.
    ///
    /// An access policy may decide otherwise when the call is executed.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        let asks = self.tool().is_some_and(|tool| tool.permission() == Permission::Ask);
        asks && self.status == CallStatus::Pending
            && self.approver().is_none()
            && !self.cx().dry_run()
    }
}
