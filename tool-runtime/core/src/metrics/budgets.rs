//! The measurement of budgets: what calls asked of their limits, when they end.

use std::sync::Arc;

use super::UNKNOWN;
use super::names::OTHER;
use super::recorder::{AttributeValue, Recorder, Series};
use super::table::{
    BUDGET_AMOUNTS_BEYOND, BUDGET_AMOUNTS_HELD, BUDGET_AMOUNTS_LIMIT, BUDGET_AMOUNTS_RESERVED,
    BUDGET_AMOUNTS_SPENT, BUDGET_REFUSALS, Metric,
};
use crate::budget_unit::{ALLOWANCE, BudgetUnit, MILLIONTHS};
use crate::dispatch::{SpendingOutcome, SpendingRecord};

/// The label of all allowances.
const ALLOWANCES: &str = "allowances";

/// Records an amount of a call that has ended.
pub(super) fn record(to: &Recorder, spending: &SpendingRecord) {
    let SpendingRecord { budget, limit, unit, amount, total, outcome, key: _, mandate: _ } =
        spending;
    let millionths = |amount: u64| match unit {
        BudgetUnit::Calls => amount.saturating_mul(MILLIONTHS),
        BudgetUnit::Money(_) => amount,
    };
    // The names of allowances are those of jobs and people: they are one label.
    let (label, name) = if budget.starts_with(ALLOWANCE) {
        (ALLOWANCES, AttributeValue::Text(ALLOWANCES))
    } else if to.admits_name(budget) {
        (&**budget, AttributeValue::Shared(budget))
    } else {
        (UNKNOWN, OTHER.into())
    };
    let unit_name = Arc::<str>::from(unit.name());
    let attributes = [name, AttributeValue::Shared(limit), AttributeValue::Shared(&unit_name)];
    let series =
        |metric: &'static Metric| -> Arc<Series> { to.series(metric, [label, limit, &unit_name]) };
    series(&BUDGET_AMOUNTS_LIMIT).set_amount(millionths(*total), &attributes);
    let reserved = || {
        series(&BUDGET_AMOUNTS_RESERVED).add_amount(millionths(*amount), &attributes);
    };
    match outcome {
        SpendingOutcome::Refused => series(&BUDGET_REFUSALS).add(1, &attributes),
        // The call that was answered first has counted it.
        SpendingOutcome::Replayed(_) => {}
        SpendingOutcome::Held => {
            reserved();
            series(&BUDGET_AMOUNTS_HELD).add_amount(millionths(*amount), &attributes);
        }
        SpendingOutcome::Spent(spent) => {
            reserved();
            series(&BUDGET_AMOUNTS_SPENT).add_amount(millionths(*spent), &attributes);
            let beyond = spent.saturating_sub(*amount);
            if beyond > 0 {
                series(&BUDGET_AMOUNTS_BEYOND).add_amount(millionths(beyond), &attributes);
            }
        }
    }
}
