//! Limits rates by key: a tenant's calls of a tool, a caller's requests.

use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use governor::nanos::Nanos;
use governor::state::keyed::{DashMapStateStore, ShrinkableKeyedStateStore};
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, clock};

use crate::Timer;
use crate::policy::OutOfRange;

/// The rate at which a tenant may make calls: a burst, refilled at an even pace.
///
/// # Examples
/// ```
/// use tool_runtime::policy::RateLimit;
///
/// // Five at once, then one every two seconds.
/// let limit = RateLimit::per_minute(30)?.burst(5)?;
/// # assert_ne!(limit, RateLimit::per_minute(30)?);
/// # Ok::<(), tool_runtime::policy::OutOfRange>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    quota: Quota,
}

/// The highest rate that can be set, at which a refill takes a microsecond.
const MOST_CALLS: u32 = 1_000_000;

impl RateLimit {
    /// Allows so many calls a second, and as many at once.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn per_second(calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: Quota::per_second(checked_count("calls", calls)?) })
    }

    /// Allows so many calls a minute, and as many at once.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn per_minute(calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: Quota::per_minute(checked_count("calls", calls)?) })
    }

    /// Sets how many calls are allowed at once after a pause; the pace stays.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn burst(self, calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: self.quota.allow_burst(checked_count("burst", calls)?) })
    }
}

fn checked_count(field: &'static str, calls: u32) -> Result<NonZeroU32, OutOfRange> {
    let count = NonZeroU32::new(calls).filter(|calls| calls.get() <= MOST_CALLS);
    count.ok_or_else(|| OutOfRange::new(field, format_args!("1 to {MOST_CALLS}"), calls))
}

/// A rate limit with a state for each key, such as a tenant.
///
/// It keeps the states of at most about 10,000 keys. Above that, keys whose burst is full again
/// are removed, which changes nothing for them. If that frees no room, new keys share one state
/// until it does: memory is bounded, and the limit never fails open.
pub(crate) struct RateLimiter<K: RateKey> {
    limiter: governor::RateLimiter<K, BoundedStore<K>, TimerClock>,
    store: BoundedStore<K>,
    last_sweep: Mutex<Instant>,
    started: Instant,
    /// The time that a whole burst takes at the even pace.
    burst_lead: Duration,
}

/// The key by which a limit is counted.
pub(crate) trait RateKey: Hash + Eq + Clone {}

impl<K: Hash + Eq + Clone> RateKey for K {}

/// The most keys whose states are kept.
const MOST_KEYS: usize = 10_000;
/// The shortest time between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

impl<K: RateKey> RateLimiter<K> {
    pub(crate) fn new(limit: RateLimit, timer: Arc<dyn Timer>) -> Self {
        Self::bounded(limit, timer, MOST_KEYS)
    }

    fn bounded(limit: RateLimit, timer: Arc<dyn Timer>, most: usize) -> Self {
        let store = BoundedStore(Arc::new(BoundedStates::new(most)));
        let started = timer.now();
        let RateLimit { quota } = limit;
        let burst_lead = quota.replenish_interval() * (quota.burst_size().get() - 1);
        let limiter = governor::RateLimiter::new(quota, store.clone(), TimerClock(timer));
        Self { limiter, store, last_sweep: Mutex::new(started), started, burst_lead }
    }

    /// Counts one more for this key, or returns how long to wait.
    pub(crate) fn check(&self, key: &K) -> Result<(), Duration> {
        self.sweep_if_full();
        self.limiter.check_key(key).map_err(|until| until.wait_time_from(self.now()))
    }

    /// Returns whether one more would be allowed, or how long to wait; counts nothing.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP checks beforehand"))]
    pub(crate) fn peek(&self, key: &K) -> Result<(), Duration> {
        let used = self.store.used(key);
        let earliest = Duration::from(used).saturating_sub(self.burst_lead);
        let wait = earliest.saturating_sub(self.now().saturating_duration_since(self.started));
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    fn now(&self) -> Instant {
        clock::Clock::now(self.limiter.clock())
    }

    /// Removes keys whose burst is full, if a key found no room since the last sweep.
    fn sweep_if_full(&self) {
        if !self.store.0.overflowed.load(Ordering::Relaxed) {
            return;
        }
        // If the lock is taken, another caller sweeps.
        let Ok(mut last_sweep) = self.last_sweep.try_lock() else { return };
        let now = self.now();
        if now.saturating_duration_since(*last_sweep) >= SWEEP_INTERVAL {
            *last_sweep = now;
            self.store.0.overflowed.store(false, Ordering::Relaxed);
            self.limiter.retain_recent();
        }
    }
}

impl<K: RateKey> fmt::Debug for RateLimiter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.store.0.known.len();
        f.debug_struct("RateLimiter").field("keys", &keys).finish_non_exhaustive()
    }
}

