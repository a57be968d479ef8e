//! Tools as an agent runs them: requests by id, type and function, and one flat result.
//!
//! [`RuntimeExecutor`] runs [`ToolRequest`](crate::contracts::act::ToolRequest)s through a runtime;
//! the trait [`ToolExecutor`] is its interface. [`AgentError`] is the one error of the agent.

mod closures;
mod error;
mod executor;
mod resolution;

#[cfg(not(feature = "tokio"))]
mod no_tokio;
#[cfg(not(feature = "tokio"))]
use self::no_tokio as block_on;
#[cfg(feature = "tokio")]
mod block_on;

pub use self::error::{AgentError, AgentErrorKind};
pub use self::executor::{RuntimeExecutor, ToolExecutor};
