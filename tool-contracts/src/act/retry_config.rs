//! The retries that a request asks for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// The number of attempts of a failed call, and the delays between them.
///
/// ```
/// use tool_contracts::act::RetryConfig;
///
/// let config = RetryConfig::new(5, 1.5, 50)?;
/// assert_eq!((config.max_attempts(), config.initial_delay_ms()), (5, 50));
/// assert_eq!(RetryConfig::default(), RetryConfig::new(3, 2.0, 100)?);
/// assert!(RetryConfig::new(6, 2.0, 100).is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("retry_config"))]
pub struct RetryConfig {
    /// The number of attempts, including the first: 1 to 5.
    #[schemars(with = "Option<u32>", range(min = 1, max = 5), extend("default" = 3))]
    max_attempts: u32,
    /// The factor by which each delay is longer than the one before: from 1.
    #[schemars(with = "Option<f64>", range(min = 1), extend("default" = 2.0))]
    backoff_multiplier: f64,
    /// The first delay, in milliseconds: from 10.
    #[schemars(with = "Option<u64>", range(min = 10), extend("default" = 100))]
    initial_delay_ms: u64,
}

impl RetryConfig {
    /// Creates settings: attempts including the first, multiplier, and first delay in milliseconds.
    ///
    /// # Errors
    /// Returns an error if there are not 1 to 5 attempts, the multiplier is below 1 or not finite, or
    /// the delay is below 10 ms.
    pub fn new(
        max_attempts: u32,
        backoff_multiplier: f64,
        initial_delay_ms: u64,
    ) -> Result<Self, ContractError> {
        let mut problems = Problems::new("RetryConfig");
        problems.check(
            (1..=5).contains(&max_attempts),
            "max_attempts",
            "expected a whole number from 1 to 5",
        );
        problems.check(
            backoff_multiplier.is_finite() && backoff_multiplier >= 1.0,
            "backoff_multiplier",
            "expected a number from 1",
        );
        problems.check(
            initial_delay_ms >= 10,
            "initial_delay_ms",
            "expected a whole number of milliseconds from 10",
        );
        problems.finish()?;
        Ok(Self { max_attempts, backoff_multiplier, initial_delay_ms })
    }

    /// Returns the number of attempts, including the first: 1 to 5.
    #[must_use]
    pub const fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// Returns the factor by which each delay is longer than the one before: from 1.
    #[must_use]
    pub const fn backoff_multiplier(&self) -> f64 {
        self.backoff_multiplier
    }

    /// Returns the first delay, in milliseconds: from 10.
    #[must_use]
    pub const fn initial_delay_ms(&self) -> u64 {
        self.initial_delay_ms
    }
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self { max_attempts: 3, backoff_multiplier: 2.0, initial_delay_ms: 100 }
    }
}

reads! {
    RetryConfig, "the settings of retries";
    optional max_attempts = "max_attempts", leaf wire::Whole<wire::MaxAttempts>;
    optional backoff_multiplier = "backoff_multiplier", leaf wire::Finite;
    optional initial_delay_ms = "initial_delay_ms", leaf wire::Whole<wire::DelayMilliseconds>;
    => {
        let default = RetryConfig::default();
        let read = RetryConfig::new(
            max_attempts.map_or(default.max_attempts, |attempts| attempts.saturated(u32::MAX)),
            backoff_multiplier.unwrap_or(default.backoff_multiplier),
            initial_delay_ms.map_or(default.initial_delay_ms, |delay| delay.saturated(u64::MAX)),
        );
        read.map_err(wire::refused)
    }
}
