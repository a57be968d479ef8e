//! Cancellation: one flag a call, seen by its tool, its host and its deadline.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::CallScope;

/// Cancels a call, or lets its tool see that it was cancelled.
///
/// A tool takes `&Cancellation` as a parameter; a host gets one from
/// [`ToolCall::cancellation`](crate::ToolCall::cancellation). It also fires when the call's
/// deadline passes or its `execute()` is dropped, so that a blocking tool, which cannot be stopped
/// from outside, knows that nobody waits any more.
#[derive(Clone)]
pub struct Cancellation {
    scope: CallScope,
}

impl Cancellation {
    pub(crate) fn of(scope: &CallScope) -> Self {
        Self { scope: scope.clone() }
    }

    /// Cancels the call; what the tool answers later is dropped.
    pub fn cancel(&self) {
        self.scope.cancel_flag().fire();
    }

    /// Tells whether the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.scope.cancel_flag().is_fired()
    }

    /// Waits until the call is cancelled. Cancel-safe.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        Cancelled(self.scope.cancel_flag())
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// The flag, and who waits for it: as many tasks as poll it, which a call's own code bounds.
#[derive(Debug, Default)]
pub(crate) struct CancelFlag {
    fired: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl CancelFlag {
    pub(crate) fn is_fired(&self) -> bool {
        self.fired.load(Ordering::Acquire)
    }

    pub(crate) fn fire(&self) {
        if self.fired.swap(true, Ordering::AcqRel) {
            return;
        }
        let waiting = std::mem::take(&mut *self.lock());
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Registers a waker; true if the flag has fired, before or meanwhile.
    pub(crate) fn register(&self, waker: &Waker) -> bool {
        if self.is_fired() {
            return true;
        }
        let mut waiting = self.lock();
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
        drop(waiting);
        self.is_fired()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Cancelled<'f>(&'f CancelFlag);

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0.register(cx.waker()) { Poll::Ready(()) } else { Poll::Pending }
    }
}
