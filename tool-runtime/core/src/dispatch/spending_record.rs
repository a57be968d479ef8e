//! The amounts that a call asked of budgets, for records and metrics.

use std::sync::Arc;

use crate::budget_unit::BudgetUnit;

/// The amount that a call asked of one limit of a budget, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a ledger that does not know a part does not compile")]
pub struct SpendingRecord {
    /// The budget's name.
    pub budget: Arc<str>,
    /// The limit of the budget, such as `day`.
    pub limit: Arc<str>,
    /// The unit.
    pub unit: BudgetUnit,
    /// The amount that the call asked for, in the unit's parts: calls, or millionths of a currency.
    pub amount: u64,
    /// The limit in force.
    pub total: u64,
    /// The outcome.
    pub outcome: SpendingOutcome,
    /// The digest of the idempotency key under which the amount is spent, so that a repeat is told from a call of its own;
    /// none for a read, and for a call that was refused before it had a key.
    pub key: Option<[u8; 32]>,
    /// The name and the SHA-256 of the mandate that proves the limit, separated by a space.
    pub mandate: Option<Arc<str>>,
}

/// The outcome of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "a ledger that does not know an outcome does not compile"
)]
pub enum SpendingOutcome {
    /// The amount did not fit, and the call was refused.
    Refused,
    /// The amount stays reserved, since the outcome of the call is unknown.
    Held,
    /// This much was spent, and the rest is free again.
    Spent(u64),
    /// The call repeats another one and has its answer. The other call has spent this much, and this one nothing.
    Replayed(u64),
}
