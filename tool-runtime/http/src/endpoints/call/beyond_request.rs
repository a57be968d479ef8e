//! Runs calls that outlive their requests, as the tasks of the Model Context Protocol do.

use futures::FutureExt;
use tokio::task::JoinHandle;
use tool_runtime_core::ToolCall;

use super::running::{EndCause, FinishedCall, counted};
use crate::state::app::SharedApp;

/// Runs a call until it finishes, in a task that outlives its request: no time limit of requests ends
/// it, but its own deadline and the shutdown of the server.
pub(crate) fn spawn_beyond_request(app: &SharedApp, call: ToolCall) -> JoinHandle<FinishedCall> {
    let (app, guard) = (app.clone(), app.config.drain.track());
    tokio::spawn(async move {
        let shutdown = app.config.drain.finished().map(|()| EndCause::Shutdown);
        counted(call, guard, shutdown).await
    })
}
