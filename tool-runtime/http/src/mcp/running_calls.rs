//! The running calls of one client, which it may cancel by the ids of their requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::RequestContext;
use tool_runtime_core::{Cancellation, ToolCall};

/// The cancellations of the running calls of one client, by the ids of their requests.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<HashMap<RequestId, Cancellation>>>);

/// A running call, until it is dropped.
pub(super) struct RunningCall {
    calls: RunningCalls,
    id: RequestId,
}

impl RunningCalls {
    /// Lets the client cancel a call; cancels it at once if its request was cancelled.
    pub(super) fn add(&self, link: &RequestContext<RoleServer>, call: &ToolCall) -> RunningCall {
        if let Some(cancellation) = call.cancellation() {
            self.lock().insert(link.id.clone(), cancellation);
        }
        // Either this sees the cancellation, or the cancellation sees the entry.
        if link.ct.is_cancelled() {
            self.cancel(&link.id);
        }
        RunningCall { calls: self.clone(), id: link.id.clone() }
    }

    /// Cancels the call of a request, if it is running.
    pub(super) fn cancel(&self, id: &RequestId) {
        let cancellation = self.lock().get(id).cloned();
        if let Some(cancellation) = cancellation {
            cancellation.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Cancellation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}
