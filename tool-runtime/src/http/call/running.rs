//! How a call runs on the server: with its caller, or without.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Either, select};
use tokio::task::JoinHandle;
use tool_contracts::{Effect, ErrorCode, ToolSpec};

use crate::http::DrainGuard;
use crate::http::app::{App, Shared};
use crate::http::metrics::{Metrics, Orphan};
use crate::http::problem::Problem;
use crate::http::rate::Caller;
use crate::http::shares::{Exhausted, Share};
use crate::refusal_reason::RefusalReason;
use crate::{ToolCall, Withdrawal};

/// How long a call that was cancelled may take to say so.
const GRACE: Duration = Duration::from_secs(1);

/// A call that has ended, and what ended it.
pub(in crate::http) struct Ran {
    pub(in crate::http) call: ToolCall,
    pub(super) end: End,
    /// Counts the output of a call that ran in a task of its own, which its caller may not ask for.
    _unread: Option<Share<Caller>>,
}

/// What ended a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The call itself: its tool, its deadline, or whoever refused it.
    Itself,
    /// The time that a request has in all.
    Time,
    /// The end of the server.
    Server,
}

/// A call in a task of its own.
pub(super) struct Task {
    handle: JoinHandle<Result<Ran, Problem>>,
    ends_with_caller: bool,
    metrics: Metrics,
    left: Left,
}

/// What a task holds until its call has ended.
struct Held {
    running: DrainGuard,
    /// None where the call ends with its caller, who has a place for a stream.
    _place: Option<Share<Caller>>,
    _left: Left,
}

/// Counts a call as one without a caller, from when it is set to when its task has ended.
type Left = Arc<OnceLock<Orphan>>;

/// Tells whether it harms nobody to drop the call when its caller hangs up.
pub(super) fn ends_with_caller(call: &ToolCall) -> bool {
    call.cx().dry_run() || call.tool().is_none_or(|tool| tool.effect() == Effect::Read)
}

/// Runs a call to its end.
///
/// # Cancellation
/// Dropping the returned future interrupts the call.
pub(super) fn run(app: &App, call: ToolCall) -> BoxFuture<'_, Ran> {
    // A request that still waits for its body has no need to carry the room for this.
    counted(app, call, app.config.drain.track()).boxed()
}

async fn counted(app: &App, mut call: ToolCall, running: DrainGuard) -> Ran {
    let begun = Instant::now();
    let end = run_within(app, &mut call).await;
    // Somebody is still being asked, and the request has no more time for that.
    let _ = call.withdraw(Withdrawal::Expired);
    if let Some(output) = call.output() {
        let tool = call.tool().map_or("", ToolSpec::name);
        app.metrics.call_ended(tool, output, begun.elapsed());
    }
    drop(running);
    Ran { call, end, _unread: None }
}

async fn run_within(app: &App, call: &mut ToolCall) -> End {
    let cancellation = call.cancellation();
    let mut execute = pin!(call.execute());
    // Most calls are answered at once, and need neither a timer nor a place to wait in.
    if std::future::poll_fn(|cx| Poll::Ready(execute.as_mut().poll(cx))).await.is_ready() {
        return End::Itself;
    }
    let end = match select(execute.as_mut(), end(app).boxed()).await {
        Either::Left(_) => return End::Itself,
        Either::Right((end, _)) => end,
    };
    if let Some(cancellation) = cancellation {
        cancellation.cancel();
    }
    let _ = tokio::time::timeout(GRACE, execute).await;
    end
}

/// Waits for what ends a call that does not end by itself.
async fn end(app: &App) -> End {
    let time = tokio::time::sleep(app.config.bounds.request_time);
    match select(pin!(time), pin!(app.config.drain.finished())).await {
        Either::Left(_) => End::Time,
        Either::Right(_) => End::Server,
    }
}

/// Runs a call in a task of its own, if it has no effect or there is room for one more that has.
pub(super) fn spawn(app: &Shared, call: ToolCall, caller: Caller) -> Result<Task, Problem> {
    let ends_with_caller = ends_with_caller(&call);
    let place = if ends_with_caller { None } else { Some(place(app, caller.clone())?) };
    let left = Left::default();
    // Counted before the task has begun, so that no end of the server passes it over.
    let held = Held { running: app.config.drain.track(), _place: place, _left: left.clone() };
    let handle = tokio::spawn(hold(app.clone(), call, caller, held));
    Ok(Task { handle, ends_with_caller, metrics: app.metrics.clone(), left })
}

async fn hold(app: Shared, call: ToolCall, caller: Caller, held: Held) -> Result<Ran, Problem> {
    let Held { running, _place, _left } = held;
    let ran = counted(&app, call, running).await;
    let length = ran.call.output().map_or(0, |output| output.json().len());
    let unread = app.answers.take(&caller, length, !ends_with_caller(&ran.call))?;
    Ok(Ran { _unread: unread, ..ran })
}

fn place(app: &App, caller: Caller) -> Result<Share<Caller>, Problem> {
    app.tasks.take(caller, 1).map_err(busy)
}

fn busy(exhausted: Exhausted) -> Problem {
    let (code, message) = match exhausted {
        Exhausted::Capacity => {
            (ErrorCode::Unavailable, "too many calls are running; make this one later")
        }
        Exhausted::Owner => (
            ErrorCode::RateLimited,
            "too many calls of this caller are running; make this one when one of them has ended",
        ),
    };
    Problem::of(code, message).with_reason(RefusalReason::Busy)
}

impl Future for Task {
    type Output = Result<Ran, Problem>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // A panic is caught around the tool; what comes here is the server's own.
        let polled = self.handle.poll_unpin(cx);
        polled.map(|joined| joined.unwrap_or_else(|_| Err(Problem::internal())))
    }
}

/// A caller has hung up.
impl Drop for Task {
    fn drop(&mut self) {
        if self.ends_with_caller {
            self.handle.abort();
        } else if !self.handle.is_finished() {
            self.left.get_or_init(|| self.metrics.orphan());
        }
    }
}
