//! The settings of a circuit breaker.

use std::time::Duration;

use crate::policy::OutOfRange;

/// Sets when a circuit breaker opens, for how long, and when it closes.
///
/// It opens after a number of failures in a row, or at a ratio of failures among the calls of a
/// rolling window. Open, it refuses calls at once (`UNAVAILABLE`, with the time left as
/// `retry_after_ms`). Then it admits a few probes, and closes when all of them succeed. Only
/// transient failures count: a tool that refuses its arguments works.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_runtime::policy::BreakerConfig;
///
/// // Half of at least 20 calls of the last minute.
/// let config = BreakerConfig::failure_ratio(0.5, 20, Duration::from_secs(60))?
///     .with_open_for(Duration::from_secs(10))?
///     .with_probes(3)?;
/// assert_eq!(config.probes(), 3);
///
/// let error = BreakerConfig::failures_in_a_row(0).expect_err("it would never close");
/// assert_eq!(error.field(), "failures_in_a_row");
/// # Ok::<(), tool_runtime::policy::OutOfRange>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakerConfig {
    trip: TripCondition,
    open_for: Duration,
    probes: u32,
}

/// The condition that opens a closed breaker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TripCondition {
    InARow(u32),
    Ratio { ratio: f64, min_calls: u32, window: Duration },
}

const MAX_CALLS: u32 = 1_000_000;
const MAX_PROBES: u32 = 100;
const MIN_TIME: Duration = Duration::from_millis(10);
const MAX_TIME: Duration = Duration::from_secs(60 * 60);

impl BreakerConfig {
    /// Opens after a number of failures with no success between them.
    ///
    /// # Errors
    /// Returns an error if the number is not 1 to 1,000,000.
    pub fn failures_in_a_row(failures: u32) -> Result<Self, OutOfRange> {
        check_count("failures_in_a_row", failures, MAX_CALLS)?;
        Ok(Self { trip: TripCondition::InARow(failures), ..Self::DEFAULT })
    }

    /// Opens when at least `ratio` of the calls that ended in the last `window` failed, and there
    /// were at least `min_calls` of them.
    ///
    /// The window advances in tenths.
    ///
    /// # Errors
    /// Returns the first value that is out of its range: a ratio above 0 and at most 1, 1 to
    /// 1,000,000 calls, 10 ms to an hour.
    pub fn failure_ratio(ratio: f64, min_calls: u32, window: Duration) -> Result<Self, OutOfRange> {
        let fits = ratio > 0.0 && ratio <= 1.0;
        OutOfRange::unless(fits, "failure_ratio", "above 0 and at most 1", ratio)?;
        check_count("min_calls", min_calls, MAX_CALLS)?;
        check_time("window", window)?;
        Ok(Self { trip: TripCondition::Ratio { ratio, min_calls, window }, ..Self::DEFAULT })
    }

    /// Sets how long calls are refused before the first probe; 30 s by default.
    ///
    /// # Errors
    /// Returns an error if it is not 10 ms to an hour.
    pub fn with_open_for(self, time: Duration) -> Result<Self, OutOfRange> {
        check_time("open_for", time)?;
        Ok(Self { open_for: time, ..self })
    }

    /// Sets how many probes are admitted, which all have to succeed; one by default.
    ///
    /// # Errors
    /// Returns an error if it is not 1 to 100.
    pub fn with_probes(self, probes: u32) -> Result<Self, OutOfRange> {
        check_count("probes", probes, MAX_PROBES)?;
        Ok(Self { probes, ..self })
    }

    /// Returns how long calls are refused before the first probe.
    #[must_use]
    pub const fn open_for(&self) -> Duration {
        self.open_for
    }

    /// Returns how many probes are admitted, which all have to succeed.
    #[must_use]
    pub const fn probes(&self) -> u32 {
        self.probes
    }

    const DEFAULT: Self =
        Self { trip: TripCondition::InARow(5), open_for: Duration::from_secs(30), probes: 1 };

    pub(super) const fn trip(&self) -> TripCondition {
        self.trip
    }
}

impl Default for BreakerConfig {
    /// Opens after five failures in a row, for 30 s, and closes after one successful probe.
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn check_count(field: &'static str, count: u32, limit: u32) -> Result<(), OutOfRange> {
    OutOfRange::unless((1..=limit).contains(&count), field, format_args!("1 to {limit}"), count)
}

fn check_time(field: &'static str, time: Duration) -> Result<(), OutOfRange> {
    let fits = (MIN_TIME..=MAX_TIME).contains(&time);
    OutOfRange::unless(fits, field, format_args!("{MIN_TIME:?} to {MAX_TIME:?}"), time)
}
