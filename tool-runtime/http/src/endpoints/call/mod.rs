//! `POST /tools/call`: executes one call, answered as JSON or as an event stream.

mod accept;
#[cfg(feature = "mcp")]
pub(crate) mod beyond_request;
mod envelope;
mod events;
pub(crate) mod running;
pub(crate) mod streams;
mod text;

use std::borrow::Cow;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::value::RawValue;
use tool_contracts::server::CallRequest;
use tool_contracts::{CallStatus, ErrorCode, ToolContext, ToolErrorDetail, ToolSpec};
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::tool::registry::CatalogueEntry;
use tool_runtime_core::{Runtime, ToolCall};

use self::accept::MediaType;
pub(crate) use self::envelope::envelope_call;
use self::running::EndCause;
pub(crate) use self::running::FinishedCall;
pub(crate) use self::text::text_call;
use crate::auth::{Principal, Requester};
use crate::problem::{Problem, status};
use crate::request::admission::Admitted;
use crate::request::body::{self, ReceivedRequest};
use crate::request::context;
use crate::response::{Audit, JsonResponse, ResponseFormat, notable_meta};
use crate::state::app::{App, SharedApp};
use crate::state::caller::Caller;
use crate::state::refusal_counts::RefusalKind;

#[cfg(test)]
mod tests;

/// The longest name that a tool may have.
const MAX_NAME_LENGTH: usize = 128;

/// Handles a request for a call.
pub(crate) async fn call(
    admitted: Admitted,
    media_type: MediaType,
    State(app): State<SharedApp>,
    audit: Audit,
    request: ReceivedRequest,
) -> Result<Response, Problem> {
    let call = open(&app, &admitted, &request, &audit)?;
    let _permit = request.into_permit();
    let caller = admitted.caller().clone();
    // A call that was refused has no progress to report.
    if media_type == MediaType::EventStream && call.status() == CallStatus::Pending {
        let permit = streams::acquire(&app, caller.clone())?;
        return events::stream(&app, call, (caller, permit), audit);
    }
    let finished = executed(&app, call, caller).await?;
    Ok(outcome(&app, &finished, &audit).into_response())
}

/// Executes a call; one that may have an effect runs in a task that a disconnect does not cancel.
pub(crate) async fn executed(
    app: &SharedApp,
    call: ToolCall,
    caller: Caller,
) -> Result<FinishedCall, Problem> {
    if call.status() != CallStatus::Pending || running::ends_with_caller(&call) {
        return Ok(running::run(app, call).await);
    }
    running::spawn(app, call, caller)?.await
}

/// Opens the call of a request's body, if the caller may call the tool.
fn open(
    app: &App,
    admitted: &Admitted,
    request: &ReceivedRequest,
    audit: &Audit,
) -> Result<ToolCall, Problem> {
    let body: CallRequest = body::parse(&request.body)?;
    let (name, input, context) = body.into_parts();
    let name = truncated_tool_name(name);
    audit.lock().tool_name.clone_from(&name);
    let defaults = &app.config.context_defaults;
    let cx = context::context(&request.head(), Some(context), admitted.principal(), defaults)?;
    open_named(app, admitted, &name, (input, cx))
}

/// Opens a call of the tool with this name, if the caller may call it.
pub(crate) fn open_named(
    app: &App,
    admitted: &Admitted,
    name: &str,
    (input, cx): (Box<RawValue>, ToolContext),
) -> Result<ToolCall, Problem> {
    let principal = admitted.principal();
    let may_know = |tool: &ToolSpec| principal.may_call(tool);
    if let Some(tool) = app.runtime.spec(name) {
        require_may_call(principal, &tool)?;
        app.rates.call(tool.name(), cx.tenant_id(), principal)?;
    } else if !app.refusal_counts.is_recorded(admitted.caller(), RefusalKind::Call) {
        let refusal = refusal_of_name(&app.runtime, name, &may_know);
        return Err(Problem::from_detail(&refusal.detail));
    }
    let input = Box::<str>::from(input);
    let mut call = app.runtime.open_among(name, None, input, cx, &may_know);
    // Only a call that may have to wait for an approval keeps its requester.
    if call.scope().is_some_and(|scope| scope.registered().policy_stages.authorize) {
        call.approval_mut().requester = Some(Requester::from_principal(principal).to_json());
    }
    Ok(call)
}

