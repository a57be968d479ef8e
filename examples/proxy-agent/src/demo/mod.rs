//! The parts of the demonstration. Each returns what happened; `transcript.rs` prints it.

pub mod conversation;
pub mod failures;
pub mod question;
