//! A stub of the mandates of a budget without the feature `mandates`: there are none.

use std::collections::BTreeMap;

use tool_runtime_core::Failure;
use tool_runtime_core::policy::{Demand, SpendingCall};
use tool_runtime_core::store::BudgetUnit;

/// No mandates.
#[derive(Debug, Clone)]
pub(crate) enum Mandates {}

impl Mandates {
    pub(crate) fn prove(
        &self,
        _: &str,
        _: bool,
        _: &SpendingCall<'_>,
        _: &BTreeMap<BudgetUnit, u64>,
        _: Vec<Demand>,
    ) -> Result<Vec<Demand>, Failure> {
        match *self {}
    }
}
