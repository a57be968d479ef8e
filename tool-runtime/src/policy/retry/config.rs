//! How often and how far apart a failed call is tried again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::policy::OutOfRange;

/// Says how often a failed call is tried, and how long it waits in between.
///
/// The first wait lasts `initial_delay_ms`, each further one `backoff_multiplier` times as long.
/// Every wait is then lengthened at random, up to double, so that callers who failed together do
/// not come back together; none lasts longer than [`max_delay`](Self::max_delay). A tool's own
/// advice (`retry_after_ms`) is waited for if it is longer than that, and if it is longer than
/// `max_delay`, the call is not tried again.
///
/// # On the wire
/// ```json
/// {"max_attempts": 3, "backoff_multiplier": 2.0, "initial_delay_ms": 100}
/// ```
/// What is absent or null has its default. `max_delay_ms` is written only if it is not the
/// default.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_runtime::policy::RetryConfig;
///
/// let config = RetryConfig::new(5, 1.5, 50)?.with_max_delay(Duration::from_secs(2))?;
/// assert_eq!(config.max_attempts(), 5);
///
/// let config: RetryConfig = serde_json::from_str(r#"{"max_attempts": 2}"#)?;
/// assert_eq!(config, RetryConfig::default().with_max_attempts(2)?);
/// assert!(serde_json::from_str::<RetryConfig>(r#"{"max_attempts": 6}"#).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct RetryConfig {
    max_attempts: u32,
    backoff_multiplier: f64,
    initial_delay_ms: u64,
    max_delay_ms: u64,
}

/// The longest wait that can be asked for, in milliseconds.
const LONGEST_MS: u64 = 60 * 60 * 1_000;
/// The shortest first wait that can be asked for, in milliseconds.
const SHORTEST_MS: u64 = 10;
const MOST_ATTEMPTS: u32 = 5;
const STEEPEST: f64 = 10.0;

impl RetryConfig {
    const DEFAULT: Self = Self {
        max_attempts: 3,
        backoff_multiplier: 2.0,
        initial_delay_ms: 100,
        max_delay_ms: 10_000,
    };

    /// Sets the attempts (the first one counts), the multiplier and the first wait.
    ///
    /// # Errors
    /// The first setting that is out of its range: 1 to 5 attempts, a multiplier of 1 to 10, and
    /// 10 ms to [`max_delay`](Self::max_delay), which is 10 s here.
    pub fn new(
        max_attempts: u32,
        backoff_multiplier: f64,
        initial_delay_ms: u64,
    ) -> Result<Self, OutOfRange> {
        Self { max_attempts, backoff_multiplier, initial_delay_ms, ..Self::DEFAULT }.checked()
    }

    /// Gives up after the first attempt.
    #[must_use]
    pub const fn never() -> Self {
        Self { max_attempts: 1, ..Self::DEFAULT }
    }

    /// Sets how often a call is tried; the first attempt counts.
    ///
    /// # Errors
    /// When it is not 1 to 5.
    pub fn with_max_attempts(self, attempts: u32) -> Result<Self, OutOfRange> {
        Self { max_attempts: attempts, ..self }.checked()
    }

    /// Sets how many times as long each wait is as the one before.
    ///
    /// # Errors
    /// When it is not 1 to 10.
    pub fn with_backoff_multiplier(self, multiplier: f64) -> Result<Self, OutOfRange> {
        Self { backoff_multiplier: multiplier, ..self }.checked()
    }

    /// Sets the first wait, in milliseconds.
    ///
    /// # Errors
    /// When it is less than 10 or longer than [`max_delay`](Self::max_delay).
    pub fn with_initial_delay_ms(self, milliseconds: u64) -> Result<Self, OutOfRange> {
        Self { initial_delay_ms: milliseconds, ..self }.checked()
    }

    /// Sets the longest single wait, in whole milliseconds.
    ///
    /// # Errors
    /// When it is longer than an hour, or shorter than the first wait.
    pub fn with_max_delay(self, delay: Duration) -> Result<Self, OutOfRange> {
        let max_delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        Self { max_delay_ms, ..self }.checked()
    }

    /// Returns how often a call is tried; the first attempt counts.
    #[must_use]
    pub const fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// Returns how many times as long each wait is as the one before.
    #[must_use]
    pub const fn backoff_multiplier(&self) -> f64 {
        self.backoff_multiplier
    }

    /// Returns the first wait, in milliseconds.
    #[must_use]
    pub const fn initial_delay_ms(&self) -> u64 {
        self.initial_delay_ms
    }

    /// Returns the longest single wait.
    #[must_use]
    pub const fn max_delay(&self) -> Duration {
        Duration::from_millis(self.max_delay_ms)
    }

