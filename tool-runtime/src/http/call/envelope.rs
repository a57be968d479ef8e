//! `POST /calls/{tool}`: takes a request envelope, answers with a response envelope.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::envelope::CallEnvelope;

use super::accept;
use crate::http::answer::{Heard, ResponseFormat};
use crate::http::app::Shared;
use crate::http::desk::{self, Params};
use crate::http::problem::Problem;
use crate::http::{body, caller, receiving};

#[cfg(test)]
mod tests;

/// Calls the tool that the path names; every answer is a response envelope, refusals too.
pub(in crate::http) async fn envelope_call(
    State(app): State<Shared>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let serve = async |heard: &mut Heard| {
        heard.format = ResponseFormat::Envelope;
        serve(&app, &parts, &params, body, heard).await
    };
    receiving::answered(&app, &parts, serve).await
}

async fn serve(
    app: &Shared,
    parts: &Parts,
    params: &Params,
    body: Body,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    heard.tool_name = super::repeatable(desk::param(params, "tool")?.to_owned());
    if !accept::admits_json(&parts.headers) {
        return Err(super::not_acceptable("`application/json`"));
    }
    let (call, _share) = {
        let body = body::read(app, parts, body, heard).await?;
        heard.body(&body);
        let (request, input) = body::parse::<CallEnvelope>(&body)?.into_parts();
        let cx = caller::context_of_envelope(&receiving::head(parts), &request, &principal)?;
        (super::open_named(app, parts, (input, cx), &principal, heard)?, body.into_share())
    };
    let ran = super::executed(app, call, heard.caller(parts)).await?;
    Ok(super::outcome(app, &ran, heard).into_response())
}
