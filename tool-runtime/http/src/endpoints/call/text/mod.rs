//! `POST /tools/call/text`: executes one call, answered with the text that a model reads.

use axum::extract::State;
use tool_contracts::{ToolResultMeta, Warning};
use tool_runtime_core::ToolOutput;
use tool_runtime_core::policy::ExcerptInfo;

use super::accept::AcceptsJson;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::ReceivedRequest;
use crate::response::{Audit, JsonResponse, notable_meta};
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
    audit: Audit,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let call = super::open(&app, &admitted, &request, &audit)?;
    let _permit = request.into_permit();
    let finished = super::executed(&app, call, admitted.caller().clone()).await?;
    let Some(output) = finished.call.output().filter(|output| output.is_ok()) else {
        return Ok(super::outcome(&app, &finished, &audit));
    };
    let answer = finished.call.for_model().await;
    let outputs = &app.runtime.policy_state().outputs;
    let text = outputs.serialized(&answer).map_err(|_| Problem::internal())?;
    let Ok(data) = serde_json::to_string(&text) else { return Err(Problem::internal()) };
    let meta = with_warning(output, answer.excerpt());
    let meta = meta.as_deref().or_else(|| notable_meta(output));
    let audit = &mut *audit.lock();
    audit.has_effect = !super::running::ends_with_caller(&finished.call);
    Ok(JsonResponse::success(&data, meta, finished.call.cx().trace_id(), audit))
}

/// Returns the output's `meta` with the description of an excerpt among its warnings.
fn with_warning(output: &ToolOutput, excerpt: Option<&ExcerptInfo>) -> Option<String> {
    let meta: ToolResultMeta = serde_json::from_str(output.meta_json()).ok()?;
    let mut warnings = meta.warnings().to_vec();
    warnings.push(Warning::from(excerpt?.to_string()));
    serde_json::to_string(&meta.with_warnings(warnings)).ok()
}
