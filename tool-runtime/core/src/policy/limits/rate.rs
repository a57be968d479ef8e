//! Limits rates by key: a tenant's calls of a tool, a caller's requests.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
// Own code over the runtime's `Timer`: crates for this would be a sixth of the feature's
// dependencies, and one of them reads tokio's clock.
pub struct RateLimit {
    /// The time in which one call more is allowed.
    interval: Duration,
    burst: u32,
}

/// The highest rate that can be set, at which a refill takes a microsecond.
const MAX_CALLS: u32 = 1_000_000;

impl RateLimit {
    /// Allows `calls` calls a second, with bursts of as many.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn per_second(calls: u32) -> Result<Self, OutOfRange> {
        Self::new(Duration::from_secs(1), calls)
    }

    /// Allows `calls` calls a minute, with bursts of as many.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn per_minute(calls: u32) -> Result<Self, OutOfRange> {
        Self::new(Duration::from_secs(60), calls)
    }

    /// Sets how many calls are allowed at once after a pause; the pace stays.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn burst(self, calls: u32) -> Result<Self, OutOfRange> {
        check_count("burst", calls)?;
        Ok(Self { burst: calls, ..self })
    }

    fn new(period: Duration, calls: u32) -> Result<Self, OutOfRange> {
        check_count("calls", calls)?;
        Ok(Self { interval: period / calls, burst: calls })
    }

    /// Returns the time in which one call more is allowed.
    pub(super) const fn interval(self) -> Duration {
        self.interval
    }

    /// Returns how many calls are allowed at once.
    pub(super) const fn burst_calls(self) -> u32 {
        self.burst
    }

    /// Checks a call by the generic cell rate algorithm (GCRA); an error is the time to wait.
    ///
    /// `used_until` is the time up to which earlier calls have used up the rate. It may lie ahead
    /// of `now` by all calls of a burst but one.
    pub(super) fn wait(self, used_until: Duration, now: Duration) -> Result<(), Duration> {
        let in_advance = self.interval.saturating_mul(self.burst - 1);
        let wait = used_until.saturating_sub(in_advance).saturating_sub(now);
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }
}

fn check_count(field: &'static str, calls: u32) -> Result<(), OutOfRange> {
    let fits = (1..=MAX_CALLS).contains(&calls);
    OutOfRange::unless(fits, field, format_args!("1 to {MAX_CALLS}"), calls)
}

/// A rate limit with a state for each key, such as a tenant.
///
/// It keeps the states of at most 10,000 keys. Above that, keys whose burst is full again are
/// removed, which changes nothing for them. If that frees no room, new keys share one state until
/// it does: memory is bounded, and the limit never fails open.
///
/// Time is the timer's. While the clock is behind a time that it has shown before, the pace used
/// up by then counts: a clock that goes backwards allows no call more.
pub struct RateLimiter<K: RateKey> {
    pub(super) limit: RateLimit,
    timer: Arc<dyn Timer>,
    started: Instant,
    states: Mutex<KeyStates<K>>,
}

/// The key by which a limit is counted.
pub trait RateKey: Hash + Eq + Clone {}

impl<K: Hash + Eq + Clone> RateKey for K {}

/// The states of the keys, in bounded memory. A state is the time up to which a key's pace is used
/// up, since the limiter was made.
pub(super) struct KeyStates<K> {
    pub(super) known: HashMap<K, Duration>,
    max_keys: usize,
    /// The shared state of all keys that found no room.
    pub(super) overflow: Duration,
    /// A key found no room since the last sweep.
    overflowed: bool,
    last_sweep: Duration,
}

/// The most keys whose states are kept.
const MAX_KEYS: usize = 10_000;
/// The shortest time between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

impl<K: RateKey> RateLimiter<K> {
    /// Creates a limiter; every key has the whole rate.
    pub fn new(limit: RateLimit, timer: Arc<dyn Timer>) -> Self {
        Self::bounded(limit, timer, MAX_KEYS)
    }

    fn bounded(limit: RateLimit, timer: Arc<dyn Timer>, max_keys: usize) -> Self {
        let (started, states) = (timer.now(), Mutex::new(KeyStates::new(max_keys)));
        Self { limit, timer, started, states }
    }

