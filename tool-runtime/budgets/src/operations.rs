//! Budgets while they are in use: listed, paused, changed, and raised once.

use std::fmt;

use thiserror::Error;
use tool_runtime_core::Runtime;
use tool_runtime_core::policy::{ConfiguredLimit, LimitState, STORE_TIMEOUT, StoreClient};
use tool_runtime_core::store::{BudgetControl, BudgetPeriod, PeriodPosition, StoreError};
use uuid::Uuid;

use crate::budget::MANDATE;
use crate::money::{self, InvalidAmount};
use crate::window::{KEEP_ENDED, Window};

/// Adds [`budgets`](Self::budgets) to a runtime.
pub trait RuntimeBudgets {
    /// Returns the budgets of the runtime's policy, to list and to change them.
    fn budgets(&self) -> Budgets<'_>;
}

impl RuntimeBudgets for Runtime {
    fn budgets(&self) -> Budgets<'_> {
        Budgets(self)
    }
}

/// The budgets of a runtime while they are in use.
///
/// A change is stored, and holds from then on for all processes that share the store. It does not undo what was spent.
///
/// ```
/// # use tool_runtime::prelude::*;
/// use tool_runtime::budgets::{Budget, RuntimeBudgets as _, Window};
/// use tool_runtime::policy::Policy;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::new().budget(Budget::new("shopping").per_day("500.00 EUR"));
/// let runtime = Runtime::builder().policy(policy).build()?;
///
/// runtime.budgets().pause("shopping").await?;
/// runtime.budgets().resume("shopping").await?;
/// runtime.budgets().set_limit("shopping", Window::Day, "600.00 EUR").await?;
/// for period in runtime.budgets().periods(Uuid::nil(), None, 100).await? {
///     let unit = period.account.unit;
///     println!("{} {}: {}", period.account.budget, period.account.scope, unit.format(period.balance.spent));
///     runtime.budgets().raise(&period, "50.00 EUR").await?; // for this period, and once
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Budgets<'r>(&'r Runtime);

