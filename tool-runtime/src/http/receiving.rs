//! What every request of the API goes through, before and after what it asks for.

use std::panic::AssertUnwindSafe;

use axum::http::StatusCode;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::request::Parts;
use axum::response::Response;
use futures::FutureExt;
use tool_contracts::server::is_id;

use super::answer::{Heard, ResponseFormat};
use super::app::App;
use super::auth::{Auth, Principal};
use super::caller::RequestHead;
use super::problem::Problem;

/// Lets a request in, before any of its body is read: it costs a stranger little to be refused, and
/// the server less.
pub(super) async fn admit(
    app: &App,
    parts: &Parts,
    heard: &mut Heard,
) -> Result<Principal, Problem> {
    if app.config.drain.has_begun() {
        return Err(Problem::draining());
    }
    let principal = prove(app, parts, heard).await?;
    app.answers.admit(parts, heard)?;
    Ok(principal)
}

/// Finds out who a request is from, which is asked under a name that is this server's.
pub(super) async fn prove(
    app: &App,
    parts: &Parts,
    heard: &mut Heard,
) -> Result<Principal, Problem> {
    app.config.hosts.admit(&app.config.auth, parts)?;
    let principal = app.rates.prove(&app.config.auth, parts).await?;
    heard.from(parts, &principal);
    app.rates.request(parts, &principal)?;
    Ok(principal)
}

/// What a request says before its body.
pub(super) fn head(parts: &Parts) -> RequestHead<'_> {
    RequestHead { headers: &parts.headers, query: parts.uri.query() }
}

/// Answers what was asked for, or why not; a panic on the way is answered too.
pub(super) async fn answered(
    app: &App,
    parts: &Parts,
    serve: impl AsyncFnOnce(&mut Heard) -> Result<Response, Problem>,
) -> Response {
    let mut heard = Heard::now();
    let served = AssertUnwindSafe(serve(&mut heard)).catch_unwind().await;
    let served = served.unwrap_or_else(|_| Err(Problem::internal()));
    let response = match served.and_then(|response| app.answers.counted(response, parts, &heard)) {
        Ok(response) => response,
        Err(problem) => turned_away(app, parts, problem, heard),
    };
    challenged(&app.config.auth, parts, response)
}

/// Answers a request that leads to no call, and notes it for those who run the server.
fn turned_away(app: &App, parts: &Parts, problem: Problem, mut heard: Heard) -> Response {
    heard.trace_id = problem.trace_id.clone().or(heard.trace_id).or_else(|| trace_id(parts));
    app.metrics.refused(problem.status);
    #[cfg(feature = "trace")]
    app.refusals.tell(parts, &problem, &heard);
    problem.outcome(&mut heard).into_response()
}

/// Refuses a request whose body is not read.
pub(super) fn refused(parts: &Parts, problem: Problem) -> Response {
    refused_as(ResponseFormat::CallResponse, parts, problem)
}

/// Refuses a request whose body is not read, in the format of its path.
pub(super) fn refused_as(format: ResponseFormat, parts: &Parts, problem: Problem) -> Response {
    let mut heard = Heard::now();
    heard.format = format;
    heard.trace_id = trace_id(parts);
    problem.outcome(&mut heard).into_response()
}

/// Says to whom nobody knows how they could prove who they are, each way in a line of its own.
fn challenged(auth: &Auth, parts: &Parts, mut response: Response) -> Response {
    if response.status() == StatusCode::UNAUTHORIZED {
        let challenges = auth.challenges(&parts.headers);
        let challenges = challenges.map(|challenge| (WWW_AUTHENTICATE, challenge));
        response.headers_mut().extend(challenges);
    }
    response
}

/// Finds the trace of a request that nobody could read, if a header says it.
fn trace_id(parts: &Parts) -> Option<Box<str>> {
    let said = |name| parts.headers.get(name)?.to_str().ok().filter(|id| is_id(id));
    said("x-trace-id").or_else(|| said("x-request-id")).map(Into::into)
}
