//! The settings of retries: attempts and delays.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::policy::OutOfRange;
use crate::timer::whole_millis;
use tool_contracts::act;

/// Sets the number of attempts of a failed call, and the delays between them.
///
/// The first delay is `initial_delay_ms`, each further one `backoff_multiplier` times as long. A
/// random jitter of up to the delay itself is added, so that calls which failed together are not
/// retried together; no delay is longer than [`max_delay`](Self::max_delay). If the tool's
/// `retry_after_ms` is longer than the delay, it is used instead; if it is longer than `max_delay`,
/// the call is not retried.
///
/// # JSON
/// ```json
/// {"max_attempts": 3, "backoff_multiplier": 2.0, "initial_delay_ms": 100}
/// ```
/// A field that is absent or null has its default. `max_delay_ms` is written only if it is not the
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
#[serde(try_from = "RetryConfigJson", into = "RetryConfigJson")]
pub struct RetryConfig {
    max_attempts: u32,
    backoff_multiplier: f64,
    initial_delay_ms: u64,
    max_delay_ms: u64,
}

/// The longest delay that can be set, in milliseconds.
const MAX_MS: u64 = 60 * 60 * 1_000;
/// The shortest first delay that can be set, in milliseconds.
const SHORTEST_MS: u64 = 10;
const MAX_ATTEMPTS: u32 = 5;
const MAX_BACKOFF: f64 = 10.0;

impl RetryConfig {
    const DEFAULT: Self = Self {
        max_attempts: 3,
        backoff_multiplier: 2.0,
        initial_delay_ms: 100,
        max_delay_ms: 10_000,
    };

    /// Sets the attempts, including the first, the multiplier and the first delay.
    ///
    /// # Errors
    /// Returns the first setting that is out of its range: 1 to 5 attempts, a multiplier of 1 to
    /// 10, and 10 ms to [`max_delay`](Self::max_delay), which is 10 s here.
    pub fn new(
        max_attempts: u32,
        backoff_multiplier: f64,
        initial_delay_ms: u64,
    ) -> Result<Self, OutOfRange> {
        Self { max_attempts, backoff_multiplier, initial_delay_ms, ..Self::DEFAULT }.checked()
    }

    /// Returns settings without retries: one attempt.
    #[must_use]
    pub const fn never() -> Self {
        Self { max_attempts: 1, ..Self::DEFAULT }
    }

    /// Sets the number of attempts, including the first.
    ///
    /// # Errors
    /// Returns an error if it is not 1 to 5.
    pub fn with_max_attempts(self, attempts: u32) -> Result<Self, OutOfRange> {
        Self { max_attempts: attempts, ..self }.checked()
    }

    /// Sets the factor by which each delay is longer than the one before.
    ///
    /// # Errors
    /// Returns an error if it is not 1 to 10.
    pub fn with_backoff_multiplier(self, multiplier: f64) -> Result<Self, OutOfRange> {
        Self { backoff_multiplier: multiplier, ..self }.checked()
    }

    /// Sets the first delay, in milliseconds.
    ///
    /// # Errors
    /// Returns an error if it is less than 10 or longer than [`max_delay`](Self::max_delay).
    pub fn with_initial_delay_ms(self, milliseconds: u64) -> Result<Self, OutOfRange> {
        Self { initial_delay_ms: milliseconds, ..self }.checked()
    }

    /// Sets the longest delay, in whole milliseconds.
    ///
    /// # Errors
    /// Returns an error if it is longer than an hour, or shorter than the first delay.
    pub fn with_max_delay(self, delay: Duration) -> Result<Self, OutOfRange> {
        let max_delay_ms = whole_millis(delay);
        Self { max_delay_ms, ..self }.checked()
    }

    /// Returns the number of attempts, including the first.
    #[must_use]
    pub const fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// Returns the factor by which each delay is longer than the one before.
    #[must_use]
    pub const fn backoff_multiplier(&self) -> f64 {
        self.backoff_multiplier
    }

    /// Returns the first delay, in milliseconds.
    #[must_use]
    pub const fn initial_delay_ms(&self) -> u64 {
        self.initial_delay_ms
    }

    /// Returns the longest delay.
    #[must_use]
    pub const fn max_delay(&self) -> Duration {
        Duration::from_millis(self.max_delay_ms)
    }

