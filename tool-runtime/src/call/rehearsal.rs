//! A dry run of a call that waits to be decided about.

use tool_contracts::{CallStatus, Permission};

use super::{CallScope, ToolCall, ToolOutput};
use crate::dispatch::{fitting, pipeline};

impl ToolCall {
    /// Makes a dry run of this call: what it would do, while nothing happens.
    ///
    /// The call itself stays as it is. A read is run, since it changes nothing; a call that is
    /// answered already gives its answer again.
    pub async fn rehearse(&self) -> ToolOutput {
        let (CallStatus::Pending, Some(scope)) = (self.status, self.scope()) else {
            return self.output.clone().unwrap_or_else(fitting::never_closed);
        };
        Self::rehearsed(scope).await
    }

    /// Makes a dry run of a call that may be under way.
    pub(crate) async fn rehearsed(scope: &CallScope) -> ToolOutput {
        let scope = scope.rehearsing();
        let mut rehearsal = match pipeline::decode(&scope) {
            Ok(decoded) => Self::pending(scope, decoded),
            Err(refusal) => Self::refused(scope, &refusal),
        };
        // Boxed, since a call that asks for permission is rehearsed while it is executed.
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
