//! The refusals of decisions, with their HTTP statuses.

use axum::http::StatusCode;
use tool_contracts::{CallStatus, ErrorCode};
use tool_runtime_core::ToolCall;
use tool_runtime_core::call::ApprovalError;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::failure::Failure;
use tool_runtime_core::policy::{RejectionClass, TicketRejection};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::store::TicketEnd;
use uuid::Uuid;

use crate::problem::Problem;
use crate::request::admission::AuthorizedCaller;
use crate::state::app::App;
use crate::state::refusal_counts::{RecordDecision, RefusalKind};

/// A refused decision.
#[derive(Debug)]
pub(super) struct DecisionRefusal {
    /// The reason in the record.
    pub(super) reason: RefusalReason,
    /// The status, if it differs from the status of the error code.
    pub(super) status: Option<StatusCode>,
}

impl DecisionRefusal {
    /// The approver requested the call.
    pub(super) const OWN_CALL: Self = Self { reason: RefusalReason::OwnCall, status: None };

    /// The edited arguments are not valid: a well-formed decision that does not fit the waiting
    /// call.
    pub(super) const NOT_APPROVED: Self =
        Self { reason: RefusalReason::EditNotValid, status: Some(StatusCode::CONFLICT) };

    /// The approver may not let a call exceed a budget.
    pub(super) const MAY_NOT_EXCEED_BUDGETS: Self =
        Self { reason: RefusalReason::Scope, status: None };

    /// The approver may not decide about the tool.
    pub(super) const NOT_COVERED: Self =
        Self { reason: RefusalReason::ToolNotCovered, status: None };

    /// The caller that requested the call may no longer call the tool.
    pub(super) const REQUESTER_NOT_ALLOWED: Self =
        Self { reason: RefusalReason::RequesterNotAllowed, status: Some(StatusCode::CONFLICT) };

    /// Returns the refusal if the call's ticket kept it from running.
    pub(super) fn by_ticket(call: &ToolCall) -> Option<Self> {
        let detail = call.output().filter(|_| call.status() == CallStatus::Rejected)?.error()?;
        let reason = RefusalReason::parse(detail.details()?.get("reason")?.as_str()?)?;
        if reason == RefusalReason::AnsweredBefore {
            return Some(Self { reason, status: None });
        }
        let status = status_of(TicketRejection::from_reason(reason)?);
        Some(Self { reason, status })
    }
}

/// Returns the status of a rejected ticket, if it differs from the status of the error code.
///
/// An expired or superseded ticket is gone (410); a decided ticket, or a ticket of a tool that has
/// changed, conflicts (409).
const fn status_of(rejection: TicketRejection) -> Option<StatusCode> {
    match rejection.class() {
        RejectionClass::Gone => Some(StatusCode::GONE),
        RejectionClass::Conflict => Some(StatusCode::CONFLICT),
        RejectionClass::Other => None,
    }
}

/// Returns the problem of a ticket that was decided meanwhile.
pub(super) fn ended(end: TicketEnd) -> Problem {
    let rejection = TicketRejection::from(end);
    let problem =
        Problem::from_code(rejection.code(), rejection.to_string()).with_reason(rejection.reason());
    Problem { status: status_of(rejection).unwrap_or(problem.status), ..problem }
}

/// Refuses a ticket that is not waiting without opening a call, if the caller's refusals are only
/// counted; opening one would leave a record.
pub(super) async fn refuse_if_only_counted(
    app: &App,
    authorized: &AuthorizedCaller,
    ticket: Uuid,
) -> Result<(), Problem> {
    let caller = authorized.caller();
    if app.refusal_counts.next_decision(caller, RefusalKind::Decision) == RecordDecision::Record {
        return Ok(());
    }
    let (runtime, tenant) = (&app.runtime, authorized.tenant());
    let waiting = runtime
        .tickets()
        .find_waiting(ticket, tenant)
        .await
        .map_err(|_| Problem::store_unavailable())?;
    if waiting.is_some() {
        return Ok(());
    }
    let end =
        runtime.tickets().end_of(ticket, tenant).await.map_err(|_| Problem::store_unavailable())?;
    app.refusal_counts.count_refusal(caller, RefusalKind::Decision);
    Err(end.map_or_else(unknown, ended))
}

/// Returns the problem of an unknown ticket.
fn unknown() -> Problem {
    let rejection = TicketRejection::Unknown;
    Problem::from_code(rejection.code(), rejection.to_string()).with_reason(rejection.reason())
}

/// Returns the refusal of an approver without the right to decide; the call keeps waiting.
pub(super) fn not_covered() -> Box<Refusal> {
    let failure =
        Failure::from_code(ErrorCode::Forbidden).with_reason(RefusalReason::ToolNotCovered);
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// Returns the refusal of an approver without the right to exceed budgets; the call keeps waiting.
pub(super) fn may_not_exceed_budgets() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Forbidden)
        .with_message("letting a call exceed a budget needs the scope `exceed_budgets`")
        .with_reason(RefusalReason::Scope);
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// Returns the answer for an approver without the right to decide, which does not name the tool.
pub(super) fn tool_not_covered() -> Problem {
    let message = "the caller may not decide about calls of this tool; it needs a scope that covers \
                   the tool, or `approves:` before one, and `internal` for a tool that is not \
                   meant for models";
    Problem::forbidden(message).with_reason(RefusalReason::ToolNotCovered)
}

/// Returns the refusal for a requester without the right to call; the call keeps waiting, because the
/// right may be granted again.
pub(super) fn requester_not_allowed() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Forbidden)
        .with_message("the caller that requested this call may no longer call its tool")
        .with_reason(RefusalReason::RequesterNotAllowed);
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// Returns the refusal if the store cannot tell whether another decision came first; the call keeps
/// waiting.
pub(super) fn undecided() -> Box<Refusal> {
    Refusal::new(CallStatus::NotExecuted, Failure::from_code(ErrorCode::Unavailable))
}

/// Returns the refusal of a call that was not approved; it keeps waiting.
pub(super) fn not_approved(error: ApprovalError) -> Box<Refusal> {
    match error.into_detail() {
        Some(detail) => Refusal::not_run(detail),
        None => Refusal::new(CallStatus::NotExecuted, Failure::from_code(ErrorCode::Conflict)),
    }
}
