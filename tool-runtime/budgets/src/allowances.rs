//! The allowances of contexts: limits that a caller brings along, and cannot raise.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tool_contracts::{AllowancePeriod, Effect, ErrorCode, ToolSpec};
use tool_runtime_core::Failure;
use tool_runtime_core::RefusalReason;
use tool_runtime_core::policy::{
    ConfiguredLimit, Demand, SpendingCall, SpendingLimit, ToolSpendingLimit,
};

use crate::budget::Budget;
use crate::money::{self, InvalidAmount};
use crate::spends::ToolSpending;
use crate::window::{self, Window};

/// Counts the [allowances](tool_contracts::Allowance) of contexts: a host gives them to a sub-agent, a job or a remote caller.
///
/// A call needs room in each allowance of its context, and in all budgets of the host. A runtime without it refuses
/// the writes of a context that has an allowance.
///
/// ```
/// use tool_runtime::budgets::{Allowances, Budget, Decimal};
/// use tool_runtime::contracts::Allowance;
/// use tool_runtime::policy::Policy;
/// use tool_runtime::prelude::*;
///
/// /// Pays a bill.
/// #[ai_tool(effect = "write")]
/// async fn pay(
///     dry_run: &DryRun,
///     /// The amount.
///     #[arg(spends = "EUR")]
///     amount: Decimal,
/// ) -> String {
///     if dry_run.is_active() { format!("would pay {amount}") } else { format!("paid {amount}") }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::new()
///     .budget(Budget::new("shopping").per_day("500.00 EUR"))
///     .budget(Allowances::new());
/// let runtime = Runtime::builder()
///     .tool::<PayTool>()
///     .permission("pay", Permission::Allow)
///     .policy(policy)
///     .build()?;
///
/// // A job that was started by an agent may spend 20 of its 500 euros.
/// let agent = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane").build()?;
/// let job = agent.with_allowance(Allowance::new("job-17", "20.00 EUR")?)?;
/// let refused = runtime.call("pay", r#"{"amount":"30.00"}"#, &job).execute().await.clone();
/// let message = refused.error().map(|error| error.message()).unwrap_or_default();
/// assert!(message.contains("20.00 of 20.00 EUR are left of `allowance:job-17`"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Allowances {
    zone: TimeZone,
    problems: Vec<String>,
}

/// The allowances for the calls of one tool.
#[derive(Debug)]
struct ToolAllowances {
    zone: TimeZone,
    spending: ToolSpending,
}

impl Default for Allowances {
    fn default() -> Self {
        Self { zone: TimeZone::UTC, problems: Vec::new() }
    }
}

impl Allowances {
    /// Creates the limit; windows of the calendar are in UTC.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time zone of the calendar's windows by its name, such as `Europe/Berlin`.
    pub fn time_zone(mut self, name: &str) -> Self {
        match window::time_zone(name) {
            Ok(zone) => self.zone = zone,
            Err(problem) => self.problems.push(format!("the allowances: {problem}")),
        }
        self
    }
}

impl SpendingLimit for Allowances {
    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    fn for_tool(&self, tool: &ToolSpec) -> Result<Option<Arc<dyn ToolSpendingLimit>>, String> {
        let (zone, spending) = (self.zone.clone(), ToolSpending::read(tool)?);
        if tool.effect() == Effect::Read && spending.is_free() {
            return Ok(None);
        }
        Ok(Some(Arc::new(ToolAllowances { zone, spending })))
    }

    fn limits(&self) -> Vec<ConfiguredLimit> {
        Vec::new()
    }

    fn counts_allowances(&self) -> bool {
        true
    }
}

impl ToolSpendingLimit for ToolAllowances {
    fn demands(&self, call: &SpendingCall<'_>) -> Result<Vec<Demand>, Failure> {
        let mut budgets = BTreeMap::new();
        for allowance in call.cx().allowances() {
            let (unit, amount) = money::limit(allowance.amount()).map_err(uncountable)?;
            let budget = budgets
                .entry(allowance.name())
                .or_insert_with(|| Budget::allowance(allowance.name(), self.zone.clone()));
            budget.lower_limit(calendar_window(allowance.period()), unit, amount);
        }
        let mut demands = Vec::new();
        for budget in budgets.values() {
            demands.extend(budget.demands(&self.spending, call)?);
        }
        Ok(demands)
    }
}

fn calendar_window(period: AllowancePeriod) -> Window {
    match period {
        AllowancePeriod::Lifetime => Window::Lifetime,
        AllowancePeriod::Hour => Window::Hour,
        AllowancePeriod::Day => Window::Day,
        AllowancePeriod::Week => Window::Week,
        AllowancePeriod::Month => Window::Month,
    }
}

/// Refuses a call under an allowance in an unknown unit.
fn uncountable(why: InvalidAmount) -> Failure {
    Failure::from_code(ErrorCode::ComplianceBlocked)
        .with_message("what this call may spend cannot be counted, so it was not run")
        .with_reason(RefusalReason::BudgetExceeded)
        .with_log(format!("an allowance of the context cannot be counted: {why}"))
}
