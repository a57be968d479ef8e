//! Moments, and the clocks that stores and tickets read.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{ClockReading, SteadyTime};

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(u64);

impl UnixMillis {
    /// Takes milliseconds since the epoch.
    #[must_use]
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Returns milliseconds since the epoch.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the moment this much later, or the last one there is.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the moment this much earlier, or the first one there is.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns how long it is from an earlier moment to this one; nothing if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Reads the wall clock, and beside it a clock that cannot be set. Deadlines come from the
/// [`Timer`](crate::Timer).
///
/// Tickets, standing grants and kept outputs end by the wall clock. Leases and the retention of
/// idempotency keys follow the clock that cannot be set: see
/// [`IdempotencyStore::read_time`](super::IdempotencyStore::read_time).
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Reads the wall clock.
    fn now(&self) -> UnixMillis;

    /// Reads the clock that cannot be set: the operating system's unless a clock brings its own.
    fn steady(&self) -> SteadyTime {
        SteadyTime::now()
    }

    /// Reads both clocks.
    fn read(&self) -> ClockReading {
        ClockReading::new(self.now(), self.steady())
    }
}

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}
