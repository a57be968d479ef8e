//! Shared code of the project's tests and figures: real models' calls and their broken variants,
//! and fault campaigns of keyed writes.

pub mod bfcl;
pub mod canonical;
pub mod choosing;
pub mod dialects;
pub mod dice;
#[cfg(unix)]
pub mod faults;
pub mod run;
pub mod strict;
