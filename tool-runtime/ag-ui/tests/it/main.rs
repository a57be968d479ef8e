//! AG-UI from a client's view: the events of runs, approvals, and tools of the client.

#![allow(clippy::unwrap_used, clippy::items_after_statements, reason = "this is all test code")]
#![allow(
    clippy::unused_async,
    clippy::needless_pass_by_value,
    reason = "tools and plans are what is tested"
)]

mod approvals;
mod client_tools;
mod events;
mod limits;
mod random;
mod support;