/// Reads the runtime's clock for `governor`.
#[derive(Debug)]
struct TimerClock(Arc<dyn Timer>);

impl clock::Clock for TimerClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        self.0.now()
    }
}

/// The states of the keys, in bounded memory.
struct BoundedStore<K: RateKey>(Arc<BoundedStates<K>>);

struct BoundedStates<K: RateKey> {
    known: DashMapStateStore<K>,
    /// The shared state of all keys that found no room.
    overflow: InMemoryState,
    /// A key found no room since the last sweep.
    overflowed: AtomicBool,
    most: usize,
}

impl<K: RateKey> BoundedStates<K> {
    fn new(most: usize) -> Self {
        let (known, overflow) = (DashMapStateStore::default(), InMemoryState::default());
        Self { known, overflow, overflowed: AtomicBool::new(false), most }
    }

    fn has_room_for(&self, key: &K) -> bool {
        self.known.contains_key(key) || self.known.len() < self.most
    }
}

impl<K: RateKey> BoundedStore<K> {
    /// Returns the time since the start up to which the pace is used up.
    fn used(&self, key: &K) -> Nanos {
        let BoundedStates { known, overflow, .. } = &*self.0;
        let read = |used: Option<Nanos>| Err::<((), Nanos), _>(used);
        let used = match known.get(key) {
            Some(state) => state.measure_and_replace(&NotKeyed::NonKey, read),
            None if self.0.has_room_for(key) => Ok(()),
            None => overflow.measure_and_replace(&NotKeyed::NonKey, read),
        };
        used.err().flatten().unwrap_or_else(|| Duration::ZERO.into())
    }
}

impl<K: RateKey> Clone for BoundedStore<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: RateKey> StateStore for BoundedStore<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let BoundedStates { known, overflow, overflowed, .. } = &*self.0;
        if self.0.has_room_for(key) {
            return known.measure_and_replace(key, measure);
        }
        overflowed.store(true, Ordering::Relaxed);
        overflow.measure_and_replace(&NotKeyed::NonKey, measure)
    }
}

