//! Limits: concurrency, rates, circuit breakers, and rejected calls in a run.

mod breaker;
mod concurrency;
mod correction;
mod rate;
#[cfg(feature = "http")]
mod rate_peek;

pub use self::breaker::BreakerConfig;
pub(crate) use self::breaker::{BreakerPermit, TenantBreakers};
pub(crate) use self::concurrency::{ConcurrencyLimiter, ConcurrencyPermit};
pub(crate) use self::correction::{CorrectionBudget, RunKey};
#[cfg(feature = "http")]
pub(crate) use self::rate::RateKey;
pub use self::rate::RateLimit;
pub(crate) use self::rate::RateLimiter;
