//! The Agent User Interaction Protocol (AG-UI) 1.0: runs of an agent for the clients of people.
//!
//! [`AgUi`] runs a [`ToolLoop`](tool_runtime_agent::ToolLoop) for each input, and streams the events of the
//! protocol. A call that waits for a person is an interrupt, which the next input answers; tools that the client
//! declares are calls that the client executes.

mod ag_ui;
mod caller;
mod conversation;
mod decision;
mod event;
mod event_queue;
mod event_stream;
mod handler;
mod input;
mod interrupt;
mod limits;
mod problem;
mod run;
mod run_events;
mod run_store;
mod running_threads;
mod waiting_thread;

pub use self::ag_ui::AgUi;
pub use self::caller::{AgUiCaller, Authenticator, Unauthenticated};
pub use self::event_stream::EventStream;
pub use self::limits::AgUiLimits;
pub use self::problem::InputRefusal;
pub use self::run_store::{MemoryRuns, RunStore, ThreadKey};
