//! Timestamps, and the clock that stores and tickets read.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{ClockReading, MonotonicTime};
use crate::timer::whole_millis;

/// A timestamp: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(u64);

impl UnixMillis {
    /// Creates a timestamp from milliseconds since the epoch.
    #[must_use]
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Returns the milliseconds since the epoch.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Adds a duration; saturates.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(whole_millis(time)))
    }

    /// Subtracts a duration; saturates.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(whole_millis(time)))
    }

    /// Returns the duration since an earlier timestamp; zero if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Reads the wall clock and a monotonic clock. Deadlines are measured by the
/// [`Timer`](crate::Timer) instead.
///
/// Tickets, standing grants and stored outputs expire by the wall clock. Leases and the retention
/// of idempotency keys follow the monotonic clock: see
/// [`IdempotencyStore::read_time`](super::IdempotencyStore::read_time).
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Reads the wall clock.
    fn now(&self) -> UnixMillis;

    /// Reads the monotonic clock; by default the operating system's.
    fn monotonic(&self) -> MonotonicTime {
        MonotonicTime::now()
    }

    /// Reads both clocks.
    fn read(&self) -> ClockReading {
        ClockReading::new(self.now(), self.monotonic())
    }
}

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(whole_millis(since))
    }
}
