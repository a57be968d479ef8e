//! Who has to be asked before a call runs, and what may come of it.

mod approver;
mod batch;
mod crashed;
mod desk;
mod edits;
mod forged;
mod grants;
mod guarded;
mod kept;
mod overtaking;
mod permission;
mod preview;
mod processes;
mod tickets;
mod waiting;
