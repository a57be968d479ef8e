//! Retries of failed calls: attempts, delays, and a budget for each tool.

mod budget;
pub(super) mod call_retries;
mod config;
mod delays;
mod limited;

pub(crate) use self::budget::RetryBudget;
pub use self::config::RetryConfig;
pub(crate) use self::delays::Delays;
