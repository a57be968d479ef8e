//! Answers a call with server-sent events (HTML standard): its progress, then its result.

use std::convert::Infallible;
use std::future::pending;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use futures::stream;
use serde_json::json;
use tokio::sync::watch;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::{ProgressUpdate, ToolCall};

use super::call_response;
use super::running::{self, CallTask};
use crate::problem::Problem;
use crate::response::{Answer, AnswerFacts, JsonResponse, RequestFacts};
use crate::state::app::{App, SharedApp};
use crate::state::caller::Caller;
use crate::state::quota::{Permit, QuotaRefusal};

/// The permit of one stream.
pub(crate) type StreamPermit = Permit<Caller>;

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Streams,
    capacity: "too many event streams are open; accept JSON, or retry later",
    caller: "the caller has too many open event streams; close one, or accept JSON",
};

/// An event stream in progress.
struct EventStream {
    app: SharedApp,
    facts: RequestFacts,
    task: Option<CallTask>,
    /// Holds only the newest report: a slow client misses reports, but not the result.
    progress: watch::Receiver<Option<ProgressUpdate>>,
    may_progress: bool,
    _permit: StreamPermit,
}

/// The next event of a stream.
enum NextEvent {
    Progress,
    Result(JsonResponse),
    KeepAlive,
}

/// Acquires a permit for a stream of this caller.
pub(crate) fn acquire_stream(app: &App, caller: Caller) -> Result<StreamPermit, Problem> {
    app.streams.acquire(caller, 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

/// Runs a call in a task and streams its progress and result.
pub(super) fn stream(
    app: &SharedApp,
    call: ToolCall,
    (caller, permit): (Caller, StreamPermit),
    mut facts: RequestFacts,
) -> Result<Answer, Problem> {
    let (report, progress) = watch::channel(None);
    call.on_progress(move |update| drop(report.send_replace(Some(update))));
    facts.trace_id = Some(call.cx().trace_id().into());
    let tool_name = Some(facts.tool_name.clone());
    let task = Some(running::spawn(app, call, caller)?);
    let app = app.clone();
    let events = EventStream { app, facts, task, progress, may_progress: true, _permit: permit };
    let answer = event_stream(Body::from_stream(stream::unfold(events, EventStream::advance)));
    Ok(Answer { facts: AnswerFacts { tool_name, ..AnswerFacts::default() }, ..answer })
}

/// Makes the answer of a body that is a stream of events.
pub(crate) fn event_stream(body: Body) -> Answer {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Answer { response, facts: AnswerFacts::default() }
}

impl EventStream {
    async fn advance(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let text = match self.next().await? {
            NextEvent::Progress => self.progress_event(),
            NextEvent::Result(response) => result_event(&response),
            NextEvent::KeepAlive => ": still running\n\n".to_owned(),
        };
        Some((Ok(text.into()), self))
    }

    /// Waits for the next event; `None` after the result. Pending reports come before the result.
    async fn next(&mut self) -> Option<NextEvent> {
        let silence = tokio::time::sleep(self.app.config.limits.keep_alive);
        let mut silence = std::pin::pin!(silence);
        loop {
            let reported = async {
                if self.may_progress { self.progress.changed().await } else { pending().await }
            };
            let task = self.task.as_mut()?;
            tokio::select! {
                biased;
                changed = reported => match changed {
                    Ok(()) => return Some(NextEvent::Progress),
                    // The sender is dropped: the call has finished and reports no more.
                    Err(_) => self.may_progress = false,
                },
                finished = task => {
                    self.task = None;
                    let response = match finished {
                        Ok(finished) => call_response(&self.app, &finished, self.facts.clone()),
                        Err(problem) => problem.response(self.facts.clone()),
                    };
                    return Some(NextEvent::Result(response));
                }
                () = silence.as_mut() => return Some(NextEvent::KeepAlive),
            }
        }
    }

    fn progress_event(&mut self) -> String {
        let newest = self.progress.borrow_and_update();
        let (fraction, message) = match &*newest {
            Some(update) => (update.fraction, &*update.message),
            None => (None, ""),
        };
        let data = match fraction {
            Some(fraction) => json!({ "fraction": fraction, "message": message }),
            None => json!({ "message": message }),
        };
        write_event("progress", None, &data.to_string())
    }
}

/// Writes the result: the body and the status that a JSON response would have.
fn result_event(response: &JsonResponse) -> String {
    let body = String::from_utf8_lossy(&response.body);
    write_event("result", Some(response.status.as_u16()), &body)
}

/// Writes one event; a line break in the data starts another `data` line.
pub(crate) fn write_event(name: &str, status: Option<u16>, data: &str) -> String {
    let status = status.map_or(String::new(), |status| format!("status: {status}\n"));
    let mut text = format!("event: {name}\n{status}");
    for line in data.split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text
}
