//! The endpoints: a file or folder for each one's handlers and bodies.

pub(super) mod approvals;
pub(super) mod attachments;
pub(super) mod budgets;
pub(super) mod call;
pub(super) mod evidence;
pub(super) mod ledger;
pub(super) mod list;
pub(super) mod outcomes;
pub(super) mod probes;
pub(super) mod tools;
pub(super) mod traces;
