//! The project as its users see it.

mod bad_calls;
mod bfcl;
mod build;
mod life;
mod macros;
mod outcomes;
mod support;
mod ui;
