//! Blocks a thread until a future ends, on a runtime of tokio.

use std::future::Future;

use super::error::{AgentError, AgentErrorKind};

/// Runs a future to its end on this thread, with timers and sockets of a runtime of its own.
///
/// # Errors
/// Returns an error on a thread of an async runtime, which must not be blocked.
pub(super) fn block_on<F: Future>(future: F) -> Result<F::Output, AgentError> {
    let failed = |message| AgentError::new(AgentErrorKind::ToolExecution, message);
    if tokio::runtime::Handle::try_current().is_ok() {
        let message =
            "`execute` blocks its thread, and this one runs async tasks; await `execute_async`";
        return Err(failed(message).with_detail("reason", "async_thread"));
    }
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = built.map_err(|_| failed("no runtime of tokio can be started"))?;
    Ok(runtime.block_on(future))
}
