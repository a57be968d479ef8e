//! One execution of a tool: polled under a panic guard, a deadline and a cancellation.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::call::{CallScope, End, Finished, Guarded, guard};
use crate::timer::Sleep;

/// How an execution ended.
pub(crate) enum Outcome {
    /// The tool's future ended by itself, in time.
    Ended(End),
    /// It panicked; the text is for the log.
    Panicked(String),
    /// The deadline passed first.
    TimedOut,
    /// The call was cancelled first.
    Cancelled,
}

/// Runs a parked tool to one of its ends; the time counts from the first poll.
pub(crate) struct Attempt<'c> {
    scope: &'c CallScope,
    tool: Guarded,
    started: Option<Instant>,
    /// Armed only for a tool that was pending once.
    deadline: Option<Sleep>,
}

impl<'c> Attempt<'c> {
    pub(crate) fn new(scope: &'c CallScope, tool: Guarded) -> Self {
        Self { scope, tool, started: None, deadline: None }
    }

    fn now(&self) -> Instant {
        self.scope.runtime().timer().now()
    }

    fn start(&mut self) -> Instant {
        if let Some(started) = self.started {
            return started;
        }
        let now = self.now();
        self.scope.open_gate();
        self.started = Some(now);
        now
    }

    /// Polls the tool, then whatever may end it from outside.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        if self.scope.cancel_flag().is_fired() {
            return Poll::Ready(Outcome::Cancelled);
        }
        match self.tool.poll(cx) {
            Ok(Poll::Ready(Finished(end))) => return Poll::Ready(Outcome::Ended(end)),
            Ok(Poll::Pending) => {}
            Err(text) => return Poll::Ready(Outcome::Panicked(text)),
        }
        if self.scope.cancel_flag().register_execution(cx.waker()) {
            return Poll::Ready(Outcome::Cancelled);
        }
        self.poll_deadline(cx)
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let (now, started) = (self.now(), self.start());
        let left = self.scope.budget().saturating_sub(now.duration_since(started));
        let timer = self.scope.runtime().timer();
        let deadline = &mut self.deadline;
        // A timer may panic, as tokio's does where no tokio runs: the call is answered all the same.
        let polled = guard(|| deadline.get_or_insert_with(|| timer.sleep(left)).as_mut().poll(cx));
        match polled {
            Ok(polled) => polled.map(|()| Outcome::TimedOut),
            Err(text) => Poll::Ready(Outcome::Panicked(text)),
        }
    }
}

impl Future for Attempt<'_> {
    type Output = (Outcome, Duration);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let started = this.start();
        let Poll::Ready(mut outcome) = this.step(cx) else { return Poll::Pending };
        let took = this.now().duration_since(started);
        // A tool that never yielded is judged by the clock: what it says late is not heard.
        if matches!(outcome, Outcome::Ended(_)) && took > this.scope.budget() {
            outcome = Outcome::TimedOut;
        }
        this.tool.discard();
        Poll::Ready((outcome, took))
    }
}
