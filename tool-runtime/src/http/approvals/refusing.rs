//! Why a decision did not count, in HTTP's words.

use axum::http::StatusCode;
use tool_contracts::{CallStatus, ErrorCode};

use crate::ToolCall;
use crate::call::EditError;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::http::problem::Problem;
use crate::policy::TicketFault;
use crate::store::TicketEnd;

/// Finds the status of a call that its ticket kept from running; none where its code says it.
///
/// What is over is gone (410); what somebody decided before, or has changed since, conflicts (409).
pub(super) fn status(call: &ToolCall) -> Option<StatusCode> {
    let detail = call.output().filter(|_| call.status() == CallStatus::Rejected)?.error()?;
    let reason = detail.details()?.get("reason")?.as_str()?;
    Some(match reason {
        "ticket_expired" | "ticket_overtaken" => StatusCode::GONE,
        "ticket_used"
        | "ticket_declined"
        | "ticket_outdated"
        | "ticket_unknown_key"
        | "ticket_tampered"
        | "ticket_arguments_changed" => StatusCode::CONFLICT,
        _ => return None,
    })
}

/// Says that somebody else has decided in the meantime.
pub(super) fn ended(end: TicketEnd) -> Problem {
    let (fault, status) = match end {
        TicketEnd::Overtaken | TicketEnd::Expired => (TicketFault::from(end), StatusCode::GONE),
        _ => (TicketFault::from(end), StatusCode::CONFLICT),
    };
    Problem::new(status, fault.code(), fault.to_string()).with_detail("reason", fault.reason())
}

/// What a call is answered that was not approved; it waits on.
pub(super) fn not_approved(error: EditError) -> Box<Refusal> {
    match error {
        EditError::Refused(detail) => Refusal::not_run(*detail),
        _ => Refusal::new(CallStatus::NotExecuted, Failure::of(ErrorCode::Conflict)),
    }
}
