//! The contract, held to its word from outside.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and its tables hold values"
)]

mod act;
mod articulate;
mod assess;
mod attachment;
mod context;
mod enums;
mod envelope;
mod error;
mod fixtures;
mod golden;
mod output;
mod proxy;
mod published;
mod result;
mod round_trip;
mod secrecy;
mod server;
mod spec;
mod trace_context;
