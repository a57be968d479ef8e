//! The contract, held to its word from outside.

mod context;
mod enums;
mod error;
mod fixtures;
mod golden;
mod output;
mod result;
mod round_trip;
mod secrecy;
mod spec;
