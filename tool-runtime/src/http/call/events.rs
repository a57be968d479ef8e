//! A call's answer as a stream of events: its progress, then its result.
//!
//! The events are those of the HTML standard's server-sent events.

use std::convert::Infallible;
use std::future::pending;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use futures::stream;
use serde_json::json;
use tokio::sync::watch;

use super::outcome;
use super::running::{self, Task};
use super::streams::Place;
use crate::http::answer::{Heard, Outcome};
use crate::http::app::Shared;
use crate::http::problem::Problem;
use crate::http::rate::Caller;
use crate::{ProgressUpdate, ToolCall};

/// A stream under way.
struct Events {
    app: Shared,
    heard: Heard,
    task: Option<Task>,
    /// Holds the newest report only: a slow caller misses reports, and never the result.
    progress: watch::Receiver<Option<ProgressUpdate>>,
    progresses: bool,
    _place: Place,
}

/// What a stream says next.
enum Next {
    Progress,
    Result(Outcome),
    Silence,
}

/// Runs a call in a task of its own, and answers with what it says of itself.
pub(super) fn stream(
    app: &Shared,
    call: ToolCall,
    (caller, place): (Caller, Place),
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let (report, progress) = watch::channel(None);
    call.on_progress(move |update| drop(report.send_replace(Some(update))));
    heard.trace_id = Some(call.cx().trace_id().into());
    let task = Some(running::spawn(app, call, caller)?);
    let heard = heard.take();
    let app = app.clone();
    let events = Events { app, heard, task, progress, progresses: true, _place: place };
    let body = Body::from_stream(stream::unfold(events, Events::advance));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

impl Events {
    async fn advance(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let text = match self.next().await? {
            Next::Progress => self.progress_event(),
            Next::Result(outcome) => result_event(&outcome),
            Next::Silence => ": still running\n\n".to_owned(),
        };
        Some((Ok(text.into()), self))
    }

    /// Waits for what comes next; none once the result was told. Reports come before the result.
    async fn next(&mut self) -> Option<Next> {
        let silence = tokio::time::sleep(self.app.config.bounds.keep_alive);
        let mut silence = std::pin::pin!(silence);
        loop {
            let reported = async {
                if self.progresses { self.progress.changed().await } else { pending().await }
            };
            let ended = self.task.as_mut()?;
            tokio::select! {
                biased;
                changed = reported => match changed {
                    Ok(()) => return Some(Next::Progress),
                    // The call has ended, and nothing is left to be reported.
                    Err(_) => self.progresses = false,
                },
                ran = ended => {
                    self.task = None;
                    let outcome = match ran {
                        Ok(ran) => outcome(&self.app, &ran, &mut self.heard),
                        Err(problem) => problem.outcome(&mut self.heard),
                    };
                    return Some(Next::Result(outcome));
                }
                () = silence.as_mut() => return Some(Next::Silence),
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
        event("progress", None, &data.to_string())
    }
}

/// Tells the result: the body that JSON would have, and beside it the status that it would have.
fn result_event(outcome: &Outcome) -> String {
    let body = String::from_utf8_lossy(&outcome.body);
    event("result", Some(outcome.status.as_u16()), &body)
}

/// Writes one event; a line break in its data begins another line of data.
fn event(name: &str, status: Option<u16>, data: &str) -> String {
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