    /// Counts one more for this key, or returns how long to wait.
    ///
    /// # Errors
    /// Returns the time after which the rate admits a call again.
    pub fn check(&self, key: &K) -> Result<(), Duration> {
        let now = self.now();
        let mut states = self.lock();
        states.sweep_if_full(now);
        let used_until = states.state_mut(key);
        self.limit.wait(*used_until, now)?;
        *used_until = now.max(*used_until).saturating_add(self.limit.interval);
        Ok(())
    }

    pub(super) fn now(&self) -> Duration {
        self.timer.now().saturating_duration_since(self.started)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, KeyStates<K>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: RateKey> KeyStates<K> {
    fn new(max_keys: usize) -> Self {
        let (overflow, last_sweep) = (Duration::ZERO, Duration::ZERO);
        Self { known: HashMap::new(), max_keys, overflow, overflowed: false, last_sweep }
    }

    fn state_mut(&mut self, key: &K) -> &mut Duration {
        if self.is_full() && !self.known.contains_key(key) {
            self.overflowed = true;
            return &mut self.overflow;
        }
        self.known.entry(key.clone()).or_default()
    }

    pub(super) fn is_full(&self) -> bool {
        self.known.len() >= self.max_keys
    }

    /// Removes keys whose burst is full, if a key found no room since the last sweep.
    pub(super) fn sweep_if_full(&mut self, now: Duration) {
        if self.overflowed && now.saturating_sub(self.last_sweep) >= SWEEP_INTERVAL {
            (self.last_sweep, self.overflowed) = (now, false);
            self.known.retain(|_, used_until| *used_until > now);
        }
    }
}

impl<K: RateKey> fmt::Debug for RateLimiter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.lock().known.len();
        f.debug_struct("RateLimiter").field("keys", &keys).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::time::Duration;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{RateLimit, RateLimiter};
    use crate::timer::ManualTimer;

    const SECOND: Duration = Duration::from_secs(1);

    fn limiter(limit: RateLimit, max_keys: usize) -> (RateLimiter<Uuid>, Arc<ManualTimer>) {
        let timer = ManualTimer::new();
        (RateLimiter::bounded(limit, timer.clone(), max_keys), timer)
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
        assert_eq!(limiter.lock().known.len(), 3);
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
        assert!(limiter.lock().known.contains_key(&tenant(12)));
        assert_eq!(limiter.lock().known.len(), 3);
    }

    #[test]
    fn keys_are_swept_once_a_second_at_most() {
        let fast = RateLimit::per_second(1_000).expect("it is in range");
        let (limiter, timer) = limiter(fast, 1);
        let known = |number| limiter.lock().known.contains_key(&tenant(number));
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
    fn a_look_at_a_key_removes_keys_whose_burst_is_full() {
        let (limiter, timer) = limiter(twice_a_second(), 1);
        assert_eq!(limiter.check(&tenant(1)), Ok(()));
        while limiter.check(&tenant(2)).is_ok() {}
        limiter.lock().overflow = SECOND * 100;
        assert!(limiter.peek(&tenant(2)).is_err(), "it shares the state of all further keys");
        timer.advance(SECOND * 2);
        assert_eq!(limiter.peek(&tenant(2)), Ok(()), "the first key has gone");
    }

    #[test]
    fn the_largest_values_are_counted_without_overflow() {
        let limit = RateLimit::per_minute(1).and_then(|limit| limit.burst(super::MAX_CALLS));
        let (limiter, timer) = limiter(limit.expect("it is in range"), 10);
        for _ in 0..3 {
            assert_eq!(limiter.check(&tenant(1)), Ok(()));
            timer.advance(SECOND * 60 * 60 * 24 * 365 * 10);
        }
        let fastest = RateLimit::per_second(super::MAX_CALLS).expect("it is in range");
        assert_eq!(fastest.interval, Duration::from_micros(1));
    }

    #[test]
    fn a_wait_is_exact_to_the_nanosecond() {
        let limit = RateLimit::per_second(3).and_then(|limit| limit.burst(1));
        let (limiter, timer) = limiter(limit.expect("it is in range"), 10);
        let one = tenant(1);
        assert_eq!(limiter.check(&one), Ok(()));
        assert_eq!(limiter.check(&one), Err(Duration::from_nanos(333_333_333)));
        timer.advance(Duration::from_nanos(333_333_332));
        assert_eq!(limiter.check(&one), Err(Duration::from_nanos(1)));
        timer.advance(Duration::from_nanos(1));
        assert_eq!(limiter.check(&one), Ok(()));
    }

    #[test]
    fn a_pause_refills_no_more_than_the_burst() {
        let (limiter, timer) = limiter(twice_a_second(), 10);
        assert_eq!(limiter.check(&tenant(1)), Ok(()));
        timer.advance(SECOND * 3_600);
        let passed = std::iter::repeat_with(|| limiter.check(&tenant(1)));
        assert_eq!(passed.take_while(Result::is_ok).count(), 2);
    }

    #[test]
    fn a_clock_that_goes_backwards_allows_no_call_more() {
        let (limiter, timer) = limiter(twice_a_second(), 10);
        let one = tenant(1);
        timer.advance(SECOND * 10);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Ok(())]);
        timer.set_back(SECOND * 4);
        assert_eq!(limiter.check(&one), Err(SECOND * 4 + SECOND / 2));
        timer.set_back(SECOND * 100);
        assert_eq!(limiter.check(&one), Err(SECOND * 10 + SECOND / 2), "before its start");
        timer.advance(SECOND * 104 + SECOND / 2);
        assert_eq!([limiter.check(&one), limiter.check(&one)], [Ok(()), Err(SECOND / 2)]);
    }

