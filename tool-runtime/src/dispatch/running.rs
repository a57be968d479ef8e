//! The stage that runs the tool: one attempt, or several where that helps and harms nobody.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::future::{Either, select};

use super::attempt::{Attempt, Outcome};
use super::call_policy::{Hold, Retries};
use super::pipeline::{Decoded, decode};
use crate::call::{CallScope, Cancellation, MetaDraft, PanicGuarded, ToolEnd, guard};

/// How the tool ended, and how long it took.
pub(super) struct ToolRun {
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
    /// Whether the tool had begun, so that it may have had its effect.
    pub(super) begun: bool,
    pub(super) meta: Option<Box<MetaDraft>>,
}

impl ToolRun {
    /// Tells whether the tool ran and failed by its own word, not by a panic or its deadline.
    pub(super) fn has_failed_by_itself(&self) -> bool {
        self.begun && matches!(self.outcome, Outcome::Ended(ToolEnd::Failed(_)))
    }
}

/// Runs the tool under its deadline, its cancellation and the panic guard, while the hold is kept.
pub(super) async fn run(
    scope: &CallScope,
    tool: PanicGuarded,
    hold: &mut Option<Box<dyn Hold>>,
    started: Instant,
) -> ToolRun {
    // What only few calls need is boxed, so that the others carry no room for it.
    let (mut outcome, mut time) = match hold {
        None => Attempt::new(scope, tool, started).await,
        Some(hold) => Box::pin(attempt_held(scope, tool, &mut **hold, started)).await,
    };
    if may_try_again(scope, &outcome) {
        (outcome, time) = Box::pin(try_again(scope, hold, started, (outcome, time))).await;
    }
    let (begun, meta) = scope.end();
    if matches!(outcome, Outcome::TimedOut | Outcome::Cancelled) {
        scope.cancel_flag().fire();
    }
    ToolRun { outcome, took: time, begun, meta }
}

/// Tries again what failed, as long as that may help.
async fn try_again(
    scope: &CallScope,
    hold: &mut Option<Box<dyn Hold>>,
    started: Instant,
    first: (Outcome, Duration),
) -> (Outcome, Duration) {
    let mut ended = first;
    let mut retries = None;
    while let Some(wait) = next_pause(scope, &ended.0, &mut retries, started) {
        scope.rewind(leaves_doubt(&ended.0));
        if let Some(outcome) = pause(scope, hold, wait).await {
            return (outcome, elapsed(scope, started));
        }
        // The arguments were read once already, so they can be read again.
        let Ok(Decoded(tool)) = decode(scope) else { break };
        ended = match hold {
            None => Attempt::after_waiting(scope, tool, started).await,
            Some(hold) => attempt_held(scope, tool, &mut **hold, started).await,
        };
    }
    ended
}

/// Tells whether a try that failed may have had its effect even so.
fn leaves_doubt(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ended(ToolEnd::Failed(fault)) if fault.failure.leaves_effect_unknown())
}

/// One attempt of a call that must keep its hold meanwhile.
async fn attempt_held(
    scope: &CallScope,
    tool: PanicGuarded,
    hold: &mut dyn Hold,
    started: Instant,
) -> (Outcome, Duration) {
    let attempt = Attempt::after_waiting(scope, tool, started);
    let Some(ended) = while_held(scope, attempt, hold.keep()).await else {
        // The tool is not polled again, not even to tidy up: another run has its key now.
        scope.cancel_flag().fire();
        return (Outcome::Superseded, elapsed(scope, started));
    };
    ended
}

/// Runs an attempt while its hold is kept; returns none if the hold was lost first.
///
/// Where the lease has run out, it is renewed before the tool is polled.
pub(crate) async fn while_held(
    scope: &CallScope,
    mut attempt: Attempt<'_>,
    mut keep: impl Future<Output = ()> + Unpin,
) -> Option<(Outcome, Duration)> {
    poll_fn(|cx| {
        if !scope.holds_lease() && Pin::new(&mut keep).poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let held = scope.holds_lease();
        if let Poll::Ready(ended) = Pin::new(&mut attempt).poll(cx) {
            return Poll::Ready(Some(ended));
        }
        let kept = Pin::new(&mut keep).poll(cx);
        // Renewed after the tool was passed over: it is polled at once, not at the next renewal.
        if !held && scope.holds_lease() {
            cx.waker().wake_by_ref();
        }
        kept.map(|()| None)
    })
    .await
}

/// Tells whether the tool failed by itself, and may be tried again at all.
fn may_try_again(scope: &CallScope, outcome: &Outcome) -> bool {
    // What failed before the tool began is the runtime's own answer, not a failure of the tool.
    matches!(outcome, Outcome::Ended(ToolEnd::Failed(_)))
        && scope.registered().policy_stages.retry
        && scope.stage().has_begun()
}

/// Says how long to wait before a failed tool is tried again; none if it is not.
fn next_pause(
    scope: &CallScope,
    outcome: &Outcome,
    retries: &mut Option<Box<dyn Retries>>,
    started: Instant,
) -> Option<Duration> {
    let Outcome::Ended(ToolEnd::Failed(fault)) = outcome else { return None };
    if !may_try_again(scope, outcome) {
        return None;
    }
    if retries.is_none() {
        *retries = scope.runtime().governor()?.retries(scope);
    }
    let time = retries.as_mut()?.next(&fault.failure)?;
    let left = scope.budget().saturating_sub(elapsed(scope, started));
    (time < left).then_some(time)
}

/// Waits between two attempts; returns how the call ended, if it did meanwhile.
async fn pause(
    scope: &CallScope,
    hold: &mut Option<Box<dyn Hold>>,
    time: Duration,
) -> Option<Outcome> {
    // A timer may panic where its executor does not run: then there is no further attempt.
    let sleep = match guard(|| scope.runtime().timer().sleep(time)) {
        Ok(sleep) => sleep,
        Err(text) => return Some(Outcome::Panicked(text)),
    };
    let cancellation = Cancellation::of(scope);
    let waited = select(sleep, Box::pin(cancellation.cancelled()));
    let waited = match hold {
        None => waited.await,
        Some(hold) => match select(waited, hold.keep()).await {
            Either::Left((waited, _)) => waited,
            Either::Right(_) => return Some(Outcome::Superseded),
        },
    };
    matches!(waited, Either::Right(_)).then_some(Outcome::Cancelled)
}

/// How long a call has been under way.
pub(crate) fn elapsed(scope: &CallScope, started: Instant) -> Duration {
    scope.runtime().timer().now().duration_since(started)
}
