//! The project as its users see it.

#![allow(clippy::unwrap_used, clippy::items_after_statements, reason = "this is all test code")]

mod bad_calls;
mod bfcl;
mod build;
mod life;
mod macros;
mod outcomes;
mod support;
mod ui;
