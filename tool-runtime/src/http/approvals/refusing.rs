//! Why a decision did not count, in HTTP's words.

use axum::http::StatusCode;
use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use crate::ToolCall;
use crate::call::ApprovalError;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::http::app::App;
use crate::http::desk::{self, Clerk};
use crate::http::flood::RefusalKind;
use crate::http::problem::Problem;
use crate::http::rate::Caller;
use crate::policy::TicketFault;
use crate::refusal_reason::RefusalReason;
use crate::store::TicketEnd;

/// Why a decision does not count.
#[derive(Debug)]
pub(super) struct Refused {
    /// In a word, for a record.
    pub(super) why: RefusalReason,
    /// The status of its answer, where the answer's code does not say it.
    pub(super) status: Option<StatusCode>,
}

impl Refused {
    /// Somebody would approve their own call: its code says all.
    pub(super) const OWN_CALL: Self = Self { why: RefusalReason::OwnCall, status: None };

    /// What the tool does not take is a decision of the right form that does not fit what waits.
    pub(super) const NOT_APPROVED: Self =
        Self { why: RefusalReason::EditNotValid, status: Some(StatusCode::CONFLICT) };

    /// The tool is none that the approver decides about: the refusal's code says all.
    pub(super) const NOT_COVERED: Self = Self { why: RefusalReason::ToolNotCovered, status: None };

    /// The caller that asked may not call the tool any more, so what waits has lost its ground.
    pub(super) const ASKER_NOT_ALLOWED: Self =
        Self { why: RefusalReason::AskerNotAllowed, status: Some(StatusCode::CONFLICT) };

    /// Finds out whether its ticket kept a call from running.
    ///
    /// What is over is gone (410); what somebody decided before, or has changed since, conflicts
    /// (409).
    pub(super) fn by_ticket(call: &ToolCall) -> Option<Self> {
        let detail = call.output().filter(|_| call.status() == CallStatus::Rejected)?.error()?;
        let reason = RefusalReason::parse(detail.details()?.get("reason")?.as_str()?)?;
        if reason == RefusalReason::AnsweredBefore {
            return Some(Self { why: reason, status: None });
        }
        let status = match TicketFault::of_reason(reason)? {
            TicketFault::Expired | TicketFault::Overtaken => Some(StatusCode::GONE),
            TicketFault::Used
            | TicketFault::Declined
            | TicketFault::Outdated
            | TicketFault::UnknownKey
            | TicketFault::Tampered
            | TicketFault::ArgumentsChanged => Some(StatusCode::CONFLICT),
            TicketFault::Malformed
            | TicketFault::Oversized
            | TicketFault::Foreign
            | TicketFault::Unknown
            | TicketFault::Unreadable => None,
        };
        Some(Self { why: reason, status })
    }
}

/// Says that somebody else has decided in the meantime.
pub(super) fn ended(end: TicketEnd) -> Problem {
    let (fault, status) = match end {
        TicketEnd::Overtaken | TicketEnd::Expired => (TicketFault::from(end), StatusCode::GONE),
        _ => (TicketFault::from(end), StatusCode::CONFLICT),
    };
    Problem::new(status, fault.code(), fault.to_string()).with_reason(fault.reason())
}

/// Refuses a ticket that is not waiting without opening a call, which would leave a record, where
/// the caller's refusals are only counted.
pub(super) async fn unless_counted(
    app: &App,
    clerk: &Clerk,
    ticket: Uuid,
    caller: &Caller,
) -> Result<(), Problem> {
    if !app.refusal_counts.is_full(caller, RefusalKind::Decision) {
        return Ok(());
    }
    let (runtime, tenant) = (&app.runtime, clerk.tenant());
    let waiting =
        runtime.tickets().find_waiting(ticket, tenant).await.map_err(|_| desk::store_down())?;
    if waiting.is_some() {
        return Ok(());
    }
    let end = runtime.tickets().end_of(ticket, tenant).await.map_err(|_| desk::store_down())?;
    app.refusal_counts.is_recorded(caller, RefusalKind::Decision);
    Err(end.map_or_else(unknown, ended))
}

/// Says that there is no such ticket.
fn unknown() -> Problem {
    let fault = TicketFault::Unknown;
    Problem::of(fault.code(), fault.to_string()).with_reason(fault.reason())
}

/// The call is recorded as one that was not run, and waits on.
pub(super) fn not_covered() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Forbidden).with_reason(RefusalReason::ToolNotCovered);
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// What the approver is answered, who is not told which tool it is.
pub(super) fn tool_not_covered() -> Problem {
    let message = "this caller may not decide about calls of this tool; it takes a scope that \
                   covers the tool, or `approves:` before one, and `internal` for a tool that is \
                   not meant for models";
    Problem::forbidden(message).with_reason(RefusalReason::ToolNotCovered)
}

/// The call waits on: the caller that asked may be given its right back.
pub(super) fn asker_not_allowed() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Forbidden)
        .with_message("the caller that asked for this call may not call its tool any more")
        .with_reason(RefusalReason::AskerNotAllowed);
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// The store cannot say whether another decision came first: the call waits on.
pub(super) fn undecided() -> Box<Refusal> {
    Refusal::new(CallStatus::NotExecuted, Failure::of(ErrorCode::Unavailable))
}

/// What a call is answered that was not approved; it waits on.
pub(super) fn not_approved(error: ApprovalError) -> Box<Refusal> {
    match error {
        ApprovalError::InvalidArguments(detail) => Refusal::not_run(*detail),
        _ => Refusal::new(CallStatus::NotExecuted, Failure::of(ErrorCode::Conflict)),
    }
}
