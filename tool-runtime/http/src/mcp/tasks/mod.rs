//! Long calls as tasks: a handle at once, the state and the result later.
//!
//! A running task is known to the process that runs it. What a client reads after it, also after a
//! restart, is kept in the runtime's store of outputs: one text when the task begins, another one when
//! it has ended.

mod live;
mod stored;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, CreateTaskResult, DetailedTask, InputResponses, TaskPayload,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tool_contracts::{ErrorCode, ToolContext};
use tool_runtime_core::ToolCall;
use tool_runtime_core::refusal_reason::RefusalReason;
use uuid::Uuid;

use self::live::LiveTask;
use self::stored::BegunTask;
use super::answer;
use super::call::{Refused, ToolRequest};
use super::client_channel::ClientChannel;
use super::handler::ToolServer;
use super::input::{RoundUser, answers};
use super::revision::Revision;
use super::user::ClientUser;
use crate::endpoints::call::FinishedCall;
use crate::endpoints::call::running::spawn_beyond_request;
use crate::problem::Problem;
use crate::state::caller::Caller;
use crate::state::config::mcp::TaskMode;
use crate::state::quota::{Permit, QuotaRefusal};

const BUSY: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many tasks are running; retry later",
    caller: "the caller has too many running tasks; retry when one of them has finished",
};

/// The running tasks of one server.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<HashMap<Uuid, Arc<LiveTask>>>);

/// A call that has either finished within the time for a direct answer, or has become a task.
pub(super) enum TaskStart {
    Finished(Box<FinishedCall>),
    Task(Box<CreateTaskResult>),
}

