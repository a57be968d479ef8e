//! How often each of many may do something: a tenant call a tool, a caller make a request.

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

/// Says how many calls a tenant may make: so many at once, refilled at an even pace.
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

/// The most calls that can be asked for, at which a refill takes a microsecond.
const MOST_CALLS: u32 = 1_000_000;

impl RateLimit {
    /// Admits so many calls a second, and as many at once.
    ///
    /// # Errors
    /// When the number is not 1 to 1,000,000.
    pub fn per_second(calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: Quota::per_second(counted("calls", calls)?) })
    }

    /// Admits so many calls a minute, and as many at once.
    ///
    /// # Errors
    /// When the number is not 1 to 1,000,000.
    pub fn per_minute(calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: Quota::per_minute(counted("calls", calls)?) })
    }

    /// Sets how many calls are admitted at once after a pause; the pace stays.
    ///
    /// # Errors
    /// When the number is not 1 to 1,000,000.
    pub fn burst(self, calls: u32) -> Result<Self, OutOfRange> {
        Ok(Self { quota: self.quota.allow_burst(counted("burst", calls)?) })
    }
}

fn counted(field: &'static str, calls: u32) -> Result<NonZeroU32, OutOfRange> {
    let known = NonZeroU32::new(calls).filter(|calls| calls.get() <= MOST_CALLS);
    known.ok_or_else(|| OutOfRange::new(field, format_args!("1 to {MOST_CALLS}"), calls))
}

/// One limit, and what each has used of it: each tenant for a tool, or whoever else is counted.
///
/// It remembers at most about 10,000 of them. When there are more, those who have their whole burst
/// back are forgotten, which changes nothing for them. If that makes no room, whoever is new shares
/// one common allowance until it does: memory is bounded and the limit never fails open.
pub(crate) struct RateLimiter<K: Key> {
    limiter: governor::RateLimiter<K, Memory<K>, TimerClock>,
    memory: Memory<K>,
    swept: Mutex<Instant>,
    began: Instant,
    /// How far ahead of its pace a whole burst leads.
    lead: Duration,
}

/// By what those are told apart who have an allowance each.
pub(crate) trait Key: Hash + Eq + Clone {}

impl<K: Hash + Eq + Clone> Key for K {}

/// The most that are remembered.
const MOST_KEYS: usize = 10_000;
/// The shortest time from one look for whom to forget to the next.
const BETWEEN_SWEEPS: Duration = Duration::from_secs(1);

impl<K: Key> RateLimiter<K> {
    pub(crate) fn new(limit: RateLimit, timer: Arc<dyn Timer>) -> Self {
        Self::bounded(limit, timer, MOST_KEYS)
    }

    fn bounded(limit: RateLimit, timer: Arc<dyn Timer>, most: usize) -> Self {
        let memory = Memory(Arc::new(Shared::bounded(most)));
        let began = timer.now();
        let RateLimit { quota } = limit;
        let lead = quota.replenish_interval() * (quota.burst_size().get() - 1);
        let limiter = governor::RateLimiter::new(quota, memory.clone(), TimerClock(timer));
        Self { limiter, memory, swept: Mutex::new(began), began, lead }
    }

    /// Admits one more of this key, or says how long to wait for it.
    pub(crate) fn check(&self, key: &K) -> Result<(), Duration> {
        self.make_room();
        self.limiter.check_key(key).map_err(|until| until.wait_time_from(self.now()))
    }

    /// Tells whether one more would be admitted, or how long to wait for it; counts nothing.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only the rim asks beforehand"))]
    pub(crate) fn peek(&self, key: &K) -> Result<(), Duration> {
        let used = self.memory.used(key);
        let earliest = Duration::from(used).saturating_sub(self.lead);
        let wait = earliest.saturating_sub(self.now().saturating_duration_since(self.began));
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    fn now(&self) -> Instant {
        clock::Clock::now(self.limiter.clock())
    }

    /// Forgets those whose burst is whole, if there was no room for one.
    fn make_room(&self) {
        if !self.memory.0.crowded.load(Ordering::Relaxed) {
            return;
        }
        // Whoever finds it locked need not wait: another caller sweeps.
        let Ok(mut swept) = self.swept.try_lock() else { return };
        let now = self.now();
        if now.saturating_duration_since(*swept) >= BETWEEN_SWEEPS {
            *swept = now;
            self.memory.0.crowded.store(false, Ordering::Relaxed);
            self.limiter.retain_recent();
        }
    }
}

impl<K: Key> fmt::Debug for RateLimiter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.memory.0.known.len();
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

/// What is remembered of each key, in bounded room.
struct Memory<K: Key>(Arc<Shared<K>>);

struct Shared<K: Key> {
    known: DashMapStateStore<K>,
    /// The allowance of all for whom there is no room.
    crowd: InMemoryState,
    /// Was there no room for somebody since the last sweep?
    crowded: AtomicBool,
    most: usize,
}

impl<K: Key> Shared<K> {
    fn bounded(most: usize) -> Self {
        let (known, crowd) = (DashMapStateStore::default(), InMemoryState::default());
        Self { known, crowd, crowded: AtomicBool::new(false), most }
    }

