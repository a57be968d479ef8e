//! Limits: concurrency, rates, circuit breakers, and rejected calls in a run.

mod breaker;
mod call_limits;
mod concurrency;
mod rate;
mod rate_peek;
mod rejected_calls;
mod shares;
mod tool_limits;

pub use self::breaker::BreakerConfig;
pub(crate) use self::breaker::{BreakerPermit, TenantBreakers};
pub(in crate::policy) use self::call_limits::{CallLimits, CallPermits};
pub(crate) use self::concurrency::{ConcurrencyLimiter, ConcurrencyPermit};
pub use self::rate::RateKey;
pub use self::rate::RateLimit;
pub use self::rate::RateLimiter;
pub(crate) use self::rejected_calls::{RejectedCallLimit, RunKey};
pub(crate) use self::shares::LimitShares;
pub(crate) use self::tool_limits::{ConcurrencyLimit, SharedBreakers, ToolRate};
