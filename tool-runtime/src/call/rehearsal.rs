//! A dry run of a call that waits to be decided about.

use tool_contracts::{CallStatus, Permission};

use super::{CallScope, ToolCall, ToolOutput};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{fitting, pipeline};

impl ToolCall {
    /// Makes a dry run of this call: what it would do, while nothing happens.
    ///
    /// The call itself stays as it is; one that is answered already gives its answer again.
    ///
    /// A dry run of a read gives the read's data, so it is judged like the read: one that needs an
    /// approval which this call has not got is answered `NEEDS_USER_CONFIRMATION`, without a ticket.
    pub async fn rehearse(&self) -> ToolOutput {
        let (CallStatus::Pending, Some(scope)) = (self.status, self.scope()) else {
            return self.output.clone().unwrap_or_else(fitting::never_closed);
        };
        Self::rehearsed(scope, self.approver()).await
    }

    /// Makes a dry run of a call that may be under way, with the approval that the call has.
    pub(crate) async fn rehearsed(scope: &CallScope, approver: Option<&str>) -> ToolOutput {
        let scope = scope.rehearsing();
        let mut rehearsal = match pipeline::decode(&scope) {
            Ok(decoded) => Self::pending(scope, decoded),
            Err(refusal) => Self::refused(scope, &refusal),
        };
        if let Some(approver) = approver {
            let _ = rehearsal.approve(approver);
        }
        // Boxed, since a call that asks for permission is rehearsed while it is executed.
        if Box::pin(rehearsal.execute_unless_approval_needed()).await.is_some() {
            let _ = rehearsal.refuse(Refusal::needs_confirmation);
        }
        rehearsal.into_output().unwrap_or_else(fitting::never_closed)
    }

    /// Returns whether the call waits for an approval: its tool asks for permission, the call is no
    /// dry run of a write, and it is not approved yet.
    ///
    /// An access policy may decide otherwise when the call is executed.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        let asks = self.tool().is_some_and(|tool| tool.permission() == Permission::Ask);
        asks && self.status == CallStatus::Pending
            && self.approver().is_none()
            && !self.scope().is_some_and(CallScope::withholds_effect)
    }
}
