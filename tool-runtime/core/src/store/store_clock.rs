//! The time of a store, advanced by a monotonic clock: arithmetic that backends share.

use std::time::Duration;

use super::{ClockReading, UnixMillis};

/// The clock of a store: it never goes back, and never advances by more than the time that passed.
///
/// It starts at the wall clock's time and follows the monotonic clock. Between two boots it
/// advances by the wall clock, at most by a minute, because the time for which the machine was off
/// cannot be measured: a retention of a day is a day in which the machine was running.
///
/// A backend of [`IdempotencyStore`](super::IdempotencyStore) stores one, and advances it with each
/// reading, in the transaction that reads and writes it.
///
/// ```
/// use tool_runtime::Uuid;
/// use tool_runtime::store::{ClockReading, MonotonicTime, StoreClock, UnixMillis};
///
/// let read = |wall, up_ms| {
///     ClockReading::new(UnixMillis::new(wall), MonotonicTime::new(Uuid::nil(), up_ms))
/// };
/// let mut clock = StoreClock::start(read(1_000_000, 60_000));
/// // The wall clock is set forward by a day within one second.
/// let day = 24 * 60 * 60 * 1_000;
/// assert_eq!(clock.advance(read(1_000_000 + day, 61_000)), UnixMillis::new(1_001_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreClock {
    time: UnixMillis,
    read: ClockReading,
}

/// The most by which the time advances when the monotonic clock has started anew.
const MAX_BOOT_GAP: Duration = Duration::from_secs(60);

/// The most by which a reading may be out of order. An older one is of a clock that started anew.
const MAX_DELAY: Duration = Duration::from_secs(60);

impl StoreClock {
    /// Starts at the wall clock's time.
    #[must_use]
    pub const fn start(reading: ClockReading) -> Self {
        Self { time: reading.wall(), read: reading }
    }

    /// Restores a clock from its time and the reading at that time, as a backend has stored them.
    #[must_use]
    pub const fn new(time: UnixMillis, read: ClockReading) -> Self {
        Self { time, read }
    }

    /// Returns the latest time.
    #[must_use]
    pub const fn time(&self) -> UnixMillis {
        self.time
    }

    /// Returns the reading at the latest time.
    #[must_use]
    pub const fn read(&self) -> ClockReading {
        self.read
    }

    /// Advances to a reading, and returns its time.
    ///
    /// A reading that arrives out of order, after a later one, changes nothing and gets the time of
    /// its own moment.
    pub fn advance(&mut self, reading: ClockReading) -> UnixMillis {
        let (before, now) = (self.read.monotonic(), reading.monotonic());
        if let Some(passed) = now.since(before) {
            return self.advance_by(passed, reading);
        }
        match before.since(now) {
            Some(late) if late <= MAX_DELAY => self.time.before(late),
            _ => self.advance_by(reading.wall().since(self.read.wall()).min(MAX_BOOT_GAP), reading),
        }
    }

    fn advance_by(&mut self, passed: Duration, reading: ClockReading) -> UnixMillis {
        self.time = self.time.after(passed);
        self.read = reading;
        self.time
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::MonotonicTime;

    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    const START: u64 = 1_800_000_000_000;

    /// A reading of the wall clock and of the monotonic clock in a boot.
    fn read(wall: u64, boot: u128, up_ms: u64) -> ClockReading {
        let monotonic = MonotonicTime::new(Uuid::from_u128(boot), up_ms);
        ClockReading::new(UnixMillis::new(wall), monotonic)
    }

    fn started() -> StoreClock {
        StoreClock::start(read(START, 1, 1_000_000))
    }

    #[track_caller]
    fn check(clock: &mut StoreClock, reading: ClockReading, passed_ms: u64) {
        assert_eq!(clock.advance(reading), UnixMillis::new(START + passed_ms));
    }

    #[test]
    fn it_follows_the_monotonic_clock() {
        let mut clock = started();
        for (wall, up_ms) in [(START + DAY_MS, 1), (START - DAY_MS, 2), (START, DAY_MS)] {
            check(&mut clock, read(wall, 1, 1_000_000 + up_ms), up_ms);
        }
    }

    #[test]
    fn a_boot_adds_the_wall_clock_s_difference_and_at_most_a_minute() {
        for (wall, passed_ms) in
            [(START + 5_000, 5_000), (START + DAY_MS, 60_000), (START - DAY_MS, 0)]
        {
            // The uptime may be longer than in the boot before.
            for up_ms in [0, 2_000_000] {
                let mut clock = started();
                check(&mut clock, read(wall, 2, up_ms), passed_ms);
                check(&mut clock, read(wall, 2, up_ms + 700), passed_ms + 700);
            }
        }
    }

    #[test]
    fn a_monotonic_clock_that_starts_anew_counts_as_a_boot() {
        let mut clock = started();
        check(&mut clock, read(START + 10, 1, 5), 10);
        check(&mut clock, read(START + 10, 1, 25), 30);
    }

    #[test]
    fn a_reading_out_of_order_changes_nothing() {
        let mut clock = started();
        check(&mut clock, read(START, 1, 1_000_500), 500);
        let before = clock;
        check(&mut clock, read(START, 1, 1_000_200), 200);
        assert_eq!(clock, before);
        check(&mut clock, read(START, 1, 1_000_600), 600);
    }
}
