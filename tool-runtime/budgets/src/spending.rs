//! The amount that a tool reports as spent.

use tool_runtime_core::{CallScope, Failure, FromCall};

use crate::money::Money;

/// Reports what a call has really taken; a tool borrows it as `spending: &Spending`.
///
/// Without a report, a call that succeeds has taken what was reserved, and one that fails has taken nothing.
///
/// ```
/// use tool_runtime::budgets::{Money, Spending};
/// use tool_runtime::contracts::ErrorCode;
/// use tool_runtime::prelude::*;
///
/// /// Buys a ticket for a train.
/// #[ai_tool(effect = "write", cost = "80.00 EUR")]
/// async fn buy_ticket(dry_run: &DryRun, spending: &Spending) -> Result<String, Failure> {
///     if dry_run.is_active() {
///         return Ok("would buy it".to_owned());
///     }
///     // … buy it; the seller's receipt says the price …
///     let price: Money = "74.90 EUR".parse().map_err(|_| Failure::from_code(ErrorCode::UpstreamError))?;
///     spending.settle(price);
///     Ok("bought".to_owned())
/// }
/// # let _ = buy_ticket;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Spending(Option<CallScope>);

impl Spending {
    /// Makes one without a receiver of its reports, for a unit test of a tool's function.
    #[must_use]
    pub fn unreported() -> Self {
        Self(None)
    }

    /// Reports that the call has taken an amount. Several amounts add up, over the attempts of a call too, and count
    /// even if the call fails.
    ///
    /// An amount beyond the reservation is spent all the same, since it is gone: the next call has less.
    pub fn settle(&self, amount: Money) {
        if let Some(call) = &self.0 {
            call.report_spending(amount.currency(), amount.millionths());
        }
    }
}

impl FromCall for Spending {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self(Some(call.clone())))
    }
}