    #[test]
    fn a_state_at_the_end_of_time_stays_there() {
        let (limiter, timer) = limiter(twice_a_second(), 10);
        limiter.lock().known.insert(tenant(1), Duration::MAX);
        assert_eq!(limiter.check(&tenant(1)), Err(Duration::MAX.saturating_sub(SECOND / 2)));
        timer.advance(SECOND / 2);
        assert_eq!(limiter.check(&tenant(1)), Err(Duration::MAX.saturating_sub(SECOND)));
        let slow = RateLimit { interval: Duration::MAX, burst: u32::MAX };
        let limiter = RateLimiter::bounded(slow, timer, 10);
        assert_eq!([limiter.check(&tenant(1)), limiter.check(&tenant(1))], [Ok(()); 2]);
        assert_eq!(limiter.lock().known.get(&tenant(1)), Some(&Duration::MAX));
    }

    /// A bucket of tokens, each worth the nanoseconds that it takes to refill.
    struct Bucket {
        level: u128,
        filled_at: u128,
    }

    impl Bucket {
        fn check(&mut self, limit: RateLimit, now: u128) -> Result<(), Duration> {
            let interval = limit.interval.as_nanos();
            let full = interval * u128::from(limit.burst);
            self.level = full.min(self.level + (now - self.filled_at));
            self.filled_at = now;
            let wait = interval.saturating_sub(self.level);
            if wait > 0 {
                return Err(Duration::from_nanos(wait.try_into().expect("it is short")));
            }
            self.level -= interval;
            Ok(())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_limit_answers_as_a_bucket_of_tokens(
            calls in 1_u32..2_000,
            burst in 1_u32..20,
            steps in prop::collection::vec((0_u128..4, 0_u64..2_000_000_000), 0..200),
        ) {
            let limit = RateLimit::per_minute(calls).and_then(|limit| limit.burst(burst));
            let limit = limit.expect("it is in range");
            let (limiter, timer) = limiter(limit, 10);
            let (mut now, mut buckets) = (0, HashMap::new());
            for (key, pause) in steps {
                timer.advance(Duration::from_nanos(pause));
                now += u128::from(pause);
                let full = limit.interval.as_nanos() * u128::from(burst);
                let bucket = buckets.entry(key).or_insert(Bucket { level: full, filled_at: now });
                let expected = bucket.check(limit, now);
                prop_assert_eq!(limiter.peek(&tenant(key)), expected);
                prop_assert_eq!(limiter.check(&tenant(key)), expected);
            }
        }
    }

    #[test]
    fn no_calls_and_too_many_are_refused() {
        for calls in [0, super::MAX_CALLS + 1] {
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
