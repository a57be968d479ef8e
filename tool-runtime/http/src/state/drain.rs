//! The drain: refuses new calls and waits for running ones when a server shuts down.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{Notify, watch};
use tool_runtime_record::ledger::Ledger;

use crate::state::server_counters::ServerCounters;

/// The shutdown of a server, shared by the router and the host.
///
/// After [`begin`](Self::begin), `/readyz` fails and new calls are refused. After
/// [`finish`](Self::finish), calls that still run are cancelled and answered 503.
/// [`Server`](crate::Server) calls both when it shuts down; a host that serves the router otherwise
/// calls them itself. A handle: cloning it is cheap.
///
/// ```
/// use tool_runtime::http::Drain;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let drain = Drain::default();
/// let guard = drain.track(); // a call, or anything else that the shutdown has to wait for
/// drain.begin();
/// assert!(drain.has_begun() && drain.count() == 1);
/// drop(guard);
/// drain.idle().await;
/// # }
/// ```
#[derive(Clone)]
pub struct Drain(Arc<DrainState>);

struct DrainState {
    stage: watch::Sender<DrainStage>,
    running: AtomicUsize,
    /// Tasks of the server itself that the shutdown waits for.
    background: AtomicUsize,
    /// Notified when the last guard is dropped.
    idle: Notify,
    counters: ServerCounters,
    ledger: OnceLock<Ledger>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DrainStage {
    Open,
    Draining,
    Finished,
}

/// A guard that the shutdown of the server waits for until it is dropped.
#[derive(Debug)]
#[must_use = "the shutdown waits only while this is held"]
pub struct DrainGuard(Drain);

/// A guard of a task of the server itself, which ends when the drain begins.
#[derive(Debug)]
#[must_use = "the shutdown waits only while this is held"]
pub(crate) struct BackgroundGuard(Drain);

impl Drain {
    /// Begins the drain: new calls are refused.
    pub fn begin(&self) {
        self.advance(DrainStage::Draining);
    }

    /// Cancels the calls that still run.
    pub fn finish(&self) {
        self.advance(DrainStage::Finished);
    }

    /// Returns whether the drain has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        *self.0.stage.borrow() >= DrainStage::Draining
    }

    /// Waits until the drain begins. Cancel-safe.
    pub(crate) async fn begun(&self) {
        self.reached(DrainStage::Draining).await;
    }

    /// Waits for [`finish`](Self::finish), after which running calls have to stop. Cancel-safe.
    pub async fn finished(&self) {
        self.reached(DrainStage::Finished).await;
    }

    /// Makes the shutdown wait until the returned guard is dropped.
    ///
    /// For a write that continues after its client has disconnected, this is the only thing that
    /// makes the shutdown wait.
    pub fn track(&self) -> DrainGuard {
        self.0.running.fetch_add(1, Ordering::AcqRel);
        DrainGuard(self.clone())
    }

    /// Makes the shutdown wait for a task that ends by itself when the drain begins.
    pub(crate) fn background(&self) -> BackgroundGuard {
        self.0.background.fetch_add(1, Ordering::AcqRel);
        BackgroundGuard(self.clone())
    }

    /// Returns the number of guards of [`track`](Self::track) that are held.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.running.load(Ordering::Acquire)
    }

    /// Waits until all guards are dropped. Cancel-safe.
    pub async fn idle(&self) {
        loop {
            let mut notified = pin!(self.0.idle.notified());
            // Enabled before the count is read, so that no notification is missed.
            notified.as_mut().enable();
            if self.count() + self.0.background.load(Ordering::Acquire) == 0 {
                return;
            }
            notified.await;
        }
    }

    /// Sets the ledger that is flushed at the end of the shutdown.
    pub(crate) fn keep(&self, ledger: &Ledger) {
        let _ = self.0.ledger.set(ledger.clone());
    }

    pub(crate) fn ledger(&self) -> Option<&Ledger> {
        self.0.ledger.get()
    }

    pub(crate) fn counters(&self) -> &ServerCounters {
        &self.0.counters
    }

    fn advance(&self, to: DrainStage) {
        self.0.stage.send_if_modified(|stage| {
            let is_further = *stage < to;
            *stage = to.max(*stage);
            is_further
        });
    }

    async fn reached(&self, wanted: DrainStage) {
        // The sender is in `self`, so this cannot fail.
        let _ = self.0.stage.subscribe().wait_for(|stage| *stage >= wanted).await;
    }
}

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(DrainState {
            stage: watch::Sender::new(DrainStage::Open),
            running: AtomicUsize::new(0),
            background: AtomicUsize::new(0),
            idle: Notify::new(),
            counters: ServerCounters::default(),
            ledger: OnceLock::new(),
        }))
    }
}

impl Drop for DrainGuard {
    fn drop(&mut self) {
        if self.0.0.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.0.idle.notify_waiters();
        }
    }
}

impl Drop for BackgroundGuard {
    fn drop(&mut self) {
        if self.0.0.background.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.0.idle.notify_waiters();
        }
    }
}

impl fmt::Debug for Drain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain")
            .field("stage", &*self.0.stage.borrow())
            .field("running", &self.count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::Drain;

    #[tokio::test]
    async fn a_drain_never_goes_back() {
        let drain = Drain::default();
        assert!(!drain.has_begun() && drain.finished().now_or_never().is_none());
        drain.finish();
        drain.begin();
        assert!(drain.has_begun());
        drain.finished().await;
    }

    #[tokio::test]
    async fn the_drain_is_idle_when_the_last_guard_is_dropped() {
        let drain = Drain::default();
        let (one, other) = (drain.track(), drain.track());
        let mut idle = Box::pin(drain.idle());
        assert!(idle.as_mut().now_or_never().is_none());
        drop(one);
        assert!(idle.as_mut().now_or_never().is_none());
        drop(other);
        assert!(idle.now_or_never().is_some());
    }
}
