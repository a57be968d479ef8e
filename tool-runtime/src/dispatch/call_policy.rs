//! The trait through which a policy delays, refuses or repeats calls.
//!
//! The pipeline works without an implementation; the feature `policy` has the only one.

use std::fmt;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tool_contracts::ToolContext;
use uuid::Uuid;

use super::pipeline::CallOutcome;
use super::refusal::Refusal;
use crate::call::{CallApproval, CallScope, TicketWithdrawal, ToolCall};
use crate::failure::Failure;

/// The claim that a call holds while it runs, if it needs one; or its answer, if it need not run.
pub(crate) type ClaimResult = Result<Option<Box<dyn Claim>>, Box<CallOutcome>>;

/// The policy's decision about a call that it does not refuse.
pub(crate) enum PolicyDecision {
    Allow,
    /// The call needs approval; the text is the access policy's reason, if it gave one.
    RequireApproval(Option<String>),
}

/// Decides about the calls of one runtime.
pub(crate) trait CallPolicy: fmt::Debug + Send + Sync {
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

    /// Acquires the slots, the rate and the idempotency key that the call needs, or answers it.
    fn claim<'c>(
        &'c self,
        scope: &'c CallScope,
        approval: &'c CallApproval,
        started: Instant,
    ) -> BoxFuture<'c, ClaimResult>;

    /// Returns the retries of a call that has failed once; none if it must not be retried.
    fn retries(&self, scope: &CallScope) -> Option<Box<dyn Retries>>;

    /// Ends the ticket of a call that was withdrawn.
    fn withdrawn(&self, ticket: Uuid, how: TicketWithdrawal) -> BoxFuture<'static, ()>;

    /// Counts a call that was refused before it ran, and may add to its answer.
    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal);
}

/// The lease of a claim: while it is valid, no other process runs the same call.
pub(crate) trait Lease: Send + Sync {
    /// Returns whether the lease has expired, so that another process may run the same call.
    fn is_over(&self) -> bool;
}

/// The claim that a call holds while it runs.
pub(crate) trait Claim: Send + Sync {
    /// Renews the claim; the future is ready only when the claim is lost.
    fn keep(&mut self) -> BoxFuture<'_, ()>;

    /// Releases the claim with the outcome of the call; may replace the answer.
    fn settle(self: Box<Self>, scope: &CallScope, ended: CallOutcome)
    -> BoxFuture<'_, CallOutcome>;
}

/// The schedule of one call's retries.
pub(crate) trait Retries: Send {
    /// Returns the delay before the next attempt; none if there is no further attempt.
    fn next(&mut self, failure: &Failure) -> Option<Duration>;
}

/// The policy stages that a tool needs, computed once by `build()`: a plain read needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PolicyStages {
    pub(crate) consult: bool,
    pub(crate) claim: bool,
    pub(crate) retry: bool,
}
