//! How many calls run at once, and how many may wait for that.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;

/// Places for calls that run, and a bounded queue in front of them.
///
/// A place that is given back goes straight to whoever has waited longest, so that nobody is
/// overtaken, however often a waiting future is polled.
#[derive(Debug)]
pub(crate) struct Places {
    queue: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Not zero only while nobody waits.
    free: usize,
    waiting: VecDeque<Waiter>,
}

type Waiter = oneshot::Sender<PlacePermit>;

/// One place; it is given back when this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct PlacePermit(Option<Arc<Places>>);

/// Every place is taken, and as many wait already as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all places are taken, and so is the queue")]
pub(crate) struct QueueFull;

enum Asked {
    Now(PlacePermit),
    Later(oneshot::Receiver<PlacePermit>),
}

impl Places {
    /// Makes so many places and a queue of that length, which may be none.
    pub(crate) fn new(places: NonZeroUsize, queue: usize) -> Self {
        let state = State { free: places.get(), waiting: VecDeque::new() };
        Self { queue, state: Mutex::new(state) }
    }

    /// Takes a place, or waits in the queue for one.
    ///
    /// # Errors
    /// At once when the queue is full.
    ///
    /// # Cancellation
    /// A dropped future leaves the queue; a place that was on its way to it goes to the next.
    pub(crate) async fn take(self: &Arc<Self>) -> Result<PlacePermit, QueueFull> {
        match self.ask()? {
            Asked::Now(permit) => Ok(permit),
            Asked::Later(permit) => permit.await.map_err(|oneshot::Canceled| QueueFull),
        }
    }

    fn ask(self: &Arc<Self>) -> Result<Asked, QueueFull> {
        let mut state = self.lock();
        if let Some(left) = state.free.checked_sub(1) {
            state.free = left;
            return Ok(Asked::Now(PlacePermit(Some(Arc::clone(self)))));
        }
        if state.waiting.len() >= self.queue {
            state.waiting.retain(|waiter| !waiter.is_canceled());
        }
        if state.waiting.len() >= self.queue {
            return Err(QueueFull);
        }
        let (waiter, permit) = oneshot::channel();
        state.waiting.push_back(waiter);
        Ok(Asked::Later(permit))
    }

    fn give_back(mut self: Arc<Self>) {
        while let Some(waiter) = self.next() {
            // Whoever has left the queue hands the place back.
            let Err(mut refused) = waiter.send(PlacePermit(Some(self))) else { return };
            let Some(places) = refused.0.take() else { return };
            self = places;
        }
    }

    /// Whose turn it is; if nobody waits, the place is free.
    fn next(&self) -> Option<Waiter> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.free += usize::from(next.is_none());
        next
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PlacePermit {
    fn drop(&mut self) {
        if let Some(places) = self.0.take() {
            places.give_back();
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

    use super::{PlacePermit, Places, QueueFull};

    fn places(places: usize, queue: usize) -> Arc<Places> {
        Arc::new(Places::new(NonZeroUsize::new(places).expect("there is one"), queue))
    }

    #[track_caller]
    fn taken(places: &Arc<Places>) -> PlacePermit {
        places.take().now_or_never().expect("it does not wait").expect("a place is free")
    }

    #[test]
    fn a_place_is_free_again_when_its_permit_is_dropped() {
        let places = places(2, 0);
        let (one, _other) = (taken(&places), taken(&places));
        assert_eq!(places.take().now_or_never().expect("at once").err(), Some(QueueFull));
        drop(one);
        let _again = taken(&places);
    }

    #[test]
    fn the_queue_is_bounded() {
        let places = places(1, 2);
        let running = taken(&places);
        let mut first = pin!(places.take());
        let mut second = pin!(places.take());
        assert!(first.as_mut().now_or_never().is_none());
        assert!(second.as_mut().now_or_never().is_none());
        assert_eq!(places.take().now_or_never().expect("at once").err(), Some(QueueFull));
        drop(running);
        assert!(first.now_or_never().is_some());
    }

    #[tokio::test]
    async fn the_queue_moves_on_in_order() {
        let places = places(1, 10);
        let running = taken(&places);
        let (done, order) = std::sync::mpsc::channel();
        for number in 0..10 {
            let (places, done) = (Arc::clone(&places), done.clone());
            tokio::spawn(async move {
                let _permit = places.take().await.expect("there is room to wait");
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
    fn whoever_comes_when_a_place_is_given_back_does_not_overtake() {
        let places = places(1, 1);
        let running = taken(&places);
        let mut waiter = pin!(places.take());
        assert!(waiter.as_mut().now_or_never().is_none());
        drop(running);
        assert!(places.take().now_or_never().is_none());
        assert!(waiter.now_or_never().is_some());
    }

    #[test]
    fn whoever_leaves_the_queue_gives_the_turn_back() {
        let places = places(1, 1);
        let running = taken(&places);
        {
            let mut waiter = pin!(places.take());
            assert!(waiter.as_mut().now_or_never().is_none());
        }
        let mut waiter = pin!(places.take());
        assert!(waiter.as_mut().now_or_never().is_none(), "it may wait again");
        drop(running);
        assert!(waiter.now_or_never().is_some());
    }

    #[test]
    fn a_place_passes_by_whoever_has_left() {
        let places = places(1, 3);
        let running = taken(&places);
        let mut last = pin!(async {
            tokio::task::yield_now().await;
            places.take().await
        });
        {
            let (mut one, mut other) = (pin!(places.take()), pin!(places.take()));
            assert!(one.as_mut().now_or_never().is_none());
            assert!(other.as_mut().now_or_never().is_none());
            assert!(last.as_mut().now_or_never().is_none());
            assert!(last.as_mut().now_or_never().is_none());
        }
        drop(running);
        assert!(last.now_or_never().is_some());
    }

    #[test]
    fn a_place_on_its_way_to_one_who_leaves_goes_to_the_next() {
        let places = places(1, 2);
        let running = taken(&places);
        let mut second = pin!(places.take());
        {
            let mut first = pin!(places.take());
            assert!(first.as_mut().now_or_never().is_none());
            assert!(second.as_mut().now_or_never().is_none());
            drop(running);
            assert!(second.as_mut().now_or_never().is_none(), "it is not its turn");
        }
        assert!(second.now_or_never().is_some());
        let _free = taken(&places);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn never_more_run_than_there_are_places() {
        let places = places(3, 64);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let (places, running) = (Arc::clone(&places), Arc::clone(&running));
                let most = Arc::clone(&most);
                tokio::spawn(async move {
                    let _permit = places.take().await.expect("there is room to wait");
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no task panics");
        }
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_permit_may_go_anywhere() {
        fn check<T: Send + Sync + 'static>() {}
        check::<PlacePermit>();
    }
}
