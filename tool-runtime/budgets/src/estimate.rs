//! Costs that a function of the tool estimates: `#[ai_tool(cost = estimate)]`.

use tool_runtime_core::__private::CostEstimate;

use crate::money::Money;

/// The result of a function that estimates a cost; none if the call costs nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no cost that a budget can count",
    label = "this function returns something else",
    note = "a function for `cost` takes the tool's arguments, and returns `Money` or `Option<Money>`"
)]
pub trait EstimatedCost {
    /// Returns the cost.
    fn into_cost(self) -> Option<Money>;
}

impl EstimatedCost for Money {
    fn into_cost(self) -> Option<Money> {
        Some(self)
    }
}

impl EstimatedCost for Option<Money> {
    fn into_cost(self) -> Self {
        self
    }
}

/// Returns an estimate in the form of the core; generated code calls it.
#[doc(hidden)]
pub fn estimated(cost: impl EstimatedCost) -> Option<CostEstimate> {
    let cost = cost.into_cost()?;
    Some(CostEstimate { currency: cost.currency().into(), millionths: cost.millionths() })
}
