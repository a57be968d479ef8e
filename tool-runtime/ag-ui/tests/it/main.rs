//! AG-UI from a client's view: the events of runs, approvals, and tools of the client.

mod approvals;
mod client_tools;
mod events;
mod limits;
mod random;
mod support;
