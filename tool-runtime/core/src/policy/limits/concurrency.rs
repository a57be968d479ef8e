//! Limits how many calls run at once, with a bounded queue.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;

/// A semaphore with a bounded, fair queue.
///
/// A released permit goes to the waiter at the front of the queue, so that waiters are served in
/// order, however often their futures are polled.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimiter {
    queue: usize,
    state: Mutex<LimiterState>,
}

#[derive(Debug)]
struct LimiterState {
    /// The permits that may be in use.
    capacity: usize,
    /// The permits that are in use: more than the capacity for a while, if it was reduced.
    in_use: usize,
    /// True if a permit was taken since the use was read last.
    was_used: bool,
    waiting: VecDeque<Waiter>,
}

type Waiter = oneshot::Sender<ConcurrencyPermit>;

/// A permit to run; released on drop.
#[derive(Debug)]
#[must_use]
pub(crate) struct ConcurrencyPermit(Option<Arc<ConcurrencyLimiter>>);

/// The use of a limiter's permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PermitUsage {
    pub(super) capacity: usize,
    pub(super) in_use: usize,
    pub(super) waiting: usize,
    pub(super) was_used: bool,
}

/// All permits are taken, and the queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all permits are taken, and the queue is full")]
pub(crate) struct QueueFull;

/// The result of asking for a permit.
pub(super) enum Acquire {
    Ready(ConcurrencyPermit),
    Queued(oneshot::Receiver<ConcurrencyPermit>),
}

impl ConcurrencyLimiter {
    /// Creates a limiter with so many permits, and a queue of that length, which may be 0.
    pub(crate) fn new(permits: NonZeroUsize, queue: usize) -> Self {
        Self::with_capacity(permits.get(), queue)
    }

    /// Creates a limiter whose permits are set later.
    pub(super) fn with_capacity(capacity: usize, queue: usize) -> Self {
        let state = LimiterState { capacity, in_use: 0, was_used: false, waiting: VecDeque::new() };
        Self { queue, state: Mutex::new(state) }
    }

    /// Sets how many permits may be in use; those that are in use stay until they are released.
    pub(super) fn set_capacity(self: &Arc<Self>, capacity: usize) {
        self.lock().capacity = capacity;
        self.serve_waiters(0);
    }

    /// Reads the use of the permits since it was read last, to exchange them. Until [`set_capacity`](Self::set_capacity)
    /// is called with the answer, no more permits are given than are in use: another replica may get the others.
    pub(super) fn usage(&self) -> PermitUsage {
        let mut state = self.lock();
        state.waiting.retain(|waiter| !waiter.is_canceled());
        let was_used = std::mem::take(&mut state.was_used);
        let LimiterState { capacity, in_use, ref waiting, .. } = *state;
        let waiting = waiting.len();
        state.capacity = capacity.min(in_use);
        PermitUsage { capacity, in_use, waiting, was_used }
    }

    /// Returns whether a call would get a permit, or a place in the queue.
    pub(super) fn has_capacity(&self) -> bool {
        let state = self.lock();
        state.in_use < state.capacity || state.waiting.len() < self.queue
    }

