//! A dry run of a call that waits to be decided about.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, Permission};

use super::{CallServices, ToolCall};
use crate::dispatch::answer;
use crate::dispatch::decode::decode;
use crate::dispatch::execution_policy::DryRunner;
use crate::dispatch::refusal::Refusal;
use crate::tool::{CallScope, ToolOutput};

impl ToolCall {
    /// Makes a dry run of this call: what it would do, while nothing happens.
    ///
    /// The call itself stays as it is; one that is answered already gives its answer again.
    ///
    /// A dry run of a read gives the read's data, so it is judged like the read: one that needs an
    /// approval which this call has not got is answered `NEEDS_USER_CONFIRMATION`, without a ticket.
    pub async fn dry_run(&self) -> ToolOutput {
        let (CallStatus::Pending, Some(scope)) = (self.status, self.scope()) else {
            return self.output.clone().unwrap_or_else(answer::missing_output);
        };
        Self::dry_run_of(self.shared_services(), scope, self.approver()).await
    }

    /// Makes a dry run of a call that may be under way, with the approval that the call has.
    async fn dry_run_of(
        services: Arc<CallServices>,
        scope: &CallScope,
        approver: Option<&str>,
    ) -> ToolOutput {
        let scope = scope.for_approval_dry_run();
        let mut dry_run = match decode(&scope) {
            Ok(decoded) => Self::pending(services, scope, decoded),
            Err(refusal) => Self::refused(services, scope, &refusal),
        };
        if let Some(approver) = approver {
            let _ = dry_run.approve(approver);
        }
        // Boxed, since a call that needs an approval makes its dry run while it executes.
        if Box::pin(dry_run.execute_unless_approval_needed()).await.is_some() {
            let _ = dry_run.refuse(Refusal::needs_confirmation);
        }
        dry_run.into_output().unwrap_or_else(answer::missing_output)
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
            && !self.scope().is_some_and(|scope| scope.withholds_effect())
    }
}

/// Makes the dry runs that a policy asks for while a call runs.
pub(super) struct CallDryRunner<'h>(pub(super) &'h Arc<CallServices>);

impl DryRunner for CallDryRunner<'_> {
    fn dry_run<'c>(
        &'c self,
        scope: &'c CallScope,
        approver: Option<&'c str>,
    ) -> BoxFuture<'c, ToolOutput> {
        ToolCall::dry_run_of(self.0.clone(), scope, approver).boxed()
    }
}
