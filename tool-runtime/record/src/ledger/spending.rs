//! The amounts that a recorded call asked of budgets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_runtime_core::dispatch::{SpendingOutcome, SpendingRecord};
use tool_runtime_schema::canonical::Digest;

use super::keys::LedgerKeys;

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
    /// The part that was spent, a decimal number; none unless the outcome is `spent` or `replayed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    /// The part of it beyond the amount that the call had asked for, a decimal number; none if there is no such part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<String>,
    /// The hash of the idempotency key under which the amount is spent, under the ledger's key: repeats have the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
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
    /// The call repeats another one and has its answer: the other call has spent the amount. In a sum, the amounts of one
    /// idempotency key count once.
    Replayed,
}

impl RecordedSpending {
    pub(super) fn new(record: &SpendingRecord, keys: &LedgerKeys) -> Self {
        let SpendingRecord { budget, limit, unit, amount, total: _, outcome, key, mandate } =
            record;
        let number = |amount| unit.format_number(amount);
        let (outcome, spent, beyond) = match outcome {
            SpendingOutcome::Refused => (RecordedSpendingOutcome::Refused, None, None),
            SpendingOutcome::Held => (RecordedSpendingOutcome::Held, None, None),
            SpendingOutcome::Replayed(spent) => {
                (RecordedSpendingOutcome::Replayed, Some(number(*spent)), None)
            }
            SpendingOutcome::Spent(spent) => {
                let beyond = Some(spent.saturating_sub(*amount)).filter(|beyond| *beyond > 0);
                (RecordedSpendingOutcome::Spent, Some(number(*spent)), beyond.map(number))
            }
        };
        Self {
            budget: budget.to_string(),
            limit: limit.to_string(),
            unit: unit.name().to_owned(),
            amount: number(*amount),
            outcome,
            spent,
            beyond,
            key: key.map(|digest| keys.hash(Digest::from_bytes(digest), true)),
            mandate: mandate.as_deref().map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use tool_runtime_core::policy::KeyRing;
    use tool_runtime_schema::redact::Patterns;

    use super::*;

    #[test]
    fn a_record_says_what_was_spent_and_which_part_was_not_asked_for() {
        let keys = LedgerKeys::new(&KeyRing::ephemeral().expect("a key"), Patterns::default());
        let recorded = |outcome| {
            let record = SpendingRecord {
                budget: "shopping".into(),
                limit: "day".into(),
                unit: "EUR/2".parse().expect("a unit"),
                amount: 10_000_000,
                total: 50_000_000,
                outcome,
                key: None,
                mandate: None,
            };
            serde_json::to_value(RecordedSpending::new(&record, &keys)).expect("JSON")
        };
        let common = serde_json::json!({
            "budget": "shopping", "limit": "day", "unit": "EUR", "amount": "10.00",
        });
        for (outcome, more) in [
            (SpendingOutcome::Refused, serde_json::json!({"outcome": "refused"})),
            (SpendingOutcome::Held, serde_json::json!({"outcome": "held"})),
            (
                SpendingOutcome::Replayed(9_000_000),
                serde_json::json!({"outcome": "replayed", "spent": "9.00"}),
            ),
            (SpendingOutcome::Spent(0), serde_json::json!({"outcome": "spent", "spent": "0.00"})),
            (
                SpendingOutcome::Spent(12_500_000),
                serde_json::json!({"outcome": "spent", "spent": "12.50", "beyond": "2.50"}),
            ),
        ] {
            let mut expected = common.clone();
            expected
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("it").clone());
            assert_eq!(recorded(outcome), expected);
        }
    }
}
