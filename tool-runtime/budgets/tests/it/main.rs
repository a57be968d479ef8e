//! Tests of budgets as a host uses them.

mod allowances;
mod approvals;
mod calls;
mod conformance;
mod declarations;
mod files;
mod limits;
mod mandates;
mod model;
mod operations;
mod records;
mod shop;