impl<K: RateKey> ShrinkableKeyedStateStore<K> for BoundedStore<K> {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.known.retain_recent(drop_below);
    }

    fn len(&self) -> usize {
        self.0.known.len()
    }

    fn is_empty(&self) -> bool {
        self.0.known.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use uuid::Uuid;

    use super::{RateLimit, RateLimiter};
    use crate::{Job, Sleep, Timer};

    const SECOND: Duration = Duration::from_secs(1);

    /// A timer whose time is advanced by the test.
    #[derive(Debug)]
    struct ManualTimer(Mutex<Instant>);

    impl ManualTimer {
        fn new() -> Arc<Self> {
            Arc::new(Self(Mutex::new(Instant::now())))
        }

        fn advance(&self, time: Duration) {
            *self.0.lock().expect("no test panics while it holds the lock") += time;
        }
    }

    impl Timer for ManualTimer {
        fn now(&self) -> Instant {
            *self.0.lock().expect("no test panics while it holds the lock")
        }

        fn sleep(&self, _: Duration) -> Sleep {
            Box::pin(std::future::pending())
        }

        fn spawn_blocking(&self, job: Job) {
            job();
        }
    }

    fn limiter(limit: RateLimit, most: usize) -> (RateLimiter<Uuid>, Arc<ManualTimer>) {
        let timer = ManualTimer::new();
        (RateLimiter::bounded(limit, Arc::clone(&timer) as Arc<dyn Timer>, most), timer)
    }

    fn twice_a_second() -> RateLimit {
        RateLimit::per_second(2).expect("it is in range")
    }

    fn tenant(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn a_burst_passes_and_what_follows_waits_for_the_refill() {
        let (limiter, timer) = limiter(twice_a_second(), 10);
        let one = tenant(1);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Ok(())]);
        assert_eq!(limiter.check(&one), Err(SECOND / 2));
        timer.advance(SECOND / 8);
        assert_eq!(limiter.check(&one), Err(SECOND / 8 * 3));
        timer.advance(SECOND / 8 * 3);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Err(SECOND / 2)]);
    }

    #[test]
    fn tenants_do_not_share_an_allowance() {
        let limiter = RateLimiter::new(twice_a_second(), ManualTimer::new());
        while limiter.check(&tenant(1)).is_ok() {}
        assert_eq!(limiter.check(&tenant(2)), Ok(()));
    }

    #[test]
    fn a_burst_of_its_own_keeps_the_pace() {
        let limit = RateLimit::per_minute(30).and_then(|limit| limit.burst(3));
        let (limiter, _hand) = limiter(limit.expect("it is in range"), 10);
        let passed = std::iter::repeat_with(|| limiter.check(&tenant(1)));
        assert_eq!(passed.take_while(Result::is_ok).count(), 3);
        assert_eq!(limiter.check(&tenant(1)), Err(SECOND * 2));
    }

    #[test]
    fn keys_that_find_no_room_share_one_allowance() {
        let (limiter, _hand) = limiter(twice_a_second(), 3);
        for number in 0..3 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        let passed = (3..100).filter(|number| limiter.check(&tenant(*number)).is_ok());
        assert_eq!(passed.count(), 2);
        assert_eq!(limiter.store.0.known.len(), 3);
        assert_eq!(limiter.check(&tenant(0)), Ok(()), "kept keys have their own allowance");
    }

    #[test]
    fn keys_with_a_full_burst_make_room() {
        let (limiter, timer) = limiter(twice_a_second(), 3);
        for number in 0..4 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        timer.advance(SECOND * 2);
        for number in 10..13 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        assert!(limiter.store.0.known.contains_key(&tenant(12)));
        assert_eq!(limiter.store.0.known.len(), 3);
    }

    #[test]
    fn keys_are_swept_once_a_second_at_most() {
        let fast = RateLimit::per_second(1_000).expect("it is in range");
        let (limiter, timer) = limiter(fast, 1);
        let known = |number| limiter.store.0.known.contains_key(&tenant(number));
        limiter.check(&tenant(0)).expect("it is the first");
        for number in [1, 2] {
            timer.advance(SECOND / 10 * 4);
            limiter.check(&tenant(number)).expect("the overflow's burst is whole");
            assert!(!known(number));
        }
        timer.advance(SECOND / 10 * 4);
        limiter.check(&tenant(3)).expect("there is room");
        assert!(known(3));
    }

    #[test]
    fn peek_returns_the_result_of_check_and_counts_nothing() {
        let (limiter, timer) = limiter(twice_a_second(), 2);
        for step in 0..40 {
            let key = tenant(step % 4);
            let looks = [limiter.peek(&key), limiter.peek(&key)];
            assert_eq!(looks, [limiter.check(&key); 2], "step {step}");
            timer.advance(SECOND / 16);
        }
    }

    #[test]
    fn the_largest_values_are_counted_without_overflow() {
        let limit = RateLimit::per_minute(1).and_then(|limit| limit.burst(super::MOST_CALLS));
        let (limiter, timer) = limiter(limit.expect("it is in range"), 10);
        for _ in 0..3 {
            assert_eq!(limiter.check(&tenant(1)), Ok(()));
            timer.advance(SECOND * 60 * 60 * 24 * 365 * 10);
        }
        let fastest = RateLimit::per_second(super::MOST_CALLS).expect("it is in range");
        assert_eq!(fastest.quota.replenish_interval(), Duration::from_micros(1));
    }

    #[test]
    fn no_calls_and_too_many_are_refused() {
        for calls in [0, super::MOST_CALLS + 1] {
            let fields = [
                RateLimit::per_second(calls),
                RateLimit::per_minute(calls),
                twice_a_second().burst(calls),
            ]
            .map(|limit| limit.expect_err("it is out of range").field().to_owned());
            assert_eq!(fields, ["calls", "calls", "burst"]);
        }
    }
}
