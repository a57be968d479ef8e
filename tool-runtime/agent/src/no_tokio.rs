//! Blocks a thread until a future ends, without tokio: the host's timer wakes it.

use std::future::Future;

use super::error::AgentError;

/// Runs a future to its end on this thread.
#[allow(clippy::unnecessary_wraps, reason = "with tokio it may fail")]
pub(super) fn block_on<F: Future>(future: F) -> Result<F::Output, AgentError> {
    Ok(futures::executor::block_on(future))
}
