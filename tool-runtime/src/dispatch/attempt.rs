//! One execution of a tool: polled under a panic guard, a deadline and a cancellation.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::call::{CallScope, End, Finished, Running, panic_text};
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
    running: Option<Running>,
    started: Option<Instant>,
    /// Armed only for a tool that was pending once.
    deadline: Option<Sleep>,
}

impl<'c> Attempt<'c> {
    pub(crate) fn new(scope: &'c CallScope, running: Running) -> Self {
        Self { scope, running: Some(running), started: None, deadline: None }
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
        let Some(running) = self.running.as_mut() else { return Poll::Ready(Outcome::Cancelled) };
        if let Poll::Ready(Finished(end)) = running.as_mut().poll(cx) {
            return Poll::Ready(Outcome::Ended(end));
        }
        if self.scope.cancel_flag().register(cx.waker()) {
            return Poll::Ready(Outcome::Cancelled);
        }
        self.poll_deadline(cx)
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let (now, started) = (self.now(), self.start());
        let deadline = self.deadline.get_or_insert_with(|| {
            let left = self.scope.budget().saturating_sub(now.duration_since(started));
            self.scope.runtime().timer().sleep(left)
        });
        deadline.as_mut().poll(cx).map(|()| Outcome::TimedOut)
    }

    /// Drops what is left of the tool, whose destructors may panic too.
    fn discard(&mut self) {
        let running = self.running.take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(running))));
    }
}

impl Future for Attempt<'_> {
    type Output = (Outcome, Duration);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let started = this.start();
        let mut outcome = match catch_unwind(AssertUnwindSafe(|| this.step(cx))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(outcome)) => outcome,
            Err(payload) => Outcome::Panicked(panic_text(&*payload)),
        };
        let took = this.now().duration_since(started);
        // A tool that never yielded is judged by the clock: what it says late is not heard.
        if matches!(outcome, Outcome::Ended(_)) && took > this.scope.budget() {
            outcome = Outcome::TimedOut;
        }
        this.discard();
        Poll::Ready((outcome, took))
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.discard();
    }
}
