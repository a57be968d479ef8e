//! A task that runs in this process.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::SecondsFormat;
use rmcp::model::{DetailedTask, ElicitResult, Task, TaskPayload, TaskStatus};
use tool_contracts::{ToolContext, ToolSpec};
use tool_runtime_core::store::UnixMillis;
use tool_runtime_core::store::principal::principal_of;
use tool_runtime_core::timer::whole_millis;
use tool_runtime_core::{Cancellation, ProgressUpdate, ToolCall};
use tool_runtime_record::ledger::query::utc_time;
use uuid::Uuid;

use crate::mcp::input::RoundUser;
use crate::state::app::{App, SharedApp};
use crate::state::config::mcp::McpConfig;

/// The time after which a client asks again for the state of a task, in milliseconds.
const POLL_INTERVAL_MS: u64 = 500;

/// A task that runs in this process.
pub(super) struct LiveTask {
    app: SharedApp,
    cx: ToolContext,
    /// The time after which the call has ended by its own deadline.
    time_limit: Duration,
    lifetime: Duration,
    task: Mutex<Task>,
    begun: UnixMillis,
    id: Uuid,
    user: Option<RoundUser>,
    cancellation: Option<Cancellation>,
    is_cancelled: AtomicBool,
}

impl LiveTask {
    /// Describes a call that may become a task.
    pub(super) fn new(
        call: &ToolCall,
        user: Option<RoundUser>,
        config: &McpConfig,
        app: &SharedApp,
    ) -> Arc<Self> {
        let (id, begun) = (Uuid::new_v4(), now(app));
        let time = text_of(begun);
        let task = Task::new(id.to_string(), TaskStatus::Working, time.clone(), time)
            .with_ttl_ms(whole_millis(config.task_lifetime))
            .with_poll_interval_ms(POLL_INTERVAL_MS);
        let limit = call.tool().and_then(ToolSpec::timeout_ms).map(Duration::from_millis);
        Arc::new(Self {
            cx: call.cx().clone(),
            time_limit: limit.unwrap_or(config.task_lifetime).min(config.task_lifetime),
            lifetime: config.task_lifetime,
            task: Mutex::new(task),
            begun,
            id,
            user,
            cancellation: call.cancellation(),
            is_cancelled: AtomicBool::new(false),
            app: app.clone(),
        })
    }

    pub(super) fn id(&self) -> Uuid {
        self.id
    }

    pub(super) fn cx(&self) -> &ToolContext {
        &self.cx
    }

    pub(super) fn time_limit(&self) -> Duration {
        self.time_limit
    }

    pub(super) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// Returns whether the task is one of this caller.
    pub(super) fn is_of(&self, cx: &ToolContext) -> bool {
        self.cx.tenant_id() == cx.tenant_id() && principal_of(&self.cx) == principal_of(cx)
    }

    /// Returns the task, without what depends on its state.
    pub(super) fn task(&self) -> Task {
        self.lock().clone()
    }

    /// Returns the task when it has ended: its end is kept for another lifetime.
    pub(super) fn ended(&self) -> Task {
        let age = now(&self.app).get().saturating_sub(self.begun.get());
        self.task().with_ttl_ms(age.saturating_add(whole_millis(self.lifetime)))
    }

    /// Returns the task as it is now.
    pub(super) fn detailed(&self) -> DetailedTask {
        let input_requests = self.user.as_ref().map(RoundUser::asked).unwrap_or_default();
        let payload = if input_requests.is_empty() {
            TaskPayload::Working
        } else {
            TaskPayload::InputRequired { input_requests }
        };
        DetailedTask::new(self.task(), payload)
    }

    /// Notes what the tool reports.
    pub(super) fn progressed(&self, update: &ProgressUpdate) {
        self.changed(|task| {
            if !update.message.is_empty() {
                task.status_message = Some(update.message.clone());
            }
        });
    }

    pub(super) fn answer(&self, key: &str, answer: ElicitResult) {
        if let Some(user) = &self.user {
            user.deliver(key, answer);
            self.changed(|_| ());
        }
    }

    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(cancellation) = &self.cancellation {
            cancellation.cancel();
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn changed(&self, change: impl FnOnce(&mut Task)) {
        let now = text_of(now(&self.app));
        let mut task = self.lock();
        change(&mut task);
        task.last_updated_at = now;
    }

    fn lock(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LiveTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveTask").field("id", &self.id).finish_non_exhaustive()
    }
}

pub(super) fn now(app: &App) -> UnixMillis {
    app.runtime.policy_state().stores.now()
}

/// Returns a time as the protocol writes it (ISO 8601).
pub(super) fn text_of(time: UnixMillis) -> String {
    utc_time(time).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
}
