//! The trait through which a policy decides whether a call may run, and who has to approve it.
//!
//! Without an implementation, a tool's permission decides; the feature `policy` has the only one.

use std::fmt;

use futures::future::BoxFuture;
use tool_contracts::ToolContext;
use uuid::Uuid;

use super::ToolCall;
use crate::dispatch::TicketWithdrawal;
use crate::dispatch::pipeline::PolicyDecision;
use crate::dispatch::refusal::Refusal;

/// Decides about the calls of one runtime before they run.
pub(crate) trait AuthorizationPolicy: fmt::Debug + Send + Sync {
    /// Decides whether the call may run, is refused, or needs approval; requests no approval.
    fn authorize<'c>(
        &'c self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<PolicyDecision, Box<Refusal>>>;

    /// Requests the approval of a call.
    fn request_approval<'c>(
        &'c self,
        call: &'c mut ToolCall,
        reason: Option<String>,
    ) -> BoxFuture<'c, Result<(), Box<Refusal>>>;

    /// Ends the ticket of a call that was withdrawn.
    fn withdrawn(
        &self,
        call: &ToolCall,
        ticket: Uuid,
        how: TicketWithdrawal,
    ) -> BoxFuture<'static, ()>;

    /// Counts a call that was refused before it ran, and may add to its answer.
    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal);
}