    /// Takes a permit, or waits for one in the queue.
    ///
    /// # Errors
    /// Returns an error at once if the queue is full.
    ///
    /// # Cancellation
    /// A dropped future leaves the queue; a permit that was being sent to it goes to the next
    /// waiter.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<ConcurrencyPermit, QueueFull> {
        match self.start_acquire()? {
            Acquire::Ready(permit) => Ok(permit),
            Acquire::Queued(permit) => permit.await.map_err(|oneshot::Canceled| QueueFull),
        }
    }

    pub(super) fn start_acquire(self: &Arc<Self>) -> Result<Acquire, QueueFull> {
        let mut state = self.lock();
        if state.in_use < state.capacity {
            (state.in_use, state.was_used) = (state.in_use + 1, true);
            return Ok(Acquire::Ready(ConcurrencyPermit(Some(Arc::clone(self)))));
        }
        if state.waiting.len() >= self.queue {
            state.waiting.retain(|waiter| !waiter.is_canceled());
        }
        if state.waiting.len() >= self.queue {
            return Err(QueueFull);
        }
        let (waiter, permit) = oneshot::channel();
        state.waiting.push_back(waiter);
        Ok(Acquire::Queued(permit))
    }

    /// Gives permits to waiters, as many as there are, after so many were released.
    fn serve_waiters(self: &Arc<Self>, mut released: usize) {
        while let Some(waiter) = self.next_waiter(std::mem::take(&mut released)) {
            if let Err(mut refused) = waiter.send(ConcurrencyPermit(Some(Arc::clone(self)))) {
                // The waiter has left the queue, and its permit goes to the next one.
                refused.0 = None;
                released = 1;
            }
        }
    }

    /// Takes the waiter at the front of the queue and a permit for it, if there are both.
    fn next_waiter(&self, released: usize) -> Option<Waiter> {
        let mut state = self.lock();
        state.in_use -= released;
        if state.in_use >= state.capacity {
            return None;
        }
        let next = state.waiting.pop_front();
        state.in_use += usize::from(next.is_some());
        state.was_used |= next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        if let Some(limiter) = self.0.take() {
            limiter.serve_waiters(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;

    use super::{ConcurrencyLimiter, ConcurrencyPermit, QueueFull};

    fn limiter(permits: usize, queue: usize) -> Arc<ConcurrencyLimiter> {
        Arc::new(ConcurrencyLimiter::new(NonZeroUsize::new(permits).expect("there is one"), queue))
    }

    #[track_caller]
    fn acquired(limiter: &Arc<ConcurrencyLimiter>) -> ConcurrencyPermit {
        limiter.acquire().now_or_never().expect("it does not wait").expect("a permit is free")
    }

    #[test]
    fn a_dropped_permit_is_free_again() {
        let limiter = limiter(2, 0);
        let (one, _other) = (acquired(&limiter), acquired(&limiter));
        assert_eq!(limiter.acquire().now_or_never().expect("at once").err(), Some(QueueFull));
        drop(one);
        let _again = acquired(&limiter);
    }

    #[test]
    fn the_queue_is_bounded() {
        let limiter = limiter(1, 2);
        let running = acquired(&limiter);
        let mut first = pin!(limiter.acquire());
        let mut second = pin!(limiter.acquire());
        assert!(first.as_mut().now_or_never().is_none());
        assert!(second.as_mut().now_or_never().is_none());
        assert_eq!(limiter.acquire().now_or_never().expect("at once").err(), Some(QueueFull));
        drop(running);
        assert!(first.now_or_never().is_some());
    }

    #[tokio::test]
    async fn the_queue_moves_on_in_order() {
        let limiter = limiter(1, 10);
        let running = acquired(&limiter);
        let (done, order) = std::sync::mpsc::channel();
        for number in 0..10 {
            let (limiter, done) = (Arc::clone(&limiter), done.clone());
            tokio::spawn(async move {
                let _permit = limiter.acquire().await.expect("there is room to wait");
                tokio::task::yield_now().await;
                done.send(number).expect("the test listens");
            });
            tokio::task::yield_now().await;
        }
        drop((running, done));
        let mut served = Vec::new();
        while served.len() < 10 {
            tokio::task::yield_now().await;
            served.extend(order.try_iter());
        }
        assert!(served.is_sorted(), "{served:?}");
    }

    #[test]
    fn a_newcomer_does_not_overtake_the_queue_when_a_permit_is_released() {
        let limiter = limiter(1, 1);
        let running = acquired(&limiter);
        let mut waiter = pin!(limiter.acquire());
        assert!(waiter.as_mut().now_or_never().is_none());
        drop(running);
        assert!(limiter.acquire().now_or_never().is_none());
        assert!(waiter.now_or_never().is_some());
    }

    #[test]
    fn a_waiter_that_leaves_the_queue_frees_its_position() {
        let limiter = limiter(1, 1);
        let running = acquired(&limiter);
        {
            let mut waiter = pin!(limiter.acquire());
            assert!(waiter.as_mut().now_or_never().is_none());
        }
        let mut waiter = pin!(limiter.acquire());
        assert!(waiter.as_mut().now_or_never().is_none(), "it may wait again");
        drop(running);
        assert!(waiter.now_or_never().is_some());
    }

    #[test]
    fn a_permit_skips_waiters_that_have_left() {
        let limiter = limiter(1, 3);
        let running = acquired(&limiter);
        let mut last = pin!(async {
            tokio::task::yield_now().await;
            limiter.acquire().await
        });
        {
            let (mut one, mut other) = (pin!(limiter.acquire()), pin!(limiter.acquire()));
            assert!(one.as_mut().now_or_never().is_none());
            assert!(other.as_mut().now_or_never().is_none());
            assert!(last.as_mut().now_or_never().is_none());
            assert!(last.as_mut().now_or_never().is_none());
        }
        drop(running);
        assert!(last.now_or_never().is_some());
    }

    #[test]
    fn a_permit_sent_to_a_waiter_that_leaves_goes_to_the_next() {
        let limiter = limiter(1, 2);
        let running = acquired(&limiter);
        let mut second = pin!(limiter.acquire());
        {
            let mut first = pin!(limiter.acquire());
            assert!(first.as_mut().now_or_never().is_none());
            assert!(second.as_mut().now_or_never().is_none());
            drop(running);
            assert!(second.as_mut().now_or_never().is_none(), "it is not its turn");
        }
        assert!(second.now_or_never().is_some());
        let _free = acquired(&limiter);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_calls_run_than_there_are_permits() {
        let limiter = limiter(3, 64);
        let (running, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let (limiter, running) = (Arc::clone(&limiter), Arc::clone(&running));
                let peak = Arc::clone(&peak);
                tokio::spawn(async move {
                    let _permit = limiter.acquire().await.expect("there is room to wait");
                    peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no task panics");
        }
        assert_eq!(peak.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_permit_is_send_and_sync() {
        fn check<T: Send + Sync + 'static>() {}
        check::<ConcurrencyPermit>();
    }
}
