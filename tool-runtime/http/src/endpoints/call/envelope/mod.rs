//! `POST /calls/{tool}`: calls a tool by a request envelope, answered with a response envelope.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use tool_contracts::envelope::CallEnvelope;

use super::accept::AcceptsJson;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::{self, ReceivedRequest};
use crate::request::context;
use crate::request::parameters::{Params, param};
use crate::response::{JsonResponse, ReportFacts, RequestFacts};
use crate::state::app::SharedApp;

#[cfg(test)]
mod tests;

/// The name of a tool in the path.
#[derive(Debug)]
pub(crate) struct ToolName(Box<str>);

impl FromRequestParts<SharedApp> for ToolName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &SharedApp) -> Result<Self, Problem> {
        let Ok(params) = Params::from_request_parts(parts, app).await;
        Ok(Self(super::truncated_tool_name(param(&params, "tool")?.to_owned())))
    }
}

impl ReportFacts for ToolName {
    fn report(&self, facts: &mut RequestFacts) {
        facts.tool_name.clone_from(&self.0);
    }
}

/// Calls the tool that the path names; every answer is a response envelope, refusals too.
pub(crate) async fn envelope_call(
    admitted: Admitted,
    ToolName(tool_name): ToolName,
    _: AcceptsJson,
    State(app): State<SharedApp>,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (envelope, input) = body::parse::<CallEnvelope>(&request.body)?.into_parts();
    let (head, defaults) = (request.head(), &app.config.context_defaults);
    let cx = context::context_of_envelope(&head, &envelope, admitted.principal(), defaults)?;
    let call = super::open_named(&app, &admitted, &tool_name, (input, cx))?;
    let facts = RequestFacts { tool_name, ..request.facts() };
    let _permit = request.into_permit();
    let finished = super::execute(&app, call, admitted.caller().clone()).await?;
    Ok(super::call_response(&app, &finished, facts))
}
