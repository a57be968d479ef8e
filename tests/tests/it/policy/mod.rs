//! What delays, refuses or repeats calls, through the whole runtime.

mod idempotency;
mod smoke;
