//! The measured work of the project's figures, and counting of instructions.

pub mod articulate;
pub mod canonical;
pub mod choosing;
pub mod dialects;
pub mod disclosure;
pub mod distillation;
#[cfg(unix)]
pub mod faults;
#[cfg(target_os = "linux")]
pub mod http;
pub mod instructions;
pub mod ledger;
mod ledger_postgres;
pub mod model;
pub mod plots;
mod rates;
pub mod retention;
pub mod similarity;
pub mod store;
pub mod store_postgres;
pub mod tokens;
pub mod turn;
#[cfg(unix)]
pub mod webhooks;
pub mod work;