    fn has_room_for(&self, key: &K) -> bool {
        self.known.contains_key(key) || self.known.len() < self.most
    }
}

impl<K: Key> Memory<K> {
    /// Tells up to when, since the beginning, the pace is used up.
    fn used(&self, key: &K) -> Nanos {
        let Shared { known, crowd, .. } = &*self.0;
        let read = |used: Option<Nanos>| Err::<((), Nanos), _>(used);
        let used = match known.get(key) {
            Some(state) => state.measure_and_replace(&NotKeyed::NonKey, read),
            None if self.0.has_room_for(key) => Ok(()),
            None => crowd.measure_and_replace(&NotKeyed::NonKey, read),
        };
        used.err().flatten().unwrap_or_else(|| Duration::ZERO.into())
    }
}

impl<K: Key> Clone for Memory<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Key> StateStore for Memory<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let Shared { known, crowd, crowded, .. } = &*self.0;
        if self.0.has_room_for(key) {
            return known.measure_and_replace(key, measure);
        }
        crowded.store(true, Ordering::Relaxed);
        crowd.measure_and_replace(&NotKeyed::NonKey, measure)
    }
}

impl<K: Key> ShrinkableKeyedStateStore<K> for Memory<K> {
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

    /// A clock that moves when it is told to.
    #[derive(Debug)]
    struct Hand(Mutex<Instant>);

    impl Hand {
        fn new() -> Arc<Self> {
            Arc::new(Self(Mutex::new(Instant::now())))
        }

        fn advance(&self, time: Duration) {
            *self.0.lock().expect("nobody panics with it") += time;
        }
    }

    impl Timer for Hand {
        fn now(&self) -> Instant {
            *self.0.lock().expect("nobody panics with it")
        }

        fn sleep(&self, _: Duration) -> Sleep {
            Box::pin(std::future::pending())
        }

        fn spawn_blocking(&self, job: Job) {
            job();
        }
    }

    fn limiter(limit: RateLimit, most: usize) -> (RateLimiter<Uuid>, Arc<Hand>) {
        let hand = Hand::new();
        (RateLimiter::bounded(limit, Arc::clone(&hand) as Arc<dyn Timer>, most), hand)
    }

    fn twice_a_second() -> RateLimit {
        RateLimit::per_second(2).expect("it is in range")
    }

    fn tenant(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn a_burst_passes_and_what_follows_waits_for_the_refill() {
        let (limiter, hand) = limiter(twice_a_second(), 10);
        let one = tenant(1);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Ok(())]);
        assert_eq!(limiter.check(&one), Err(SECOND / 2));
        hand.advance(SECOND / 8);
        assert_eq!(limiter.check(&one), Err(SECOND / 8 * 3));
        hand.advance(SECOND / 8 * 3);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Err(SECOND / 2)]);
    }

    #[test]
    fn tenants_do_not_share_an_allowance() {
        let limiter = RateLimiter::new(twice_a_second(), Hand::new());
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
    fn whoever_finds_no_room_shares_one_allowance() {
        let (limiter, _hand) = limiter(twice_a_second(), 3);
        for number in 0..3 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        let passed = (3..100).filter(|number| limiter.check(&tenant(*number)).is_ok());
        assert_eq!(passed.count(), 2);
        assert_eq!(limiter.memory.0.known.len(), 3);
        assert_eq!(limiter.check(&tenant(0)), Ok(()), "the known keep their own");
    }

    #[test]
    fn tenants_with_a_whole_burst_make_room() {
        let (limiter, hand) = limiter(twice_a_second(), 3);
        for number in 0..4 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        hand.advance(SECOND * 2);
        for number in 10..13 {
            assert_eq!(limiter.check(&tenant(number)), Ok(()));
        }
        assert!(limiter.memory.0.known.contains_key(&tenant(12)));
        assert_eq!(limiter.memory.0.known.len(), 3);
    }

    #[test]
    fn tenants_are_looked_through_once_a_second_at_most() {
        let fast = RateLimit::per_second(1_000).expect("it is in range");
        let (limiter, hand) = limiter(fast, 1);
        let known = |number| limiter.memory.0.known.contains_key(&tenant(number));
        limiter.check(&tenant(0)).expect("it is the first");
        for number in [1, 2] {
            hand.advance(SECOND / 10 * 4);
            limiter.check(&tenant(number)).expect("the crowd's burst is whole");
            assert!(!known(number));
        }
        hand.advance(SECOND / 10 * 4);
        limiter.check(&tenant(3)).expect("there is room");
        assert!(known(3));
    }

    #[test]
    fn a_look_beforehand_says_what_a_check_will_say_and_counts_nothing() {
        let (limiter, hand) = limiter(twice_a_second(), 2);
        for step in 0..40 {
            let key = tenant(step % 4);
            let looks = [limiter.peek(&key), limiter.peek(&key)];
            assert_eq!(looks, [limiter.check(&key); 2], "step {step}");
            hand.advance(SECOND / 16);
        }
    }

    #[test]
    fn the_largest_values_are_counted_without_overflow() {
        let limit = RateLimit::per_minute(1).and_then(|limit| limit.burst(super::MOST_CALLS));
        let (limiter, hand) = limiter(limit.expect("it is in range"), 10);
        for _ in 0..3 {
            assert_eq!(limiter.check(&tenant(1)), Ok(()));
            hand.advance(SECOND * 60 * 60 * 24 * 365 * 10);
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
