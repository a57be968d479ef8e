//! `POST /calls/{tool}`: calls a tool by a request envelope, answered with a response envelope.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::envelope::CallEnvelope;

use super::accept;
use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::request::body;
use crate::http::request::context as caller;
use crate::http::request::operator::{self as endpoint, Params};
use crate::http::response::{AuditContext, ResponseFormat};
use crate::http::state::app::SharedApp;

#[cfg(test)]
mod tests;

/// Calls the tool that the path names; every answer is a response envelope, refusals too.
pub(in crate::http) async fn envelope_call(
    State(app): State<SharedApp>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let serve = async |audit: &mut AuditContext| {
        audit.format = ResponseFormat::Envelope;
        serve(&app, &parts, &params, body, audit).await
    };
    request::respond(&app, &parts, serve).await
}

async fn serve(
    app: &SharedApp,
    parts: &Parts,
    params: &Params,
    body: Body,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let principal = request::admit(app, parts, audit).await?;
    audit.tool_name = super::repeatable(endpoint::param(params, "tool")?.to_owned());
    if !accept::admits_json(&parts.headers) {
        return Err(super::not_acceptable("`application/json`"));
    }
    let (call, _share) = {
        let body = body::read(app, parts, body, audit).await?;
        audit.set_body(&body);
        let (request, input) = body::parse::<CallEnvelope>(&body)?.into_parts();
        let cx = caller::context_of_envelope(&request::head(parts), &request, &principal)?;
        (super::open_named(app, parts, (input, cx), &principal, audit)?, body.into_permit())
    };
    let finished = super::executed(app, call, audit.caller(parts)).await?;
    Ok(super::outcome(app, &finished, audit).into_response())
}