    /// Returns the settings that a request asks for, limited to the ranges of this type.
    pub(crate) fn limited(requested: &act::RetryConfig) -> Self {
        let multiplier = requested.backoff_multiplier().min(MAX_BACKOFF);
        let delay = requested.initial_delay_ms().min(Self::DEFAULT.max_delay_ms);
        Self {
            max_attempts: requested.max_attempts(),
            backoff_multiplier: multiplier,
            initial_delay_ms: delay,
            ..Self::DEFAULT
        }
    }

    fn checked(self) -> Result<Self, OutOfRange> {
        let Self { max_attempts, backoff_multiplier, initial_delay_ms, max_delay_ms } = self;
        OutOfRange::unless(
            (1..=MAX_ATTEMPTS).contains(&max_attempts),
            "max_attempts",
            format_args!("1 to {MAX_ATTEMPTS}"),
            max_attempts,
        )?;
        OutOfRange::unless(
            (1.0..=MAX_BACKOFF).contains(&backoff_multiplier),
            "backoff_multiplier",
            format_args!("1 to {MAX_BACKOFF}"),
            backoff_multiplier,
        )?;
        OutOfRange::unless(
            max_delay_ms <= MAX_MS,
            "max_delay_ms",
            format_args!("at most {MAX_MS}"),
            max_delay_ms,
        )?;
        OutOfRange::unless(
            (SHORTEST_MS..=max_delay_ms).contains(&initial_delay_ms),
            "initial_delay_ms",
            format_args!("{SHORTEST_MS} to {max_delay_ms}, the longest delay"),
            initial_delay_ms,
        )?;
        Ok(self)
    }
}

/// Converts the settings of a request.
///
/// # Errors
/// Returns the first setting beyond this type's upper bounds: a multiplier of 10, a first delay of
/// 10 seconds.
impl TryFrom<act::RetryConfig> for RetryConfig {
    type Error = OutOfRange;

    fn try_from(requested: act::RetryConfig) -> Result<Self, OutOfRange> {
        let (attempts, multiplier) = (requested.max_attempts(), requested.backoff_multiplier());
        Self::new(attempts, multiplier, requested.initial_delay_ms())
    }
}

/// Converts the settings to those of a request.
///
/// # Errors
/// Returns an error if the longest delay was set, because a request has none.
impl TryFrom<RetryConfig> for act::RetryConfig {
    type Error = OutOfRange;

    fn try_from(config: RetryConfig) -> Result<Self, OutOfRange> {
        let longest = RetryConfig::DEFAULT.max_delay_ms;
        let max_delay = config.max_delay_ms;
        OutOfRange::unless(max_delay == longest, "max_delay_ms", longest, max_delay)?;
        Self::new(config.max_attempts, config.backoff_multiplier, config.initial_delay_ms)
            .map_err(|error| OutOfRange::new("retry_config", error, config))
    }
}

impl Default for RetryConfig {
    /// Three attempts, with delays of 100 ms and 200 ms; no delay longer than 10 s.
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryConfigJson {
    max_attempts: Option<u32>,
    backoff_multiplier: Option<f64>,
    initial_delay_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_delay_ms: Option<u64>,
}

impl TryFrom<RetryConfigJson> for RetryConfig {
    type Error = OutOfRange;

    fn try_from(wire: RetryConfigJson) -> Result<Self, OutOfRange> {
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

impl From<RetryConfig> for RetryConfigJson {
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
    fn the_json_has_the_three_names_and_a_cap_only_if_it_was_set() {
        let text = serde_json::to_string(&RetryConfig::default()).expect("it is plain");
        assert_eq!(text, r#"{"max_attempts":3,"backoff_multiplier":2.0,"initial_delay_ms":100}"#);
        let capped = RetryConfig::default().with_max_delay(Duration::from_secs(3)).expect("fits");
        let text = serde_json::to_string(&capped).expect("it is plain");
        assert!(text.ends_with(r#","max_delay_ms":3000}"#), "{text}");
        assert_eq!(serde_json::from_str::<RetryConfig>(&text).expect("it reads back"), capped);
    }

    #[test]
    fn json_is_checked_and_completed_with_defaults() {
        let read = |text| serde_json::from_str::<RetryConfig>(text);
        assert_eq!(read("{}").expect("all default"), RetryConfig::default());
        assert_eq!(read(r#"{"max_attempts":null}"#).expect("null"), RetryConfig::default());
        assert!(read(r#"{"retries":2}"#).is_err());
        let error = read(r#"{"initial_delay_ms":3}"#).expect_err("too short").to_string();
        assert!(error.contains("`initial_delay_ms`: expected 10 to"), "{error}");
        assert!(error.contains("found 3"), "{error}");
    }
}
