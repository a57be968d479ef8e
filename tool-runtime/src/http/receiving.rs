//! What every request of the API goes through, before and after what it asks for.

use std::panic::AssertUnwindSafe;

use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use futures::FutureExt;
use tool_contracts::server::is_id;

use super::answer::Heard;
use super::app::App;
use super::auth::Principal;
use super::caller::RequestHead;
use super::problem::Problem;

const INVALID_TOKEN: HeaderValue = HeaderValue::from_static("Bearer error=\"invalid_token\"");

/// Lets a request in, before any of its body is read: it costs a stranger little to be refused, and
/// the server less.
pub(super) async fn admit(app: &App, parts: &Parts) -> Result<Principal, Problem> {
    if app.config.drain.has_begun() {
        return Err(Problem::draining());
    }
    app.rates.prove(&app.config.auth, parts).await
}

/// What a request says before its body.
pub(super) fn head(parts: &Parts) -> RequestHead<'_> {
    RequestHead { headers: &parts.headers, query: parts.uri.query() }
}

/// Answers what was asked for, or why not; a panic on the way is answered too.
pub(super) async fn answered(
    parts: &Parts,
    serve: impl AsyncFnOnce(&mut Heard) -> Result<Response, Problem>,
) -> Response {
    let mut heard = Heard::now();
    let served = AssertUnwindSafe(serve(&mut heard)).catch_unwind().await;
    match served.unwrap_or_else(|_| Err(Problem::internal())) {
        Ok(response) => response,
        Err(problem) => refused_when(parts, problem, heard),
    }
}

/// Answers a request of which nothing is read but its head.
pub(super) fn refused(parts: &Parts, problem: Problem) -> Response {
    refused_when(parts, problem, Heard::now())
}

fn refused_when(parts: &Parts, problem: Problem, mut heard: Heard) -> Response {
    heard.trace_id = heard.trace_id.or_else(|| trace_id(parts));
    challenged(parts, problem.outcome(&mut heard).into_response())
}

/// Says of a token that was sent and led to nothing that it is why (RFC 6750, section 3.1).
fn challenged(parts: &Parts, mut response: Response) -> Response {
    let is_refused = response.status() == StatusCode::UNAUTHORIZED;
    if is_refused && parts.headers.contains_key(AUTHORIZATION) {
        response.headers_mut().insert(WWW_AUTHENTICATE, INVALID_TOKEN);
    }
    response
}

/// Finds the trace of a request that nobody could read, if a header says it.
fn trace_id(parts: &Parts) -> Option<Box<str>> {
    let said = |name| parts.headers.get(name)?.to_str().ok().filter(|id| is_id(id));
    said("x-trace-id").or_else(|| said("x-request-id")).map(Into::into)
}
