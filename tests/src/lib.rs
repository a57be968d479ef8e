//! Shared code of the project's tests and figures: real models' calls and their broken variants,
//! and fault campaigns of keyed writes.

pub mod bfcl;
pub mod canonical;
pub mod choosing;
pub mod dialects;
#[cfg(unix)]
pub mod faults;
pub mod rng;
pub mod run;
pub mod strict;
