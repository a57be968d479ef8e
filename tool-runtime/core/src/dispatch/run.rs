//! The stage that runs the tool: one attempt, or several if the retry policy allows them.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::future::{Either, select};

use super::attempt::{AttemptOutcome, ToolAttempt};
use super::decode::{Decoded, decode};
use super::dispatcher::Dispatcher;
use super::execution_policy::{Claim, Retries};
use super::pipeline::Claimed;
use crate::tool::{
    Attachment, CallScope, Cancellation, MetaDraft, PanicGuarded, ToolEnd, catch_panic,
};

/// The end of a tool's attempts.
pub(super) struct ToolRun {
    pub(super) outcome: AttemptOutcome,
    pub(super) took: Duration,
    /// True if the tool had begun, so that it may have had its effect.
    pub(super) begun: bool,
    pub(super) meta: Option<Box<MetaDraft>>,
}

impl ToolRun {
    /// Returns whether the tool returned a failure itself, instead of panicking or timing out.
    pub(super) fn has_failed_by_itself(&self) -> bool {
        self.begun && matches!(self.outcome, AttemptOutcome::Ended(ToolEnd::Failed(_)))
    }

    /// Returns the attachments of the tool's answer; none if it did not answer.
    pub(super) fn attachments_of_answer(&mut self) -> Option<&mut [Attachment]> {
        let meta = self.meta.as_mut()?;
        let has_answered = matches!(self.outcome, AttemptOutcome::Ended(ToolEnd::Answered(_)));
        has_answered.then_some(&mut meta.attachments[..])
    }
}

/// Runs the tool under its deadline, its cancellation and the panic guard, and renews its claim.
pub(super) async fn run(
    dispatcher: &Dispatcher,
    scope: &CallScope,
    claimed: Claimed,
    started: Instant,
) -> (ToolRun, Option<Box<dyn Claim>>) {
    let Claimed { tool, mut claim } = claimed;
    // Boxed, so that calls without a claim reserve no space for it.
    let (mut outcome, mut time) = match &mut claim {
        None => ToolAttempt::new(scope, tool, started).await,
        Some(claim) => Box::pin(attempt_under_claim(scope, tool, &mut **claim, started)).await,
    };
    if may_try_again(scope, &outcome) {
        (outcome, time) =
            Box::pin(try_again(dispatcher, scope, &mut claim, started, (outcome, time))).await;
    }
    let (begun, meta) = scope.end();
    if matches!(outcome, AttemptOutcome::TimedOut | AttemptOutcome::Cancelled) {
        scope.cancel_flag().fire();
    }
    (ToolRun { outcome, took: time, begun, meta }, claim)
}

/// Retries a failed tool as long as its retry schedule allows.
async fn try_again(
    dispatcher: &Dispatcher,
    scope: &CallScope,
    claim: &mut Option<Box<dyn Claim>>,
    started: Instant,
    first: (AttemptOutcome, Duration),
) -> (AttemptOutcome, Duration) {
    let mut last_attempt = first;
    let mut retries = None;
    while let Some(wait) = next_pause(dispatcher, scope, &last_attempt.0, &mut retries, started) {
        scope.reset_for_retry(effect_is_unknown(&last_attempt.0));
        if let Some(outcome) = pause(scope, claim, wait).await {
            return (outcome, elapsed(scope, started));
        }
        // These arguments were decoded before, so that decoding succeeds again.
        let Ok(Decoded(tool)) = decode(scope) else { break };
        last_attempt = match claim {
            None => ToolAttempt::after_waiting(scope, tool, started).await,
            Some(claim) => attempt_under_claim(scope, tool, &mut **claim, started).await,
        };
    }
    last_attempt
}

/// Returns whether a failed attempt may have had its effect.
fn effect_is_unknown(outcome: &AttemptOutcome) -> bool {
    matches!(outcome, AttemptOutcome::Ended(ToolEnd::Failed(fault)) if fault.failure.leaves_effect_unknown())
}

