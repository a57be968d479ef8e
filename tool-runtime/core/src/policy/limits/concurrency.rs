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
    /// Permits that are free; 0 while the queue is not empty.
    free: usize,
    waiting: VecDeque<Waiter>,
}

type Waiter = oneshot::Sender<ConcurrencyPermit>;

/// A permit to run; released on drop.
#[derive(Debug)]
#[must_use]
pub(crate) struct ConcurrencyPermit(Option<Arc<ConcurrencyLimiter>>);

/// All permits are taken, and the queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all permits are taken, and the queue is full")]
pub(crate) struct QueueFull;

enum Acquire {
    Ready(ConcurrencyPermit),
    Queued(oneshot::Receiver<ConcurrencyPermit>),
}

impl ConcurrencyLimiter {
    /// Creates a limiter with so many permits, and a queue of that length, which may be 0.
    pub(crate) fn new(permits: NonZeroUsize, queue: usize) -> Self {
        let state = LimiterState { free: permits.get(), waiting: VecDeque::new() };
        Self { queue, state: Mutex::new(state) }
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

    fn start_acquire(self: &Arc<Self>) -> Result<Acquire, QueueFull> {
        let mut state = self.lock();
        if let Some(left) = state.free.checked_sub(1) {
            state.free = left;
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

    fn release(mut self: Arc<Self>) {
        while let Some(waiter) = self.next_waiter() {
            // The permit comes back if the waiter has left the queue.
            let Err(mut refused) = waiter.send(ConcurrencyPermit(Some(self))) else { return };
            let Some(limiter) = refused.0.take() else { return };
            self = limiter;
        }
    }

    /// Takes the waiter at the front of the queue; if it is empty, the permit becomes free.
    fn next_waiter(&self) -> Option<Waiter> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.free += usize::from(next.is_none());
        next
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        if let Some(limiter) = self.0.take() {
            limiter.release();
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
