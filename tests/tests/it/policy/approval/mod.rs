//! Approvals that a call needs before it runs.

mod approver;
mod batch;
mod crashed;
mod edits;
mod fixture;
mod forged;
mod grants;
mod guarded;
mod kept;
mod permission;
mod preview;
mod processes;
mod shown;
mod store_timeouts;
mod superseding;
mod tickets;
mod twice;
mod waiting;
