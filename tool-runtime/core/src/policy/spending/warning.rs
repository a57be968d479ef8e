//! Warns the host when most of a limit is used.

use std::sync::Arc;

use crate::store::{Balance, BudgetAccount};

/// The use of a limit has reached the part of it at which the host is warned.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetWarning {
    /// The account: its budget, limit and scope.
    pub account: BudgetAccount,
    /// The amount that is spent or reserved, with that of the call, in the unit's parts.
    pub used: u64,
    /// The limit in force.
    pub total: u64,
    /// The part that was reached, in percent.
    pub percent: u8,
}

/// Receives the warnings of budgets, each when a call's reservation reaches the part: `Budget::warn_at`, of the
/// feature `budgets`.
///
/// It runs on the thread of the call, so it must be quick and must not block.
pub trait ObserveBudgets: Send + Sync + 'static {
    /// Receives one warning.
    fn nearly_used(&self, warning: &BudgetWarning);
}

/// A closure is an observer too.
impl<F: Fn(&BudgetWarning) + Send + Sync + 'static> ObserveBudgets for F {
    fn nearly_used(&self, warning: &BudgetWarning) {
        self(warning);
    }
}

/// The observers of a runtime's budgets.
pub(in crate::policy) type BudgetObservers = Vec<Arc<dyn ObserveBudgets>>;

impl BudgetWarning {
    /// Returns a warning if the amount, which the balance includes, has reached the part of the limit.
    pub(super) fn for_reservation(
        account: &BudgetAccount,
        amount: u64,
        limit: u64,
        balance: &Balance,
        percent: u8,
    ) -> Option<Self> {
        let (used, total) = (balance.used(), balance.limit(limit));
        let threshold = (u128::from(total) * u128::from(percent)).div_ceil(100);
        let before = used.saturating_sub(amount);
        let is_reached = u128::from(before) < threshold && threshold <= u128::from(used);
        is_reached.then(|| Self { account: account.clone(), used, total, percent })
    }
}