/// The reason why a budget was not changed.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The policy has no budget of this name, or none with this limit.
    #[error("the policy has no {0}")]
    Unknown(String),
    /// The amount cannot be counted.
    #[error("the amount `{amount}`: {why}")]
    #[non_exhaustive]
    Amount {
        /// The amount.
        amount: String,
        /// The rule that it breaks.
        why: InvalidAmount,
    },
    /// The amount is in another unit than the sum.
    #[error("the amount is in {0}, and the sum is in {1}")]
    OtherUnit(String, String),
    /// The sum is that of a mandate, which its signer alone raises: by another mandate.
    #[error("the sum of a mandate is what a person has signed: it is raised by another mandate")]
    Signed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Budgets<'_> {
    fn stores(&self) -> &StoreClient {
        &self.0.policy_state().stores
    }

    /// Lists the limits of the policy's budgets, with what was changed about them: which are paused, and which have
    /// another amount than the configured one.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn limits(&self) -> Result<Vec<LimitState>, StoreError> {
        self.stores().limit_states(self.configured_limits()).await
    }

    fn configured_limits(self) -> Vec<ConfiguredLimit> {
        self.0.policy_state().budget_limits()
    }

    /// Lists a tenant's sums in their periods, also past ones, at most `limit`, from the first after `after`.
    ///
    /// The limit of each is that of its last reservation; a change that came later is not in it.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        let stores = self.stores();
        stores.call(STORE_TIMEOUT, stores.budgets()?.list_periods(tenant, after, limit)).await
    }

    /// Refuses each call that a budget concerns, until it is [resumed](Self::resume). Calls that run go on, and no
    /// approval lets a call exceed a paused budget.
    ///
    /// # Errors
    /// Returns an error if no budget has the name, or the store fails.
    pub async fn pause(&self, budget: &str) -> Result<(), BudgetError> {
        self.set_paused(budget, true).await
    }

    /// Ends a pause.
    ///
    /// # Errors
    /// Returns an error if no budget has the name, or the store fails.
    pub async fn resume(&self, budget: &str) -> Result<(), BudgetError> {
        self.set_paused(budget, false).await
    }

    /// Replaces the configured amount of a limit, for all tenants and scopes.
    ///
    /// # Errors
    /// Returns an error if the budget has no such limit in the amount's unit, or the store fails.
    pub async fn set_limit(
        &self,
        budget: &str,
        window: Window,
        amount: &str,
    ) -> Result<(), BudgetError> {
        let (unit, amount) = parse(amount)?;
        let name = window.to_string();
        let mut limits = self.configured_limits();
        limits.retain(|limit| {
            *limit.budget == *budget
                && *limit.limit == *name
                && limit.unit == unit
                && limit.amount.is_some()
        });
        if limits.is_empty() {
            let limit = format!("limit `{name}` in {} of a budget `{budget}`", unit.name());
            return Err(BudgetError::Unknown(limit));
        }
        self.change(limits, |state| LimitState { changed_to: Some(amount), ..state }).await
    }

    /// Gives all limits of a budget their configured amounts again.
    ///
    /// # Errors
    /// Returns an error if no budget has the name, or the store fails.
    pub async fn reset_limits(&self, budget: &str) -> Result<(), BudgetError> {
        let limits = self.limits_of(budget)?;
        self.change(limits, |state| LimitState { changed_to: None, ..state }).await
    }

    /// Raises the limit of one sum for one period, and once: two raises add up. The sum of a mandate is not raised.
    ///
    /// # Errors
    /// Returns an error if the amount is in another unit than the sum, the sum is that of a mandate, or the store fails.
    pub async fn raise(&self, period: &BudgetPeriod, amount: &str) -> Result<(), BudgetError> {
        let (unit, amount) = parse(amount)?;
        let account = &period.account;
        if *account.budget == *MANDATE {
            return Err(BudgetError::Signed);
        }
        if unit != account.unit {
            let (unit, other) = (unit.name().to_owned(), account.unit.name().to_owned());
            return Err(BudgetError::OtherUnit(unit, other));
        }
        let stores = self.stores();
        let now = stores.keys_time(STORE_TIMEOUT).await?;
        let raise = stores.budgets()?.raise(account, period.start, amount, now, Some(KEEP_ENDED));
        Ok(stores.call(STORE_TIMEOUT, raise).await?)
    }

    fn limits_of(self, budget: &str) -> Result<Vec<ConfiguredLimit>, BudgetError> {
        let mut limits = self.configured_limits();
        limits.retain(|limit| *limit.budget == *budget);
        if limits.is_empty() {
            return Err(BudgetError::Unknown(format!("budget `{budget}`")));
        }
        Ok(limits)
    }

    async fn set_paused(&self, budget: &str, paused: bool) -> Result<(), BudgetError> {
        let limits = self.limits_of(budget)?;
        self.change(limits, |state| LimitState { paused, ..state }).await
    }

    /// Stores changes of limits in place of the present ones.
    async fn change(
        &self,
        limits: Vec<ConfiguredLimit>,
        change: impl Fn(LimitState) -> LimitState,
    ) -> Result<(), BudgetError> {
        let stores = self.stores();
        for state in stores.limit_states(limits).await? {
            let LimitState { limit, paused, changed_to: amount } = change(state);
            let ConfiguredLimit { budget, limit, unit, .. } = limit;
            let control = BudgetControl { budget, limit, unit, paused, amount };
            stores.call(STORE_TIMEOUT, stores.budgets()?.set_control(control)).await?;
        }
        Ok(())
    }
}

fn parse(amount: &str) -> Result<(tool_runtime_core::store::BudgetUnit, u64), BudgetError> {
    let invalid = |why| BudgetError::Amount { amount: amount.to_owned(), why };
    money::limit(amount).map_err(invalid)
}

impl fmt::Debug for Budgets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgets").finish_non_exhaustive()
    }
}
