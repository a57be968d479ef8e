//! What the project's tests and figures share: real models' calls, and how they are broken; writes
//! in processes that are killed.

pub mod bfcl;
pub mod canonical;
pub mod choosing;
pub mod dialects;
pub mod dice;
#[cfg(unix)]
pub mod faults;
pub mod run;
pub mod strict;
