//! A clock that only the test moves.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_runtime_core::store::{Clock, ClockReading, MonotonicTime, UnixMillis};
use uuid::Uuid;

/// A manual wall clock and monotonic clock: they change only when the test sets or advances them. A
/// handle: clones share the time.
///
/// [`advance`](Self::advance) lets time pass. [`set`](Self::set) sets only the wall clock, as an
/// administrator or a time server does: leases and the retention of keys do not follow it.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<Mutex<ClockReading>>);

impl ManualClock {
    /// Makes a clock at a time, in the first boot.
    #[must_use]
    pub fn at(moment: UnixMillis) -> Self {
        let monotonic = MonotonicTime::new(Uuid::nil(), 0);
        Self(Arc::new(Mutex::new(ClockReading::new(moment, monotonic))))
    }

    /// Sets the wall clock, forwards or back; no time passes.
    pub fn set(&self, moment: UnixMillis) {
        let mut reading = self.lock();
        *reading = ClockReading::new(moment, reading.monotonic());
    }

    /// Lets time pass: both clocks move forwards.
    pub fn advance(&self, time: Duration) {
        let mut reading = self.lock();
        let (monotonic, passed) = (reading.monotonic(), UnixMillis::new(0).after(time).get());
        let monotonic =
            MonotonicTime::new(monotonic.boot(), monotonic.up_ms().saturating_add(passed));
        *reading = ClockReading::new(reading.wall().after(time), monotonic);
    }

    /// Simulates a reboot: the monotonic clock restarts at zero, with another boot id.
    pub fn reboot(&self) {
        let mut reading = self.lock();
        let boot = Uuid::from_u128(reading.monotonic().boot().as_u128().wrapping_add(1));
        *reading = ClockReading::new(reading.wall(), MonotonicTime::new(boot, 0));
    }

    fn lock(&self) -> MutexGuard<'_, ClockReading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMillis {
        self.lock().wall()
    }

    fn monotonic(&self) -> MonotonicTime {
        self.lock().monotonic()
    }

    fn read(&self) -> ClockReading {
        *self.lock()
    }
}
