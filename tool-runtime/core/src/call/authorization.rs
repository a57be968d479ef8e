//! The stages before a call runs: its authorization, and the approval that it may need.

use futures::future::BoxFuture;
use tool_contracts::Permission;

use super::ToolCall;
use crate::dispatch::pipeline::{ApprovalProof, Authorization, NeededApproval, PolicyDecision};
use crate::dispatch::refusal::Refusal;
use crate::tool::CallScope;

impl ToolCall {
    /// Decides by permission and access policy whether the call may run; requests no approval.
    pub(super) async fn authorize(&self) -> Result<Authorization, Box<Refusal>> {
        let Some(scope) = self.scope() else {
            return Ok(Authorization::from_decision(PolicyDecision::Allow));
        };
        let stages = scope.registered().policy_stages;
        let concerned = stages.authorize || self.approval.ticket.is_some();
        let decision = match self.services().authorization().filter(|_| concerned) {
            Some(policy) => in_time(scope, policy.authorize(self)).await?,
            None => self.decide_by_permission(scope)?,
        };
        Ok(Authorization::from_decision(decision))
    }

    fn decide_by_permission(&self, scope: &CallScope) -> Result<PolicyDecision, Box<Refusal>> {
        match scope.tool().permission() {
            Permission::Allow => Ok(PolicyDecision::Allow),
            // A dry run of a write has no effect to approve; that of a read returns the read's data.
            Permission::Ask if self.approver().is_some() || scope.withholds_effect() => {
                Ok(PolicyDecision::Allow)
            }
            Permission::Ask => Ok(PolicyDecision::RequireApproval(None)),
            Permission::Deny => Err(Refusal::denied_tool()),
        }
    }

    /// Requests the approval; a call that does not get it is answered.
    pub(super) async fn request_approval(
        &mut self,
        needed: NeededApproval,
    ) -> Option<ApprovalProof> {
        let services = self.shared_services();
        let scope = self.scope().cloned();
        let requested = match services.authorization().zip(scope) {
            Some((policy, scope)) => {
                let requested = in_time(&scope, policy.request_approval(self, needed.0)).await;
                ApprovalProof::from_result(requested)
            }
            None => Err(Refusal::needs_confirmation()),
        };
        match requested {
            Ok(proof) => Some(proof),
            Err(refusal) => {
                let _ = self.refuse(|| refusal);
                None
            }
        }
    }
}

/// Waits for the host's policy or for a person, at most until a deadline that the call shares.
async fn in_time<T: Send>(
    scope: &CallScope,
    wait: BoxFuture<'_, Result<T, Box<Refusal>>>,
) -> Result<T, Box<Refusal>> {
    let Some(ends) = scope.shared_deadline() else { return wait.await };
    let environment = scope.environment();
    let left = ends.saturating_duration_since(environment.timer().now());
    let outcome = Box::pin(environment.within(left, wait)).await;
    outcome.unwrap_or_else(|| Err(Refusal::out_of_time()))
}
