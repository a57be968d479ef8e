//! Shared code of the project's tests and figures: real models' calls and their broken variants,
//! fault campaigns of keyed writes, and repositories of git.

pub mod bfcl;
pub mod canonical;
pub mod choosing;
pub mod dialects;
#[cfg(unix)]
pub mod faults;
pub mod git;
pub mod rng;
pub mod run;
pub mod strict;
