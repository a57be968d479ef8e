//! The project as its users see it.

mod bad_calls;
mod bfcl;
mod life;
