//! Tests of budgets as a host uses them.

mod approvals;
mod calls;
mod conformance;
mod declarations;
mod limits;
mod operations;
mod shop;