/// Runs one attempt of a call while its claim is renewed.
async fn attempt_under_claim(
    scope: &CallScope,
    tool: PanicGuarded,
    claim: &mut dyn Claim,
    started: Instant,
) -> (AttemptOutcome, Duration) {
    let attempt = ToolAttempt::after_waiting(scope, tool, started);
    let Some(ended) = while_claimed(scope, attempt, claim.keep()).await else {
        // The tool is not polled again, not even to clean up: another run has its key now.
        scope.cancel_flag().fire();
        return (AttemptOutcome::LeaseLost, elapsed(scope, started));
    };
    ended
}

/// Runs an attempt while its claim is renewed; returns none if the claim is lost first.
///
/// An expired lease is renewed before the tool is polled.
pub(crate) async fn while_claimed(
    scope: &CallScope,
    mut attempt: ToolAttempt<'_>,
    mut keep: impl Future<Output = ()> + Unpin,
) -> Option<(AttemptOutcome, Duration)> {
    poll_fn(|cx| {
        if !scope.may_be_polled() && Pin::new(&mut keep).poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let is_pollable = scope.may_be_polled();
        if let Poll::Ready(ended) = Pin::new(&mut attempt).poll(cx) {
            return Poll::Ready(Some(ended));
        }
        let lease_poll = Pin::new(&mut keep).poll(cx);
        // The lease was renewed after the tool's turn to be polled: wake up to poll the tool now.
        if !is_pollable && scope.may_be_polled() {
            cx.waker().wake_by_ref();
        }
        lease_poll.map(|()| None)
    })
    .await
}

/// Returns whether the tool returned a failure and its policy has retries.
fn may_try_again(scope: &CallScope, outcome: &AttemptOutcome) -> bool {
    // A failure before the tool began is the runtime's, not the tool's.
    matches!(outcome, AttemptOutcome::Ended(ToolEnd::Failed(_)))
        && scope.has_retries()
        && scope.stage().has_begun()
}

/// Returns the delay before the next attempt; none if there is no further attempt.
fn next_pause(
    dispatcher: &Dispatcher,
    scope: &CallScope,
    outcome: &AttemptOutcome,
    retries: &mut Option<Box<dyn Retries>>,
    started: Instant,
) -> Option<Duration> {
    let AttemptOutcome::Ended(ToolEnd::Failed(fault)) = outcome else { return None };
    if !may_try_again(scope, outcome) {
        return None;
    }
    if retries.is_none() {
        *retries = dispatcher.policy()?.retries(scope);
    }
    let time = retries.as_mut()?.next(&fault.failure)?;
    let left = scope.budget().saturating_sub(elapsed(scope, started));
    (time < left).then_some(time)
}

/// Waits between two attempts; returns the outcome if the call ends meanwhile.
async fn pause(
    scope: &CallScope,
    claim: &mut Option<Box<dyn Claim>>,
    time: Duration,
) -> Option<AttemptOutcome> {
    // A timer may panic outside its executor: then there is no further attempt.
    let sleep = match catch_panic(|| scope.environment().timer().sleep(time)) {
        Ok(sleep) => sleep,
        Err(text) => return Some(AttemptOutcome::Panicked(text)),
    };
    let cancellation = Cancellation::for_scope(scope);
    let waited = select(sleep, Box::pin(cancellation.cancelled()));
    let waited = match claim {
        None => waited.await,
        Some(claim) => match select(waited, claim.keep()).await {
            Either::Left((waited, _)) => waited,
            Either::Right(_) => return Some(AttemptOutcome::LeaseLost),
        },
    };
    matches!(waited, Either::Right(_)).then_some(AttemptOutcome::Cancelled)
}

/// Returns the time since the call started to run.
pub(crate) fn elapsed(scope: &CallScope, started: Instant) -> Duration {
    scope.environment().elapsed_since(started)
}
