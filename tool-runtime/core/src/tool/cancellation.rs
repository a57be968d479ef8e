//! Cancellation: one flag a call, seen by its tool, its host and its deadline.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::CallScope;

/// Cancels a call, or lets its tool see that it was cancelled.
///
/// A tool takes `&Cancellation` as a parameter; a host gets one from
/// [`ToolCall::cancellation`](crate::ToolCall::cancellation). It also fires when the call's
/// deadline passes or its `execute()` is dropped.
///
/// An async tool is polled once more after the flag has fired, so that a `select!` over
/// [`cancelled`](Self::cancelled) can tidy up without awaiting; then it is dropped. A blocking tool
/// cannot be stopped from outside: it has to look at [`is_cancelled`](Self::is_cancelled).
#[derive(Clone, Default)]
pub struct Cancellation {
    flag: Arc<CancelFlag>,
}

impl Cancellation {
    /// Makes one that belongs to no call, for a unit test of a tool's function.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn for_scope(scope: &CallScope) -> Self {
        Self { flag: scope.cancel_flag().clone() }
    }

    /// Cancels the call; what the tool answers later is dropped.
    pub fn cancel(&self) {
        self.flag.fire();
    }

    /// Returns whether the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_fired()
    }

    /// Waits until the call is cancelled. Cancel-safe.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        Cancelled { flag: &self.flag, id: None }
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// The flag, and one waker for each future that waits for it, removed when that future is dropped.
#[derive(Debug, Default)]
pub(crate) struct CancelFlag {
    fired: AtomicBool,
    waiting: Mutex<Waiters>,
}

#[derive(Debug, Default)]
struct Waiters {
    wakers: Vec<(WaiterId, Waker)>,
    next: u64,
}

/// Identifies a waiting future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaiterId {
    /// The call's own execution.
    Execution,
    /// A future that the tool or its host awaits.
    Future(u64),
}

impl CancelFlag {
    pub(crate) fn is_fired(&self) -> bool {
        self.fired.load(Ordering::Acquire)
    }

    pub(crate) fn fire(&self) {
        if self.fired.swap(true, Ordering::AcqRel) {
            return;
        }
        let wakers = mem::take(&mut self.lock().wakers);
        for (_, waker) in wakers {
            waker.wake();
        }
    }

    /// Registers the waker of the call's own execution; true if the flag has fired.
    pub(crate) fn register_execution(&self, waker: &Waker) -> bool {
        self.register(WaiterId::Execution, waker)
    }

    fn register(&self, id: WaiterId, waker: &Waker) -> bool {
        let waker = waker.clone();
        let mut waiting = self.lock();
        let waker_entry = waiting.wakers.iter_mut().find(|(known, _)| *known == id);
        let replaced = if let Some((_, waker_entry)) = waker_entry {
            Some(mem::replace(waker_entry, waker))
        } else {
            waiting.wakers.push((id, waker));
            None
        };
        drop(waiting);
        drop(replaced);
        // `fire` sets the flag before it takes the wakers: either it takes this one, or it shows.
        self.is_fired()
    }

    fn new_id(&self) -> WaiterId {
        let mut waiting = self.lock();
        waiting.next += 1;
        WaiterId::Future(waiting.next)
    }

    fn leave(&self, id: WaiterId) {
        let mut waiting = self.lock();
        let index = waiting.wakers.iter().position(|(known, _)| *known == id);
        let left = index.map(|index| waiting.wakers.swap_remove(index));
        // Dropping a waker runs foreign code: release the lock first.
        drop(waiting);
        drop(left);
    }

    fn lock(&self) -> MutexGuard<'_, Waiters> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Cancelled<'f> {
    flag: &'f CancelFlag,
    id: Option<WaiterId>,
}

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let flag = self.flag;
        if flag.is_fired() {
            return Poll::Ready(());
        }
        let id = *self.id.get_or_insert_with(|| flag.new_id());
        if flag.register(id, cx.waker()) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.flag.leave(id);
        }
    }
}
