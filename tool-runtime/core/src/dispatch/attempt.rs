//! One execution of a tool: polled under a panic guard, a deadline and a cancellation.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::timer::Sleep;
use crate::tool::{CallScope, Finished, PanicGuarded, ToolEnd, catch_panic};

/// The outcome of one attempt.
pub(crate) enum AttemptOutcome {
    /// The tool's future ended by itself, in time.
    Ended(ToolEnd),
    /// It panicked; the text is for the log.
    Panicked(String),
    /// The deadline passed first.
    TimedOut,
    /// The call was cancelled first.
    Cancelled,
    /// Another run has taken over the call's key meanwhile.
    LeaseLost,
}

/// One attempt of a call to run its tool; the time counts from `started`.
pub(crate) struct ToolAttempt<'c> {
    scope: &'c CallScope,
    tool: PanicGuarded,
    started: Instant,
    /// Created when the tool is first pending.
    deadline: Option<Sleep>,
    /// True until the first poll.
    is_new: bool,
    /// True if the call may have waited before this attempt, so that its time may be used up.
    waited: bool,
}

impl<'c> ToolAttempt<'c> {
    pub(crate) fn new(scope: &'c CallScope, tool: PanicGuarded, started: Instant) -> Self {
        scope.stage().open();
        Self { scope, tool, started, deadline: None, is_new: true, waited: false }
    }

    /// Starts an attempt of a call that has waited for something since it started.
    pub(crate) fn after_waiting(
        scope: &'c CallScope,
        tool: PanicGuarded,
        started: Instant,
    ) -> Self {
        Self { waited: true, ..Self::new(scope, tool, started) }
    }

    fn elapsed(&self) -> Duration {
        self.scope.environment().elapsed_since(self.started)
    }

    /// Polls the tool, then the cancellation and the deadline.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<AttemptOutcome> {
        let cancelled = self.scope.is_cancelled();
        if self.is_new {
            self.is_new = false;
            // A call that ended while it waited for its turn must not begin.
            if cancelled {
                return Poll::Ready(AttemptOutcome::Cancelled);
            }
            if self.waited && self.elapsed() >= self.scope.budget() {
                return Poll::Ready(AttemptOutcome::TimedOut);
            }
        }
        match self.poll_tool(cx) {
            // The result of a cancelled tool is dropped; it was polled to let it clean up.
            _ if cancelled => return Poll::Ready(AttemptOutcome::Cancelled),
            Ok(Poll::Ready(Finished(end))) => return Poll::Ready(AttemptOutcome::Ended(end)),
            Ok(Poll::Pending) => {}
            Err(text) => return Poll::Ready(AttemptOutcome::Panicked(text)),
        }
        if self.scope.cancel_flag().register_execution(cx.waker()) {
            return Poll::Ready(AttemptOutcome::Cancelled);
        }
        self.poll_deadline(cx).map(|outcome| {
            if matches!(outcome, AttemptOutcome::TimedOut) {
                self.scope.cancel_flag().fire();
                drop(self.poll_tool(cx));
            }
            outcome
        })
    }

    /// Polls the tool, unless its call's lease has expired: another process may have taken over the
    /// call while this process was stopped. The tool then waits until the lease is renewed.
    fn poll_tool(&mut self, cx: &mut Context<'_>) -> Result<Poll<Finished>, String> {
        if self.scope.may_be_polled() { self.tool.poll(cx) } else { Ok(Poll::Pending) }
    }

    /// Checks the clock first: a tool that is always ready can keep a timer from firing.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<AttemptOutcome> {
        let left = self.scope.budget().saturating_sub(self.elapsed());
        if left.is_zero() {
            return Poll::Ready(AttemptOutcome::TimedOut);
        }
        let timer = self.scope.environment().timer();
        let deadline = &mut self.deadline;
        // A timer may panic, as tokio's does outside of tokio: the call is answered anyway.
        let polled =
            catch_panic(|| deadline.get_or_insert_with(|| timer.sleep(left)).as_mut().poll(cx));
        match polled {
            Ok(polled) => polled.map(|()| AttemptOutcome::TimedOut),
            Err(text) => Poll::Ready(AttemptOutcome::Panicked(text)),
        }
    }
}

impl Future for ToolAttempt<'_> {
    type Output = (AttemptOutcome, Duration);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Poll::Ready(mut outcome) = this.step(cx) else { return Poll::Pending };
        let took = this.elapsed();
        // A tool that never yielded may return after its deadline: a late result is dropped.
        if matches!(outcome, AttemptOutcome::Ended(_)) && took > this.scope.budget() {
            outcome = AttemptOutcome::TimedOut;
        }
        this.tool.discard();
        Poll::Ready((outcome, took))
    }
}
