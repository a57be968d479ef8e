//! Stores: the one in memory, the suites for all, and the lease protocol in every order.

mod broken;
mod broken_budgets;
mod conformance;
mod evidence;
mod lease;
mod ledger;
mod memory;
mod sessions;
