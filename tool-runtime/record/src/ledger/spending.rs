//! The amounts that a recorded call asked of budgets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_runtime_core::dispatch::{SpendingOutcome, SpendingRecord};

/// The amount that a call asked of one limit of a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedSpending {
    /// The budget's name.
    pub budget: String,
    /// The limit of the budget, such as `day`.
    pub limit: String,
    /// The unit: the code of a currency by ISO 4217, or `calls`.
    pub unit: String,
    /// The amount that the call asked for, a decimal number.
    pub amount: String,
    /// The outcome of the amount.
    pub outcome: RecordedSpendingOutcome,
    /// The part that was spent, a decimal number; none unless the outcome is `spent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    /// The name and the SHA-256 of the mandate that proves the limit, separated by a space; none if the budget needs
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mandate: Option<String>,
}

/// The outcome of an amount that a call asked of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordedSpendingOutcome {
    /// The amount did not fit, and the call was refused.
    Refused,
    /// The amount stays reserved until the unknown outcome of the call is resolved.
    Held,
    /// A part of the amount, or more, was spent, and the rest is free again.
    Spent,
}

impl From<&SpendingRecord> for RecordedSpending {
    fn from(record: &SpendingRecord) -> Self {
        let SpendingRecord { budget, limit, unit, amount, total: _, outcome, mandate } = record;
        let (outcome, spent) = match outcome {
            SpendingOutcome::Refused => (RecordedSpendingOutcome::Refused, None),
            SpendingOutcome::Held => (RecordedSpendingOutcome::Held, None),
            SpendingOutcome::Spent(spent) => {
                (RecordedSpendingOutcome::Spent, Some(unit.format_number(*spent)))
            }
        };
        Self {
            budget: budget.to_string(),
            limit: limit.to_string(),
            unit: unit.name().to_owned(),
            amount: unit.format_number(*amount),
            outcome,
            spent,
            mandate: mandate.as_deref().map(str::to_owned),
        }
    }
}
