//! A time that follows no wall clock: the arithmetic that stores share.

use std::time::Duration;

use super::{ClockReading, UnixMillis};

/// The time of a store: it never goes back, and never runs ahead of time that has really passed.
///
/// It begins with the wall clock and follows the clock that cannot be set. From one boot to the
/// next it advances as the wall clock does, by a minute at most, since nothing tells how long the
/// machine was off: what is kept for a day is kept for a day in which the machine was up.
///
/// A backend of [`IdempotencyStore`](super::IdempotencyStore) keeps one, and hands it every reading
/// in the transaction that reads and writes it.
///
/// ```
/// use tool_runtime::Uuid;
/// use tool_runtime::store::{ClockReading, SteadyTime, Timeline, UnixMillis};
///
/// let read = |wall, up_ms| {
///     ClockReading::new(UnixMillis::new(wall), SteadyTime::new(Uuid::nil(), up_ms))
/// };
/// let mut timeline = Timeline::start(read(1_000_000, 60_000));
/// // The wall clock is set forward by a day within a second.
/// let day = 24 * 60 * 60 * 1_000;
/// assert_eq!(timeline.advance(read(1_000_000 + day, 61_000)), UnixMillis::new(1_001_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    time: UnixMillis,
    read: ClockReading,
}

/// By how much the time advances at most where the clock that cannot be set has begun anew.
const ACROSS_BOOTS: Duration = Duration::from_secs(60);

/// How late a reading may come to the store. One that lies back further is of a clock that began
/// anew.
const LATE: Duration = Duration::from_secs(60);

impl Timeline {
    /// Begins with a reading of the wall clock.
    #[must_use]
    pub const fn start(reading: ClockReading) -> Self {
        Self { time: reading.wall(), read: reading }
    }

    /// Takes a time, and the reading at which it was that time, as a backend has stored them.
    #[must_use]
    pub const fn new(time: UnixMillis, read: ClockReading) -> Self {
        Self { time, read }
    }

    /// Returns the latest time that it has come to.
    #[must_use]
    pub const fn time(&self) -> UnixMillis {
        self.time
    }

    /// Returns the reading at which it was that time.
    #[must_use]
    pub const fn read(&self) -> ClockReading {
        self.read
    }

    /// Advances to a reading, and returns the time at it.
    ///
    /// A reading that comes late, after one that was taken after it, changes nothing and gets the
    /// time that it was then.
    pub fn advance(&mut self, reading: ClockReading) -> UnixMillis {
        let (before, now) = (self.read.steady(), reading.steady());
        if let Some(passed) = now.since(before) {
            return self.pass(passed, reading);
        }
        match before.since(now) {
            Some(late) if late <= LATE => self.time.before(late),
            _ => self.pass(reading.wall().since(self.read.wall()).min(ACROSS_BOOTS), reading),
        }
    }

    fn pass(&mut self, passed: Duration, reading: ClockReading) -> UnixMillis {
        self.time = self.time.after(passed);
        self.read = reading;
        self.time
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::SteadyTime;

    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    const START: u64 = 1_800_000_000_000;

    /// A reading of the wall clock, in a boot, so long after it.
    fn read(wall: u64, boot: u128, up_ms: u64) -> ClockReading {
        let steady = SteadyTime::new(Uuid::from_u128(boot), up_ms);
        ClockReading::new(UnixMillis::new(wall), steady)
    }

    fn started() -> Timeline {
        Timeline::start(read(START, 1, 1_000_000))
    }

    #[track_caller]
    fn check(timeline: &mut Timeline, reading: ClockReading, passed_ms: u64) {
        assert_eq!(timeline.advance(reading), UnixMillis::new(START + passed_ms));
    }

    #[test]
    fn it_follows_the_clock_that_cannot_be_set() {
        let mut timeline = started();
        for (wall, up_ms) in [(START + DAY_MS, 1), (START - DAY_MS, 2), (START, DAY_MS)] {
            check(&mut timeline, read(wall, 1, 1_000_000 + up_ms), up_ms);
        }
    }

    #[test]
    fn a_boot_adds_what_the_wall_clock_says_and_a_minute_at_most() {
        for (wall, passed_ms) in
            [(START + 5_000, 5_000), (START + DAY_MS, 60_000), (START - DAY_MS, 0)]
        {
            // It may have been up for longer than the one before.
            for up_ms in [0, 2_000_000] {
                let mut timeline = started();
                check(&mut timeline, read(wall, 2, up_ms), passed_ms);
                check(&mut timeline, read(wall, 2, up_ms + 700), passed_ms + 700);
            }
        }
    }

    #[test]
    fn a_clock_that_began_anew_without_another_boot_is_taken_for_one() {
        let mut timeline = started();
        check(&mut timeline, read(START + 10, 1, 5), 10);
        check(&mut timeline, read(START + 10, 1, 25), 30);
    }

    #[test]
    fn a_reading_that_comes_late_changes_nothing() {
        let mut timeline = started();
        check(&mut timeline, read(START, 1, 1_000_500), 500);
        let before = timeline;
        check(&mut timeline, read(START, 1, 1_000_200), 200);
        assert_eq!(timeline, before);
        check(&mut timeline, read(START, 1, 1_000_600), 600);
    }
}
