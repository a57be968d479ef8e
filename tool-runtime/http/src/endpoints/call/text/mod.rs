//! `POST /tools/call/text`: executes one call, answered with the text that a model reads.

use axum::extract::State;
use tool_contracts::Warning;
use tool_runtime_core::policy::ExcerptInfo;
use tool_runtime_core::{ToolCall, ToolOutput};

use super::accept::AcceptsJson;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::ReceivedRequest;
use crate::response::{JsonResponse, RequestFacts, notable_meta};
use crate::state::app::SharedApp;
use crate::state::caller::Caller;

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
    let response = answer_call(&app, call, admitted.caller().clone(), &facts).await;
    response.map_err(|problem| problem.with_tool_name(&facts.tool_name))
}

/// Executes an opened call and answers it with the text of its output.
async fn answer_call(
    app: &SharedApp,
    call: ToolCall,
    caller: Caller,
    facts: &RequestFacts,
) -> Result<JsonResponse, Problem> {
    let finished = super::execute(app, call, caller).await?;
    let Some(output) = finished.call.output().filter(|output| output.is_ok()) else {
        return Ok(super::call_response(app, &finished, facts.clone()));
    };
    let answer = finished.call.for_model().await;
    let text = app.runtime.policy_state().outputs.serialized(&answer);
    let data = text.ok().and_then(|text| serde_json::to_string(&text).ok());
    let data = data.ok_or_else(Problem::internal)?;
    let meta = with_warning(output, answer.excerpt());
    let meta = meta.as_deref().or_else(|| notable_meta(output));
    let response = JsonResponse::success(&data, meta, finished.call.cx().trace_id(), facts);
    Ok(JsonResponse { facts: finished.answer_facts(facts.clone()), ..response })
}

/// Returns the output's `meta` with the description of an excerpt among its warnings.
fn with_warning(output: &ToolOutput, excerpt: Option<&ExcerptInfo>) -> Option<String> {
    let meta = output.result_meta()?.into_owned();
    let mut warnings = meta.warnings().to_vec();
    warnings.push(Warning::from(excerpt?.to_string()));
    serde_json::to_string(&meta.with_warnings(warnings)).ok()
}
