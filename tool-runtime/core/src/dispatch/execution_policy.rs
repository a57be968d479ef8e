//! The trait through which a policy delays, repeats or answers a call that is authorized.
//!
//! The pipeline works without an implementation; the feature `policy` has the only one.

use std::fmt;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use super::call_approval::CallApproval;
use super::outcome::CallOutcome;
use crate::failure::Failure;
use crate::tool::{Attachment, CallScope, ToolOutput};

/// The claim that a call holds while it runs, if it needs one; or its answer, if it need not run.
pub(crate) type ClaimResult = Result<Option<Box<dyn Claim>>, Box<CallOutcome>>;

/// A call that is authorized, and approved if it had to be.
#[derive(Clone, Copy)]
pub(crate) struct ApprovedCall<'c> {
    pub(crate) scope: &'c CallScope,
    pub(crate) approval: &'c CallApproval,
    /// The time at which the call began to run.
    pub(crate) started: Instant,
    #[allow(dead_code, reason = "only the feature `policy` makes dry runs of calls")]
    pub(crate) dry_runner: &'c dyn DryRunner,
}

/// Makes dry runs of calls: the one way in which a stage reaches back to the runtime.
#[allow(dead_code, reason = "only the feature `policy` makes dry runs of calls")]
pub(crate) trait DryRunner: Send + Sync {
    /// Makes a dry run of the call, with the approver whom the call has.
    fn dry_run<'c>(
        &'c self,
        scope: &'c CallScope,
        approver: Option<&'c str>,
    ) -> BoxFuture<'c, ToolOutput>;
}

/// Gives calls what they need to run: permits, an idempotency key, retries.
pub(crate) trait ExecutionPolicy: fmt::Debug + Send + Sync {
    /// Acquires the permits, the rate and the idempotency key that the call needs, or answers it.
    fn claim<'c>(&'c self, call: ApprovedCall<'c>) -> BoxFuture<'c, ClaimResult>;

    /// Returns the retries of a call that has failed once; none if it must not be retried.
    fn retries(&self, scope: &CallScope) -> Option<Box<dyn Retries>>;

    /// Stores the attachments of an answer that are too large for its envelope.
    fn store_attachments<'c>(
        &'c self,
        scope: &'c CallScope,
        attachments: &'c mut [Attachment],
    ) -> BoxFuture<'c, ()>;
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
