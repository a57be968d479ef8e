//! How many calls at once, how many a while, how many refused ones in a run.

mod breaker;
mod concurrency;
mod correction;
mod rate;

pub use self::breaker::BreakerConfig;
pub(crate) use self::breaker::{Pass, TenantBreakers};
pub(crate) use self::concurrency::{PlacePermit, Places};
pub(crate) use self::correction::{CorrectionBudget, RunKey};
pub use self::rate::RateLimit;
pub(crate) use self::rate::{Key, RateLimiter};
