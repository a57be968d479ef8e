//! `POST /tools/call`: executes one call, answered as JSON or as an event stream.

mod accept;
mod envelope;
pub(crate) mod events;
pub(crate) mod running;
mod text;

use std::borrow::Cow;

use axum::extract::State;
use serde_json::value::RawValue;
use tool_contracts::server::CallRequest;
use tool_contracts::{CallStatus, ErrorCode, ToolContext, ToolErrorDetail, ToolSpec};
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::tool::registry::CatalogueEntry;
use tool_runtime_core::{Runtime, ToolCall};

pub(crate) use self::accept::MediaType;
pub(crate) use self::envelope::envelope_call;
use self::running::EndCause;
pub(crate) use self::running::FinishedCall;
pub(crate) use self::text::text_call;
use crate::auth::{Principal, Requester};
use crate::problem::{Problem, status};
use crate::request::admission::Admitted;
use crate::request::body::{self, ReceivedRequest};
use crate::request::context;
use crate::response::{
    Answer, AnswerFacts, JsonResponse, RequestFacts, ResponseFormat, notable_meta,
};
use crate::state::app::{App, SharedApp};
use crate::state::caller::Caller;
use crate::state::refusal_counts::{RecordDecision, RefusalKind};

#[cfg(test)]
mod tests;

/// The longest name that a tool may have.
const MAX_NAME_LENGTH: usize = 128;

/// Handles a request for a call.
pub(crate) async fn call(
    admitted: Admitted,
    media_type: MediaType,
    State(app): State<SharedApp>,
    request: ReceivedRequest,
) -> Result<Answer, Problem> {
    let (call, facts) = open(&app, &admitted, &request)?;
    let _permit = request.into_permit();
    let answer = answer_call(&app, call, admitted.caller().clone(), media_type, &facts).await;
    answer.map_err(|problem| problem.with_tool_name(&facts.tool_name))
}

/// Executes an opened call and answers it in the media type that the client accepts.
async fn answer_call(
    app: &SharedApp,
    call: ToolCall,
    caller: Caller,
    media_type: MediaType,
    facts: &RequestFacts,
) -> Result<Answer, Problem> {
    // A call that was refused has no progress to report.
    if media_type == MediaType::EventStream && call.status() == CallStatus::Pending {
        let permit = events::acquire_stream(app, caller.clone())?;
        return events::stream(app, call, (caller, permit), facts.clone());
    }
    let finished = execute(app, call, caller).await?;
    Ok(call_response(app, &finished, facts.clone()).into())
}

/// Executes a call. A call that may have an effect runs in a task that a disconnect does not cancel.
pub(crate) async fn execute(
    app: &SharedApp,
    call: ToolCall,
    caller: Caller,
) -> Result<FinishedCall, Problem> {
    if call.status() != CallStatus::Pending || running::ends_with_caller(&call) {
        return Ok(running::run(app, call).await);
    }
    running::spawn(app, call, caller)?.await
}

/// Opens the call of a request's body, if the caller may call the tool, and names the tool in the
/// facts of the request.
fn open(
    app: &App,
    admitted: &Admitted,
    request: &ReceivedRequest,
) -> Result<(ToolCall, RequestFacts), Problem> {
    let body: CallRequest = body::parse(&request.body)?;
    let (name, input, context) = body.into_parts();
    let name = truncated_tool_name(name);
    let (principal, defaults) = (admitted.principal(), &app.config.context_defaults);
    let open_result = context::context(&request.head(), Some(context), principal, defaults)
        .and_then(|cx| open_named(app, admitted, &name, (input, cx)));
    let call = open_result.map_err(|problem| problem.with_tool_name(&name))?;
    Ok((call, RequestFacts { tool_name: name, ..request.facts() }))
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
    } else if app.refusal_counts.count_refusal(admitted.caller(), RefusalKind::Call)
        == RecordDecision::Summarize
    {
        // An opened call leaves a record.
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
/// A cut name ends with `…`, which no name of a tool has.
pub(crate) fn truncated_tool_name(name: String) -> Box<str> {
    if name.chars().nth(MAX_NAME_LENGTH).is_none() {
        return name.into_boxed_str();
    }
    name.chars().take(MAX_NAME_LENGTH - 1).chain(['…']).collect::<String>().into()
}

/// Refuses a tool that the caller may not call, before its arguments are read.
///
/// It is answered 403 and not 404: a model that gets a 404 tries other names, and the tool's
/// existence is not secret from a caller that has the contract.
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
pub(crate) fn call_response(
    app: &App,
    finished: &FinishedCall,
    mut facts: RequestFacts,
) -> JsonResponse {
    let trace_id = finished.call.cx().trace_id();
    let Some(output) = finished.call.output() else {
        return Problem::internal().response(facts);
    };
    let response = match (output.data_json(), facts.format()) {
        (Some(data), ResponseFormat::CallResponse) => {
            JsonResponse::success(data, notable_meta(output), trace_id, &facts)
        }
        (Some(_), ResponseFormat::Envelope) => JsonResponse::envelope(output),
        (None, _) => {
            facts.trace_id = Some(trace_id.into());
            let Some(detail) = finished.error(app) else {
                return Problem::internal().response(facts);
            };
            let status = status::for_error(&detail, finished.was_drained(app));
            JsonResponse::failure(status, &detail, Some(output.meta_json()), &facts)
        }
    };
    JsonResponse { facts: finished.answer_facts(facts), ..response }
}

impl FinishedCall {
    /// Returns the facts that the response of this call adds to what its parameters have reported.
    pub(crate) fn answer_facts(&self, facts: RequestFacts) -> AnswerFacts {
        let has_effect = !running::ends_with_caller(&self.call);
        let RequestFacts { trace_id, tool_name, .. } = facts;
        AnswerFacts { payload: None, trace_id, tool_name: Some(tool_name), has_effect }
    }

    /// Returns whether the shutdown of the server may have ended the call.
    fn was_drained(&self, app: &App) -> bool {
        match self.end {
            EndCause::TimeLimit => false,
            EndCause::Shutdown => true,
            EndCause::Call => app.config.drain.has_begun(),
        }
    }

    /// Returns the error of a failed call; if the request's time limit ended it, an error that says so.
    pub(crate) fn error(&self, app: &App) -> Option<Cow<'_, ToolErrorDetail>> {
        let detail = self.call.output()?.error()?;
        if self.end != EndCause::TimeLimit {
            return Some(Cow::Borrowed(detail));
        }
        let detail = detail.clone().into_builder().code(ErrorCode::Timeout.as_str());
        let limit = app.config.limits.request_timeout.as_millis();
        let message = format!("the call exceeded the request's time limit of {limit} ms");
        Some(Cow::Owned(detail.message(message).build()))
    }
}