    fn checked(self) -> Result<Self, OutOfRange> {
        let Self { max_attempts, backoff_multiplier, initial_delay_ms, max_delay_ms } = self;
        OutOfRange::unless(
            (1..=MOST_ATTEMPTS).contains(&max_attempts),
            "max_attempts",
            format_args!("1 to {MOST_ATTEMPTS}"),
            max_attempts,
        )?;
        OutOfRange::unless(
            (1.0..=STEEPEST).contains(&backoff_multiplier),
            "backoff_multiplier",
            format_args!("1 to {STEEPEST}"),
            backoff_multiplier,
        )?;
        OutOfRange::unless(
            max_delay_ms <= LONGEST_MS,
            "max_delay_ms",
            format_args!("at most {LONGEST_MS}"),
            max_delay_ms,
        )?;
        OutOfRange::unless(
            (SHORTEST_MS..=max_delay_ms).contains(&initial_delay_ms),
            "initial_delay_ms",
            format_args!("{SHORTEST_MS} to {max_delay_ms}, the longest wait"),
            initial_delay_ms,
        )?;
        Ok(self)
    }
}

impl Default for RetryConfig {
    /// Three attempts, 100 ms apart at first, then 200 ms; no wait longer than 10 s.
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    max_attempts: Option<u32>,
    backoff_multiplier: Option<f64>,
    initial_delay_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_delay_ms: Option<u64>,
}

impl TryFrom<Wire> for RetryConfig {
    type Error = OutOfRange;

    fn try_from(wire: Wire) -> Result<Self, OutOfRange> {
        let default = Self::DEFAULT;
        let config = Self {
            max_attempts: wire.max_attempts.unwrap_or(default.max_attempts),
            backoff_multiplier: wire.backoff_multiplier.unwrap_or(default.backoff_multiplier),
            initial_delay_ms: wire.initial_delay_ms.unwrap_or(default.initial_delay_ms),
            max_delay_ms: wire.max_delay_ms.unwrap_or(default.max_delay_ms),
        };
        config.checked()
    }
}

impl From<RetryConfig> for Wire {
    fn from(config: RetryConfig) -> Self {
        let capped = config.max_delay_ms != RetryConfig::DEFAULT.max_delay_ms;
        Self {
            max_attempts: Some(config.max_attempts),
            backoff_multiplier: Some(config.backoff_multiplier),
            initial_delay_ms: Some(config.initial_delay_ms),
            max_delay_ms: capped.then_some(config.max_delay_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RetryConfig;

    #[track_caller]
    fn check_refused(config: Result<RetryConfig, crate::policy::OutOfRange>, field: &str) {
        assert_eq!(config.expect_err("it is out of range").field(), field);
    }

    #[test]
    fn the_ends_of_each_range_are_in_it_and_the_next_values_are_not() {
        for attempts in [1, 5] {
            assert!(RetryConfig::new(attempts, 2.0, 100).is_ok(), "{attempts}");
        }
        for attempts in [0, 6] {
            check_refused(RetryConfig::new(attempts, 2.0, 100), "max_attempts");
        }
        for multiplier in [1.0, 10.0] {
            assert!(RetryConfig::new(3, multiplier, 100).is_ok(), "{multiplier}");
        }
        for multiplier in [0.999, 10.001, -1.0, f64::INFINITY, f64::NAN] {
            check_refused(RetryConfig::new(3, multiplier, 100), "backoff_multiplier");
        }
        for delay in [10, 10_000] {
            assert!(RetryConfig::new(3, 2.0, delay).is_ok(), "{delay}");
        }
        for delay in [9, 10_001, u64::MAX] {
            check_refused(RetryConfig::new(3, 2.0, delay), "initial_delay_ms");
        }
        let capped = |seconds| RetryConfig::default().with_max_delay(Duration::from_secs(seconds));
        assert!(capped(3_600).is_ok());
        check_refused(capped(3_601), "max_delay_ms");
        check_refused(capped(0), "initial_delay_ms");
    }

    #[test]
    fn setters_check_too() {
        let config = RetryConfig::never();
        check_refused(config.with_max_attempts(0), "max_attempts");
        check_refused(config.with_backoff_multiplier(0.5), "backoff_multiplier");
        check_refused(config.with_initial_delay_ms(1), "initial_delay_ms");
    }

    #[test]
    fn the_wire_has_the_three_names_and_a_cap_only_if_it_was_set() {
        let text = serde_json::to_string(&RetryConfig::default()).expect("it is plain");
        assert_eq!(text, r#"{"max_attempts":3,"backoff_multiplier":2.0,"initial_delay_ms":100}"#);
        let capped = RetryConfig::default().with_max_delay(Duration::from_secs(3)).expect("fits");
        let text = serde_json::to_string(&capped).expect("it is plain");
        assert!(text.ends_with(r#","max_delay_ms":3000}"#), "{text}");
        assert_eq!(serde_json::from_str::<RetryConfig>(&text).expect("it reads back"), capped);
    }

    #[test]
    fn what_is_read_is_checked_and_completed() {
        let read = |text| serde_json::from_str::<RetryConfig>(text);
        assert_eq!(read("{}").expect("all default"), RetryConfig::default());
        assert_eq!(read(r#"{"max_attempts":null}"#).expect("null"), RetryConfig::default());
        assert!(read(r#"{"retries":2}"#).is_err());
        let error = read(r#"{"initial_delay_ms":3}"#).expect_err("too short").to_string();
        assert!(error.contains("`initial_delay_ms`: expected 10 to"), "{error}");
        assert!(error.contains("found 3"), "{error}");
    }
}
