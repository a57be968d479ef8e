//! `POST /tools/call/text`: executes one call, answered with the text that a model reads.

use axum::extract::State;
use tool_contracts::Warning;
use tool_runtime_core::ToolOutput;
use tool_runtime_core::policy::ExcerptInfo;

use super::accept::AcceptsJson;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::ReceivedRequest;
use crate::response::{JsonResponse, notable_meta};
use crate::state::app::SharedApp;

#[cfg(test)]
mod tests;

/// Handles a request for a call whose output is a `SerializedOutput`.
///
/// A failure is answered as by `/tools/call`.
pub(crate) async fn text_call(
    admitted: Admitted,
    _: AcceptsJson,
    State(app): State<SharedApp>,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (call, facts) = super::open(&app, &admitted, &request)?;
    let _permit = request.into_permit();
    let with_tool_name = |problem: Problem| problem.with_tool_name(&facts.tool_name);
    let finished =
        super::execute(&app, call, admitted.caller().clone()).await.map_err(with_tool_name)?;
    let Some(output) = finished.call.output().filter(|output| output.is_ok()) else {
        return Ok(super::call_response(&app, &finished, facts));
    };
    let answer = finished.call.for_model().await;
    let text = app.runtime.policy_state().outputs.serialized(&answer);
    let data = text.ok().and_then(|text| serde_json::to_string(&text).ok());
    let data = data.ok_or_else(Problem::internal).map_err(with_tool_name)?;
    let meta = with_warning(output, answer.excerpt());
    let meta = meta.as_deref().or_else(|| notable_meta(output));
    let response = JsonResponse::success(&data, meta, finished.call.cx().trace_id(), &facts);
    Ok(JsonResponse { facts: finished.answer_facts(facts), ..response })
}

/// Returns the output's `meta` with the description of an excerpt among its warnings.
fn with_warning(output: &ToolOutput, excerpt: Option<&ExcerptInfo>) -> Option<String> {
    let meta = output.result_meta()?.into_owned();
    let mut warnings = meta.warnings().to_vec();
    warnings.push(Warning::from(excerpt?.to_string()));
    serde_json::to_string(&meta.with_warnings(warnings)).ok()
}
