//! Policies that delay, refuse or repeat calls, tested through the whole runtime.

mod approval;
mod corrections;
mod excerpts;
#[cfg(unix)]
mod faults;
mod freshness;
mod idempotency;
mod limits;
mod repeats;
mod result_formats;
mod retries;
mod rules;
pub(crate) mod script;
mod smoke;
mod timeouts;
