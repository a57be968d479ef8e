//! Limits: concurrency, rates, circuit breakers, and rejected calls in a run.

mod breaker;
mod concurrency;
mod rate;
#[cfg(feature = "http")]
mod rate_peek;
mod rejected_calls;

pub use self::breaker::BreakerConfig;
pub(crate) use self::breaker::{BreakerPermit, TenantBreakers};
pub(crate) use self::concurrency::{ConcurrencyLimiter, ConcurrencyPermit};
#[cfg(feature = "http")]
pub(crate) use self::rate::RateKey;
pub use self::rate::RateLimit;
pub(crate) use self::rate::RateLimiter;
pub(crate) use self::rejected_calls::{RejectedCallLimit, RunKey};
