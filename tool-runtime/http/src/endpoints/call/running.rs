//! Runs calls: in the request, or in a task that continues after the client disconnects.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either, select};
use tokio::task::JoinHandle;
use tool_contracts::Effect;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::{ToolCall, Withdrawal};

use crate::problem::Problem;
use crate::state::app::{App, SharedApp};
use crate::state::caller::Caller;
use crate::state::drain::DrainGuard;
use crate::state::metrics::{Metrics, OrphanGuard};
use crate::state::quota::{Permit, QuotaRefusal};

/// The time that a cancelled call has to finish.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

const BUSY: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many calls are running; retry later",
    caller: "the caller has too many running calls; retry when one of them has finished",
};

/// A finished call, and the cause of its end.
pub(crate) struct FinishedCall {
    pub(crate) call: ToolCall,
    pub(super) end: EndCause,
    /// Counts the output of a call that finished in a task, in case the client does not read it.
    _unread: Option<Permit<Caller>>,
}

/// The cause of a call's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndCause {
    /// The call itself: its tool, its deadline or a refusal.
    Call,
    /// The time limit of the request.
    TimeLimit,
    /// The shutdown of the server.
    Shutdown,
}

/// A call that runs in a task.
pub(super) struct CallTask {
    handle: JoinHandle<Result<FinishedCall, Problem>>,
    ends_with_caller: bool,
    metrics: Metrics,
    orphan: OrphanCell,
}

/// The guards that a task holds until its call has finished.
struct TaskGuards {
    guard: DrainGuard,
    /// `None` for a call that is cancelled with its client, which holds a permit of streams.
    _permit: Option<Permit<Caller>>,
    _orphan: OrphanCell,
}

/// Counts a call whose client has disconnected, from when it is set until its task has finished.
type OrphanCell = Arc<OnceLock<OrphanGuard>>;

/// Returns whether the call has no effect, so that it is cancelled when its client disconnects.
pub(crate) fn ends_with_caller(call: &ToolCall) -> bool {
    call.cx().dry_run() || call.tool().is_none_or(|tool| tool.effect() == Effect::Read)
}

/// Runs a call until it finishes.
///
/// # Cancellation
/// Dropping the returned future interrupts the call.
pub(super) fn run(app: &App, call: ToolCall) -> BoxFuture<'_, FinishedCall> {
    // Boxed, so that a request that waits for its body does not carry the size of this future.
    run_counted(call, app.config.drain.track(), interruption(app)).boxed()
}

/// Runs a call until it finishes or is interrupted, and counts it as running meanwhile.
pub(super) async fn run_counted(
    mut call: ToolCall,
    guard: DrainGuard,
    interruption: impl Future<Output = EndCause> + Send,
) -> FinishedCall {
    let end = run_within(&mut call, interruption).await;
    // A call that still waits for an approver expires with its request.
    let _ = call.withdraw(Withdrawal::Expired);
    drop(guard);
    FinishedCall { call, end, _unread: None }
}

async fn run_within(
    call: &mut ToolCall,
    interruption: impl Future<Output = EndCause> + Send,
) -> EndCause {
    let cancellation = call.cancellation();
    let mut execute = pin!(call.execute());
    // Most calls finish at the first poll and need no timer.
    if std::future::poll_fn(|cx| Poll::Ready(execute.as_mut().poll(cx))).await.is_ready() {
        return EndCause::Call;
    }
    let end = match select(execute.as_mut(), interruption.boxed()).await {
        Either::Left(_) => return EndCause::Call,
        Either::Right((end, _)) => end,
    };
    if let Some(cancellation) = cancellation {
        cancellation.cancel();
    }
    let _ = tokio::time::timeout(CANCEL_TIMEOUT, execute).await;
    end
}

/// Waits for the time limit of the request or the shutdown of the server.
async fn interruption(app: &App) -> EndCause {
    let time = tokio::time::sleep(app.config.limits.request_timeout);
    match select(pin!(time), pin!(app.config.drain.finished())).await {
        Either::Left(_) => EndCause::TimeLimit,
        Either::Right(_) => EndCause::Shutdown,
    }
}

/// Runs a call in a task; a call with an effect needs a permit.
pub(super) fn spawn(app: &SharedApp, call: ToolCall, caller: Caller) -> Result<CallTask, Problem> {
    let ends_with_caller = ends_with_caller(&call);
    // A disconnect never ends a call with an effect, which may have begun: it runs on, counted and
    // bounded.
    let permit = if ends_with_caller { None } else { Some(task_permit(app, caller.clone())?) };
    let orphan = OrphanCell::default();
    // Acquired before the task is spawned, so that a shutdown does not miss it.
    let guards =
        TaskGuards { guard: app.config.drain.track(), _permit: permit, _orphan: orphan.clone() };
    let handle = tokio::spawn(run_task(app.clone(), call, caller, guards));
    Ok(CallTask { handle, ends_with_caller, metrics: app.metrics.clone(), orphan })
}

/// Runs a call until it finishes, in a task that outlives its request: no time limit of requests ends
/// it, but its own deadline and the shutdown of the server.
#[cfg(feature = "mcp")]
pub(crate) fn spawn_beyond_request(app: &SharedApp, call: ToolCall) -> JoinHandle<FinishedCall> {
    let (app, guard) = (app.clone(), app.config.drain.track());
    tokio::spawn(async move {
        let shutdown = app.config.drain.finished().map(|()| EndCause::Shutdown);
        run_counted(call, guard, shutdown).await
    })
}

async fn run_task(
    app: SharedApp,
    call: ToolCall,
    caller: Caller,
    guards: TaskGuards,
) -> Result<FinishedCall, Problem> {
    let TaskGuards { guard, _permit, _orphan } = guards;
    let finished = run_counted(call, guard, interruption(&app)).await;
    let length = finished.call.output().map_or(0, |output| output.json().len());
    let unread = app.unread.acquire(&caller, length, !ends_with_caller(&finished.call))?;
    Ok(FinishedCall { _unread: unread, ..finished })
}

fn task_permit(app: &App, caller: Caller) -> Result<Permit<Caller>, Problem> {
    app.tasks.acquire(caller, 1).map_err(|exhausted| BUSY.problem(exhausted))
}

impl Future for CallTask {
    type Output = Result<FinishedCall, Problem>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Panics of tools are caught by the runtime; a join error is the server's own fault.
        let polled = self.handle.poll_unpin(cx);
        polled.map(|joined| joined.unwrap_or_else(|_| Err(Problem::internal())))
    }
}

/// The client has disconnected.
impl Drop for CallTask {
    fn drop(&mut self) {
        if self.ends_with_caller {
            self.handle.abort();
        } else if !self.handle.is_finished() {
            self.orphan.get_or_init(|| self.metrics.orphan());
        }
    }
}
