//! Admits requests to the API and turns refusals and panics into responses.

use std::panic::AssertUnwindSafe;

use axum::http::StatusCode;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::request::Parts;
use axum::response::Response;
use futures::FutureExt;
use tool_contracts::server::is_id;

use crate::http::auth::{Auth, Principal};
use crate::http::problem::Problem;
use crate::http::request::context::RequestHead;
use crate::http::response::{AuditContext, ResponseFormat};
use crate::http::state::app::App;
use crate::http::state::caller::Caller;

/// Admits a request before its body is read, so that a refusal costs the server little.
pub(in crate::http) async fn admit(
    app: &App,
    parts: &Parts,
    audit: &mut AuditContext,
) -> Result<Principal, Problem> {
    if app.config.drain.has_begun() {
        return Err(Problem::draining());
    }
    let principal = authenticate(app, parts, audit).await?;
    app.unread.admit(&audit.caller(parts))?;
    Ok(principal)
}

/// Checks the host name of a request, authenticates it and counts it.
pub(in crate::http) async fn authenticate(
    app: &App,
    parts: &Parts,
    audit: &mut AuditContext,
) -> Result<Principal, Problem> {
    app.config.hosts.admit(&app.config.auth, parts)?;
    let principal = app.rates.authenticate(&app.config.auth, parts).await?;
    audit.set_caller(Caller::of(parts, &principal));
    app.rates.request(parts, &principal)?;
    Ok(principal)
}

/// Returns the part of a request before its body.
pub(in crate::http) fn head(parts: &Parts) -> RequestHead<'_> {
    RequestHead { headers: &parts.headers, query: parts.uri.query() }
}

/// Runs a handler and makes its response; a panic is answered 500.
pub(in crate::http) async fn respond(
    app: &App,
    parts: &Parts,
    serve: impl AsyncFnOnce(&mut AuditContext) -> Result<Response, Problem>,
) -> Response {
    let mut audit = AuditContext::new();
    let served = AssertUnwindSafe(serve(&mut audit)).catch_unwind().await;
    let served = served.unwrap_or_else(|_| Err(Problem::internal()));
    let response = match served
        .and_then(|response| app.unread.counted(response, || audit.caller(parts), audit.has_effect))
    {
        Ok(response) => response,
        Err(problem) => reject(app, parts, problem, audit),
    };
    with_challenges(&app.config.auth, parts, response)
}

/// Makes the response of a refused request, and counts and logs the refusal.
fn reject(app: &App, parts: &Parts, problem: Problem, mut audit: AuditContext) -> Response {
    audit.trace_id = problem.trace_id.clone().or(audit.trace_id).or_else(|| trace_id(parts));
    app.metrics.refused(problem.status);
    #[cfg(feature = "trace")]
    app.refusals.log(parts, &problem, audit.principal(), audit.trace_id.as_deref());
    problem.response(&mut audit).into_response()
}

/// Refuses a request whose body is not read.
pub(in crate::http) fn refused(parts: &Parts, problem: Problem) -> Response {
    refused_as(ResponseFormat::CallResponse, parts, problem)
}

/// Refuses a request whose body is not read, in the format of its path.
pub(in crate::http) fn refused_as(
    format: ResponseFormat,
    parts: &Parts,
    problem: Problem,
) -> Response {
    let mut audit = AuditContext::new();
    audit.format = format;
    audit.trace_id = trace_id(parts);
    problem.response(&mut audit).into_response()
}

/// Adds the `WWW-Authenticate` challenges to a 401, one header each.
fn with_challenges(auth: &Auth, parts: &Parts, mut response: Response) -> Response {
    if response.status() == StatusCode::UNAUTHORIZED {
        let challenges = auth.challenges(&parts.headers);
        let challenges = challenges.map(|challenge| (WWW_AUTHENTICATE, challenge));
        response.headers_mut().extend(challenges);
    }
    response
}

/// Returns the trace id of the headers, for a request that was not parsed.
fn trace_id(parts: &Parts) -> Option<Box<str>> {
    let said = |name| parts.headers.get(name)?.to_str().ok().filter(|id| is_id(id));
    said("x-trace-id").or_else(|| said("x-request-id")).map(Into::into)
}
