//! The texts of a task in the store: one of its beginning, one of its end.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{DetailedTask, Task, TaskPayload};
use serde::{Deserialize, Serialize};
use tool_contracts::ToolContext;
use tool_runtime_core::log::log_event;
use tool_runtime_core::store::{StoreError, StoreErrorKind, UnixMillis};
use uuid::Uuid;

use super::live::{LiveTask, now, text_of};
use crate::state::app::App;

/// The time beyond the deadline of a call in which its end is kept.
const KEEP_TIME: Duration = Duration::from_secs(30);

/// The suffix of a task's id that names the text of its end.
const END: &[u8] = b"end";

/// The text of a task that has begun.
#[derive(Serialize, Deserialize)]
pub(super) struct BegunTask {
    task: Task,
    /// The time by which a live process has stored the call's end, in milliseconds since the epoch.
    ended_by: u64,
}

impl BegunTask {
    pub(super) fn new(live: &LiveTask, app: &App) -> Self {
        let ended_by = now(app).after(live.time_limit()).after(KEEP_TIME).get();
        Self { task: live.task(), ended_by }
    }

    /// Keeps the text.
    pub(super) async fn keep(&self, app: &App, live: &LiveTask) -> Result<(), StoreError> {
        keep(app, live.id(), self, live).await
    }

    /// Describes a task whose end is not in the store: it runs in another process, or that has ended
    /// without it.
    fn without_end(self, app: &App) -> DetailedTask {
        let Self { mut task, ended_by } = self;
        if now(app) <= UnixMillis::new(ended_by) {
            return DetailedTask::new(task, TaskPayload::Working);
        }
        task.last_updated_at = text_of(UnixMillis::new(ended_by));
        let message =
            "the server stopped before the call had ended; whether it had its effect is unknown";
        DetailedTask::new(task, super::failed(&ErrorData::internal_error(message, None)))
    }
}

/// Keeps the end of a task. A failure to do so is logged: the task then counts as lost.
pub(super) async fn keep_end(app: &App, live: &LiveTask, ended: DetailedTask) {
    if let Err(error) = keep(app, end_of(live.id()), &ended, live).await {
        log_event!(
            warn,
            target: tool_runtime_core::trace::conventions::TARGET,
            event = "task_not_kept",
            task = %live.id(),
            %error,
        );
    }
}

/// Reads a task of this caller that does not run in this process.
pub(super) async fn read(
    app: &App,
    id: Uuid,
    cx: &ToolContext,
) -> Result<Option<DetailedTask>, ErrorData> {
    let outputs = &app.runtime.policy_state().outputs;
    if let Some(text) = outputs.get_private_blob(end_of(id), cx).await.map_err(unavailable)? {
        return serde_json::from_slice(&text).map(Some).map_err(|_| damaged());
    }
    let Some(text) = outputs.get_private_blob(id, cx).await.map_err(unavailable)? else {
        return Ok(None);
    };
    let begun: BegunTask = serde_json::from_slice(&text).map_err(|_| damaged())?;
    Ok(Some(begun.without_end(app)))
}

async fn keep(
    app: &App,
    id: Uuid,
    text: &impl Serialize,
    live: &LiveTask,
) -> Result<(), StoreError> {
    let text = serde_json::to_vec(text)
        .map_err(|error| StoreError::new(StoreErrorKind::Damaged, error.to_string()))?;
    let outputs = &app.runtime.policy_state().outputs;
    outputs.put_private_blob(id, text, live.cx(), live.lifetime()).await
}

fn end_of(id: Uuid) -> Uuid {
    Uuid::new_v5(&id, END)
}

fn unavailable(_: StoreError) -> ErrorData {
    ErrorData::internal_error("the store is not available now; ask again later", None)
}

fn damaged() -> ErrorData {
    ErrorData::internal_error("the stored state of the task cannot be read", None)
}
