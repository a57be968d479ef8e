//! Asks the client's user to confirm a call: `input_required` of revision 2026-07-28, an elicitation
//! before.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult,
};
use tool_contracts::{CallStatus, ToolContext};
use tool_runtime_core::ToolCall;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::policy::TicketRejection;
use tool_runtime_core::refusal_reason::RefusalReason;

use super::call::{Refused, RunOptions, ToolRequest};
use super::client_channel::cancelled_request;
use super::input::ANSWER_TIME;
use super::request_state::{self, CONFIRMATION, Reply, StatedCall};
use super::tasks::TaskStart;
use super::user::{ClientUser, ElicitationMode};
use crate::auth::Scope;
use crate::endpoints::call::{FinishedCall, require_may_call};
use crate::request::access_records::recorded_name;

/// A call that waits for a confirmation of the client's user.
pub(super) struct Question {
    mode: ElicitationMode,
    ticket: String,
    message: String,
}

/// Returns the question about a call that needs a confirmation, if this client's user may answer it.
pub(super) fn question(request: &ToolRequest<'_>, call: &ToolCall) -> Option<Question> {
    let ticket = call.approval().awaited_ticket.as_ref()?.json.to_string();
    let mode = ElicitationMode::from_request(request)?;
    let message = format!("Confirm this call: {}", call.preview());
    may_confirm(request, call).then_some(Question { mode, ticket, message })
}

/// Asks the client's user, and runs the call if it is confirmed.
pub(super) async fn confirm_with_user(
    request: &ToolRequest<'_>,
    question: Question,
    (finished, mut run): (FinishedCall, RunOptions),
    stated: &StatedCall<'_>,
) -> Result<CallToolResponse, Refused> {
    let elicitation = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    match question.mode {
        ElicitationMode::InputRequired => {
            let input_request = InputRequest::Elicitation(ElicitRequest::new(elicitation));
            let requests = BTreeMap::from([(CONFIRMATION.to_owned(), input_request)]);
            let none = BTreeMap::new();
            let user = run.user.as_ref().and_then(ClientUser::as_round);
            let answers = user.map_or(&none, |user| user.given());
            let state = stated.with_ticket(question.ticket, answers, finished.call.cx());
            Ok(InputRequiredResult::new(Some(requests), state).into())
        }
        ElicitationMode::Request => {
            let Some(link) = &request.link else {
                return Ok(request.result(&finished).await.into());
            };
            let answer_future =
                link.peer.create_elicitation_with_timeout(elicitation, Some(ANSWER_TIME));
            // A dialog that is still open decides about no call whose request was cancelled.
            let answer = tokio::select! {
                biased;
                () = link.ct.cancelled() => return Err(cancelled_request().into()),
                answer = answer_future => answer,
            };
            let Ok(answer) = answer else {
                return Ok(request.result(&finished).await.into());
            };
            let reply = Reply { ticket: question.ticket, answer };
            let call = request.resumed(&reply, stated.tool, finished.call.cx()).await?;
            match request.run(call, &mut run).await? {
                TaskStart::Finished(finished) => Ok(request.result(&finished).await.into()),
                TaskStart::Task(task) => Ok(CallToolResponse::Task(*task)),
            }
        }
    }
}

impl ToolRequest<'_> {
    /// Opens the call of a ticket again, with the user's decision.
    ///
    /// One that is not decided answers as before, with its ticket.
    pub(super) async fn resumed(
        &self,
        reply: &Reply,
        name: &str,
        cx: &ToolContext,
    ) -> Result<ToolCall, Refused> {
        let (app, principal) = (&self.server.app, self.caller.admitted.principal());
        if let Some(tool) = app.runtime.spec(name) {
            let admitted = require_may_call(principal, &tool)
                .and_then(|()| app.rates.call(name, cx.tenant_id(), principal));
            admitted.map_err(|problem| self.refused(name, problem))?;
        }
        let mut call = app.runtime.tickets().resume(&reply.ticket, cx).await;
        if rejection(&call).is_some_and(TicketRejection::is_forged) {
            return Err(request_state::refused().into());
        }
        if !call.name().is_empty() && call.name() != name {
            let message =
                "`requestState` belongs to a call of another tool; send it with that tool's name";
            return Err(ErrorData::invalid_params(message, None).into());
        }
        let may_decide = may_confirm(self, &call);
        // A call that is no longer pending has an answer that says why.
        let name = recorded_name(cx.user_id(), principal.display_name());
        if may_decide && reply.answer.action == ElicitationAction::Accept {
            let _ = call.approve(name);
        } else if may_decide && reply.answer.action == ElicitationAction::Decline {
            let feedback = "the user declined this call";
            // A pending call is refused even if the decision cannot be recorded; another one stays
            // as it is.
            if call.decline(name, feedback).is_err() {
                let _ = call.refuse(|| Refusal::declined(feedback));
            }
        }
        Ok(call)
    }
}

/// Returns why the ticket of a call was rejected, if it was.
fn rejection(call: &ToolCall) -> Option<TicketRejection> {
    let error = call.output().filter(|_| call.status() == CallStatus::Rejected)?.error()?;
    let reason = error.details()?.get("reason")?.as_str()?;
    TicketRejection::from_reason(RefusalReason::parse(reason)?)
}

/// Returns whether the client's user may decide: where the caller may decide about its own calls at
/// `/approvals` too.
fn may_confirm(request: &ToolRequest<'_>, call: &ToolCall) -> bool {
    let principal = request.caller.admitted.principal();
    !request.server.app.config.four_eyes
        && principal.may(Scope::Approvals)
        && call.tool().is_some_and(|tool| principal.may_decide(tool))
}
