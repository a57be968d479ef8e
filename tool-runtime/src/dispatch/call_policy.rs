//! The seam between the pipeline and what may delay, refuse or repeat a call.
//!
//! The core runs without anything behind it; the feature `policy` brings its one implementation.

use std::any::Any;
use std::fmt;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tool_contracts::ToolContext;
use uuid::Uuid;

use super::pipeline::CallOutcome;
use super::refusal::Refusal;
use crate::call::{CallApproval, CallScope, TicketWithdrawal, ToolCall};
use crate::failure::Failure;

/// What a call holds while it runs, if anything; or its answer, if it need not run.
pub(crate) type Held = Result<Option<Box<dyn Hold>>, Box<CallOutcome>>;

/// What the rules say about a call that they do not refuse.
pub(crate) enum PolicyDecision {
    Allow,
    /// A person has to say yes; this is why, if the host's own rule says so.
    RequireApproval(Option<String>),
}

/// Governs the calls of one runtime.
pub(crate) trait CallPolicy: fmt::Debug + Send + Sync {
    /// Decides whether the call may run, must not, or needs somebody's word; asks nobody.
    fn rule<'c>(
        &'c self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<PolicyDecision, Box<Refusal>>>;

    /// Asks whoever has to be asked.
    fn ask<'c>(
        &'c self,
        call: &'c mut ToolCall,
        reason: Option<String>,
    ) -> BoxFuture<'c, Result<(), Box<Refusal>>>;

    /// Takes what the call needs to run, or answers in its place.
    fn claim<'c>(
        &'c self,
        scope: &'c CallScope,
        approval: &'c CallApproval,
        started: Instant,
    ) -> BoxFuture<'c, Held>;

    /// Says how often a call that has failed once may be tried again; none if it may not be.
    fn retries(&self, scope: &CallScope) -> Option<Box<dyn Retries>>;

    /// Ends the ticket of a call that was withdrawn.
    fn withdrawn(&self, ticket: Uuid, how: TicketWithdrawal) -> BoxFuture<'static, ()>;

    /// Returns itself, for whoever knows what it is.
    fn as_any(&self) -> &dyn Any;

    /// Hears of a call that was refused before it could run, and may add to what it is told.
    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal);
}

/// The time for which what a call holds is certainly its own.
pub(crate) trait Lease: Send + Sync {
    /// Returns whether the lease has run out, so that another process may run the same call.
    fn is_over(&self) -> bool;
}

/// What a call holds while it runs.
pub(crate) trait Hold: Send + Sync {
    /// Keeps the hold; ready only when it is lost.
    fn keep(&mut self) -> BoxFuture<'_, ()>;

    /// Gives the hold back, with how the call ended; may answer otherwise.
    fn settle(self: Box<Self>, scope: &CallScope, ended: CallOutcome)
    -> BoxFuture<'_, CallOutcome>;
}

/// How often, and when, one call is tried again.
pub(crate) trait Retries: Send {
    /// Returns how long to wait before the next try; none if there is none.
    fn next(&mut self, failure: &Failure) -> Option<Duration>;
}

/// Which of the governor's stages concern a tool: decided once, so that a plain call meets none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PolicyStages {
    pub(crate) consult: bool,
    pub(crate) claim: bool,
    pub(crate) retry: bool,
}