impl Tasks {
    fn find(&self, id: Uuid, cx: &ToolContext) -> Option<Arc<LiveTask>> {
        self.lock().get(&id).filter(|task| task.is_of(cx)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<LiveTask>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolRequest<'_> {
    /// Returns whether the call may become a task.
    pub(super) fn may_become_task(&self, tool: &str) -> Result<bool, ErrorData> {
        let Some(mode) = self.server.settings.tasks.get(tool) else { return Ok(false) };
        let is_supported = self.revision == Revision::Stateless
            && self.capabilities.as_ref().is_some_and(ClientCapabilities::supports_tasks);
        match mode {
            TaskMode::Required if !is_supported => {
                let needed = ClientCapabilities::builder().enable_tasks().build();
                Err(ErrorData::missing_required_client_capability(needed))
            }
            TaskMode::Required | TaskMode::Optional => Ok(is_supported),
        }
    }

    /// Runs a call, which becomes a task if it still runs after the setting `task_after`.
    pub(super) async fn begin_task(
        &self,
        call: ToolCall,
        link: &RequestContext<RoleServer>,
        user: Option<&mut ClientUser>,
    ) -> Result<TaskStart, Refused> {
        let app = &self.server.app;
        let caller = self.caller.admitted.caller().clone();
        let permit = app.tasks.acquire(caller, 1).map_err(|exhausted| BUSY.problem(exhausted))?;
        let user = user.as_deref().and_then(ClientUser::as_round);
        let live = LiveTask::new(&call, user.cloned(), &self.server.settings, app);
        let listener = live.clone();
        let mut channel =
            ClientChannel::new(self, link, &call, None, move |update| listener.progressed(update));
        let mut execution = spawn_beyond_request(app, call);
        let soon =
            timeout(self.server.settings.task_after, channel.serve_until(&mut execution)).await;
        if let Ok(ended) = soon {
            return ended_in_time(ended, &execution);
        }
        // Before the task is stored, so that a tool cannot ask before the task can receive the
        // reply.
        let waits = user.is_none_or(RoundUser::begin_waiting);
        if waits && BegunTask::new(&live, app).keep(app, &live).await.is_ok() {
            self.server.tasks.lock().insert(live.id(), live.clone());
            tokio::spawn(keep_result(self.server.clone(), live.clone(), execution, permit));
            return Ok(TaskStart::Task(Box::new(CreateTaskResult::new(live.task()))));
        }
        // A question was asked already, or there is no store to ask later: the request waits.
        if let Some(user) = user {
            user.end_waiting();
        }
        let outcome = channel.serve_until(&mut execution).await;
        ended_in_time(outcome, &execution)
    }
}

/// Returns the finished call, or aborts it if the client has disconnected.
fn ended_in_time(
    ended: Result<Result<FinishedCall, JoinError>, ErrorData>,
    execution: &JoinHandle<FinishedCall>,
) -> Result<TaskStart, Refused> {
    let finished = ended.inspect_err(|_| execution.abort())?;
    let finished = finished.map_err(|_| Problem::internal())?;
    Ok(TaskStart::Finished(Box::new(finished)))
}

/// Waits for the end of a task, and keeps its result.
async fn keep_result(
    server: ToolServer,
    live: Arc<LiveTask>,
    execution: JoinHandle<FinishedCall>,
    permit: Permit<Caller>,
) {
    let guard = server.app.config.drain.track();
    let payload = match execution.await {
        Ok(finished) => payload(&server, &live, &finished).await,
        Err(_) => failed(&answer::protocol_error(Problem::internal())),
    };
    stored::keep_end(&server.app, &live, DetailedTask::new(live.ended(), payload)).await;
    server.tasks.lock().remove(&live.id());
    drop((permit, guard));
}

/// Returns what a client reads of a task that has ended.
async fn payload(server: &ToolServer, live: &LiveTask, finished: &FinishedCall) -> TaskPayload {
    let error = finished.error(&server.app);
    let code = error.as_ref().and_then(|error| error.error_code());
    if live.is_cancelled() && code == Some(ErrorCode::Cancelled) {
        return TaskPayload::Cancelled;
    }
    if let Some(error) = error.as_ref().filter(|_| code == Some(ErrorCode::Internal)) {
        return failed(&ErrorData::internal_error(error.message().to_owned(), None));
    }
    let result = answer::for_call(server, finished, Revision::Stateless).await;
    match serde_json::to_value(result) {
        Ok(serde_json::Value::Object(result)) => TaskPayload::Completed { result },
        Ok(_) | Err(_) => failed(&ErrorData::internal_error("the result cannot be written", None)),
    }
}

fn failed(error: &ErrorData) -> TaskPayload {
    let error = match serde_json::to_value(error) {
        Ok(serde_json::Value::Object(error)) => error,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    TaskPayload::Failed { error }
}

impl ToolServer {
    /// Returns the state of a task of this caller.
    pub(super) async fn task(&self, id: &str, cx: &ToolContext) -> Result<DetailedTask, ErrorData> {
        let id = id_of(id)?;
        if let Some(live) = self.tasks.find(id, cx) {
            return Ok(live.detailed());
        }
        stored::read(&self.app, id, cx).await?.ok_or_else(unknown)
    }

    /// Gives the answers of the user to a task; answers that nothing waits for are ignored.
    pub(super) async fn answer_task(
        &self,
        id: &str,
        responses: &InputResponses,
        cx: &ToolContext,
    ) -> Result<(), ErrorData> {
        let Some(live) = self.tasks.find(id_of(id)?, cx) else {
            return self.must_have_ended(id, cx).await;
        };
        for (key, answer) in answers(Some(responses)) {
            live.answer(&key, answer);
        }
        Ok(())
    }

    /// Cancels a task; a task that has ended stays as it is.
    pub(super) async fn cancel_task_of(&self, id: &str, cx: &ToolContext) -> Result<(), ErrorData> {
        let Some(live) = self.tasks.find(id_of(id)?, cx) else {
            return self.must_have_ended(id, cx).await;
        };
        live.cancel();
        Ok(())
    }

    /// Refuses to change a task that another process runs: the request cannot reach that process.
    async fn must_have_ended(&self, id: &str, cx: &ToolContext) -> Result<(), ErrorData> {
        match self.task(id, cx).await?.payload {
            TaskPayload::Working | TaskPayload::InputRequired { .. } => {
                let message = "the task runs in another process of the server, which alone can cancel \
                               it and take its answers; its state can be read here";
                Err(ErrorData::internal_error(message, None))
            }
            // It has ended.
            _ => Ok(()),
        }
    }
}

fn id_of(id: &str) -> Result<Uuid, ErrorData> {
    id.parse().map_err(|_| unknown())
}

fn unknown() -> ErrorData {
    let message = "`taskId`: the caller has no task with this id, or it has expired";
    ErrorData::invalid_params(message, None)
}
