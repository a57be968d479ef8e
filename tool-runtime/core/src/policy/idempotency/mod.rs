//! Idempotency keys: claims and leases, replays of answers, and unknown outcomes.

mod acquire;
mod commit;
mod counters;
mod earlier_runs;
mod held_key;
mod key_derivation;
mod key_step;
mod lease;
mod reconciliation;
mod refusals;
mod replay;
mod resolution;
mod tool_transaction;

pub(super) use self::acquire::KeyClaims;
pub(super) use self::counters::OutcomeCounters;
pub use self::counters::OutcomeCounts;
pub(super) use self::earlier_runs::EarlierRun;
pub(super) use self::held_key::ClaimedKey;
use self::lease::KeyLease;
pub(super) use self::refusals::{QUOTA_RETRY_AFTER_MS, key_reused};
pub use self::resolution::{Outcomes, Resolution, ResolveError};
pub(super) use self::tool_transaction::ToolTransaction;
