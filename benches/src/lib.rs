//! The work that the project's figures measure, and how instructions are counted.

pub mod canonical;
pub mod choosing;
pub mod dialects;
#[cfg(unix)]
pub mod faults;
pub mod instructions;
pub mod ledger;
mod rates;
pub mod store;
pub mod work;
