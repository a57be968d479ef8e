//! A budget as the calls of one tool meet it.

use tool_runtime_core::Failure;
use tool_runtime_core::policy::{Demand, SpendingCall, ToolSpendingLimit};

use crate::budget::Budget;
use crate::spends::ToolSpending;

/// A budget for the calls of one tool.
#[derive(Debug)]
pub(crate) struct ToolBudget {
    pub(crate) budget: Budget,
    pub(crate) spending: ToolSpending,
}

impl ToolSpendingLimit for ToolBudget {
    fn demands(&self, call: &SpendingCall<'_>) -> Result<Vec<Demand>, Failure> {
        self.budget.demands(&self.spending, call)
    }

    fn may_ask(&self) -> bool {
        self.budget.may_ask()
    }
}
