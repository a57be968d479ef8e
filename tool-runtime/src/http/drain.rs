//! How a server lets go of what runs.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{Notify, watch};

use super::server::Traffic;
use crate::ledger::Ledger;

/// The end of a server, seen by the router and by whoever runs it.
///
/// First it is *draining*: `/readyz` says so, and nothing new is admitted. Then it is *over*: calls
/// that still run are cancelled, and answered so. [`Server`](super::Server) goes through both when
/// it is asked to end; who serves the router otherwise calls [`begin`](Self::begin) and
/// [`finish`](Self::finish). A handle: cloning it is cheap.
///
/// ```
/// use tool_runtime::http::Drain;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let drain = Drain::default();
/// let running = drain.running(); // a call, or what else the end is to wait for
/// drain.begin();
/// assert!(drain.has_begun() && drain.count() == 1);
/// drop(running);
/// drain.idle().await;
/// # }
/// ```
#[derive(Clone)]
pub struct Drain(Arc<Shared>);

struct Shared {
    stage: watch::Sender<Stage>,
    running: AtomicUsize,
    /// Tasks of the server's own that its end waits for.
    background: AtomicUsize,
    /// Hears when nothing runs any more.
    idle: Notify,
    traffic: Traffic,
    ledger: OnceLock<Ledger>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Open,
    Draining,
    Over,
}

/// Something that runs, and that the end of the server waits for, until it is dropped.
#[derive(Debug)]
#[must_use = "what runs is counted as long as this is kept"]
pub struct Running(Drain);

/// A task of the server's own that its end waits for, until this is dropped.
#[derive(Debug)]
#[must_use = "the end waits as long as this is kept"]
pub(super) struct Background(Drain);

impl Drain {
    /// Says that no new calls are wanted.
    pub fn begin(&self) {
        self.advance(Stage::Draining);
    }

    /// Cancels the calls that still run.
    pub fn finish(&self) {
        self.advance(Stage::Over);
    }

    /// Tells whether no new calls are wanted.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        *self.0.stage.borrow() >= Stage::Draining
    }

    /// Waits until no new calls are wanted. Cancel-safe.
    pub(super) async fn begun(&self) {
        self.reached(Stage::Draining).await;
    }

    /// Waits until the calls that still run are to be cancelled. Cancel-safe.
    pub async fn over(&self) {
        self.reached(Stage::Over).await;
    }

    /// Counts something that runs, as long as what this returns is kept.
    ///
    /// A write that runs on after its caller has hung up is waited for by this alone.
    pub fn running(&self) -> Running {
        self.0.running.fetch_add(1, Ordering::AcqRel);
        Running(self.clone())
    }

    /// Has the end of the server wait for a task that ends by itself when the end begins.
    pub(super) fn background(&self) -> Background {
        self.0.background.fetch_add(1, Ordering::AcqRel);
        Background(self.clone())
    }

    /// Tells how much is counted as running.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.running.load(Ordering::Acquire)
    }

    /// Waits until nothing is counted as running any more. Cancel-safe.
    pub async fn idle(&self) {
        loop {
            let mut notified = pin!(self.0.idle.notified());
            // Registered before it is counted, so that the last one's end is not missed.
            notified.as_mut().enable();
            if self.count() + self.0.background.load(Ordering::Acquire) == 0 {
                return;
            }
            notified.await;
        }
    }

    /// What is written to this ledger is safe before the server has ended.
    pub(super) fn keep(&self, ledger: &Ledger) {
        let _ = self.0.ledger.set(ledger.clone());
    }

    pub(super) fn ledger(&self) -> Option<&Ledger> {
        self.0.ledger.get()
    }

    pub(super) fn traffic(&self) -> &Traffic {
        &self.0.traffic
    }

    fn advance(&self, to: Stage) {
        self.0.stage.send_if_modified(|stage| {
            let is_further = *stage < to;
            *stage = to.max(*stage);
            is_further
        });
    }

    async fn reached(&self, wanted: Stage) {
        // The sender lives in `self`, so that this cannot fail.
        let _ = self.0.stage.subscribe().wait_for(|stage| *stage >= wanted).await;
    }
}

impl Default for Drain {
    fn default() -> Self {
        Self(Arc::new(Shared {
            stage: watch::Sender::new(Stage::Open),
            running: AtomicUsize::new(0),
            background: AtomicUsize::new(0),
            idle: Notify::new(),
            traffic: Traffic::default(),
            ledger: OnceLock::new(),
        }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.0.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.0.idle.notify_waiters();
        }
    }
}

impl Drop for Background {
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
    async fn it_goes_one_way() {
        let drain = Drain::default();
        assert!(!drain.has_begun() && drain.over().now_or_never().is_none());
        drain.finish();
        drain.begin();
        assert!(drain.has_begun());
        drain.over().await;
    }

    #[tokio::test]
    async fn the_last_one_that_ends_is_heard() {
        let drain = Drain::default();
        let (one, other) = (drain.running(), drain.running());
        let mut idle = Box::pin(drain.idle());
        assert!(idle.as_mut().now_or_never().is_none());
        drop(one);
        assert!(idle.as_mut().now_or_never().is_none());
        drop(other);
        assert!(idle.now_or_never().is_some());
    }
}
