//! Blocks a thread until a future ends, on a runtime of tokio.

use std::future::Future;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

use super::error::{AgentError, AgentErrorKind, AgentErrorReason};

/// The runtime of all blocking calls: connections and processes that a tool keeps for its next call
/// belong to it.
static SHARED: OnceLock<Option<Runtime>> = OnceLock::new();

/// Runs a future to its end on this thread, with the timers and sockets of a separate runtime.
///
/// # Errors
/// Returns an error on a thread of an async runtime, which must not be blocked.
pub(super) fn block_on<F: Future>(future: F) -> Result<F::Output, AgentError> {
    let failed = |message| AgentError::new(AgentErrorKind::ToolExecution, message);
    if tokio::runtime::Handle::try_current().is_ok() {
        let message =
            "`execute` blocks its thread, and this one runs async tasks; await `execute_async`";
        return Err(failed(message).with_reason(AgentErrorReason::AsyncThread));
    }
    let runtime = SHARED.get_or_init(|| Builder::new_current_thread().enable_all().build().ok());
    let runtime = runtime.as_ref().ok_or_else(|| failed("no runtime of tokio can be started"))?;
    Ok(runtime.block_on(future))
}