/// Returns how a call of a name that is not listed is refused; opens none, and records none.
fn refusal_of_name(
    runtime: &Runtime,
    name: &str,
    visible: &dyn Fn(&ToolSpec) -> bool,
) -> Box<Refusal> {
    let tools = runtime.environment().tools();
    let availability = tools.find(name).map(CatalogueEntry::availability);
    // A tool that is available by now was added after the lookup; it counts as unknown.
    availability
        .and_then(Refusal::unavailable_tool)
        .unwrap_or_else(|| Refusal::unknown_tool(&runtime.services().closest(name, visible)))
}

/// Cuts a tool's name to the longest valid length, for responses, records and logs.
///
/// A cut name ends with `…`, so it is no tool's name.
pub(crate) fn truncated_tool_name(name: String) -> Box<str> {
    if name.chars().nth(MAX_NAME_LENGTH).is_none() {
        return name.into_boxed_str();
    }
    name.chars().take(MAX_NAME_LENGTH - 1).chain(['…']).collect::<String>().into()
}

/// Refuses a tool that the caller may not call, before its arguments are read.
///
/// It is answered 403 and not 404: a model that gets a 404 tries other names, and the tool's
/// existence is no secret to a caller that has the contract.
pub(crate) fn require_may_call(principal: &Principal, tool: &ToolSpec) -> Result<(), Problem> {
    if principal.may_call(tool) {
        return Ok(());
    }
    if principal.is_anonymous() {
        return Err(Problem::unauthorized(
            "this tool requires authentication; send an API key or a token",
        ));
    }
    let message = if tool.ai_callable() {
        "the caller may not call this tool; it needs a scope that covers it"
    } else {
        "the caller may not call this tool; it needs a scope that covers it, and `internal`, \
         because the tool is not meant for models"
    };
    Err(Problem::forbidden(message).with_reason(RefusalReason::Scope))
}

/// Makes the HTTP response of a finished call.
pub(crate) fn outcome(app: &App, finished: &FinishedCall, audit: &Audit) -> JsonResponse {
    let audit = &mut *audit.lock();
    let trace_id = finished.call.cx().trace_id();
    audit.has_effect = !running::ends_with_caller(&finished.call);
    let Some(output) = finished.call.output() else {
        return Problem::internal().response(audit);
    };
    if let Some(data) = output.data_json() {
        return match audit.format {
            ResponseFormat::CallResponse => {
                JsonResponse::success(data, notable_meta(output), trace_id, audit)
            }
            ResponseFormat::Envelope => JsonResponse::envelope(output),
        };
    }
    audit.trace_id = Some(trace_id.into());
    let Some(detail) = finished.error(app) else { return Problem::internal().response(audit) };
    let draining = finished.end != EndCause::TimeLimit
        && (finished.end == EndCause::Shutdown || app.config.drain.has_begun());
    JsonResponse::failure(
        status::for_error(&detail, draining),
        &detail,
        Some(output.meta_json()),
        audit,
    )
}

impl FinishedCall {
    /// Returns the error of a failed call; of one that the request's time limit ended, that limit.
    pub(crate) fn error(&self, app: &App) -> Option<Cow<'_, ToolErrorDetail>> {
        let detail = self.call.output()?.error()?;
        if self.end != EndCause::TimeLimit {
            return Some(Cow::Borrowed(detail));
        }
        let detail = detail.clone().into_builder().code(ErrorCode::Timeout.as_str());
        let limit = app.config.bounds.request_time.as_millis();
        let message = format!("the call exceeded the request's time limit of {limit} ms");
        Some(Cow::Owned(detail.message(message).build()))
    }
}
