//! `/approvals`: lists waiting calls and executes decisions about them.

mod attempt;
mod decision;
mod four_eyes;
mod inbox;
mod refusal;
mod requester_rights;
mod view;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use self::attempt::Attempt;
use self::decision::Decision;
pub(in crate::http) use self::decision::DecisionBody;
use self::refusal::DecisionRefusal;
use self::view::DeclinedDecision;
pub(in crate::http) use self::view::{Approvals, Declined};
use crate::ToolCall;
use crate::http::auth::Scope;
use crate::http::endpoints::call;
use crate::http::problem::Problem;
use crate::http::request::access_records::{self, ReadAccess};
use crate::http::request::admission as request;
use crate::http::request::body;
use crate::http::request::operator::{self as endpoint, AuthorizedCaller, Params};
use crate::http::request::paging::PageRequest;
use crate::http::response::AuditContext;
use crate::http::state::app::{App, SharedApp};
use crate::http::state::caller::Caller;
use crate::policy::TicketRejection;
use crate::store::TicketEnd;

/// Handles a request for the waiting calls.
pub(in crate::http) async fn list(State(app): State<SharedApp>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    request::respond(&app, &parts, async |audit| listed(&app, &parts, audit).await).await
}

/// Handles a decision about a waiting call.
pub(in crate::http) async fn decide(
    State(app): State<SharedApp>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let decided = async |audit: &mut AuditContext| {
        let ticket = ticket(&params);
        let authorized = admitted(&app, &parts, ticket.as_ref().ok(), audit).await?;
        let body = body::read(&app, &parts, body, audit).await?;
        audit.set_body(&body);
        let caller = audit.caller(&parts);
        decided(&app, (&authorized, caller), ticket?, &Decision::read(&body)?, audit).await
    };
    request::respond(&app, &parts, decided).await
}

async fn listed(
    app: &SharedApp,
    parts: &Parts,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let authorized = AuthorizedCaller::admit(app, parts, Scope::Approvals, audit).await?;
    let requested =
        PageRequest::<Uuid>::read(parts.uri.query(), "the `next` of the page before, a UUID")?;
    let _permit = access_records::acquire_read(app, &authorized.principal)?;
    let page = endpoint::within_time_limit(app, inbox::page(app, &authorized, requested)).await?;
    let read =
        ReadAccess { action: "read_approvals", what: "GET /approvals", subject: page.subject() };
    read.record(app, &authorized).await?;
    Ok(endpoint::json(&page.into_body(&app.runtime)).into_response())
}

/// Admits a caller that may decide for this tenant; any other attempt is recorded.
async fn admitted(
    app: &App,
    parts: &Parts,
    ticket: Option<&Uuid>,
    audit: &mut AuditContext,
) -> Result<AuthorizedCaller, Problem> {
    let principal = request::admit(app, parts, audit).await?;
    let authorized = AuthorizedCaller::of(principal.clone(), parts, Scope::Approvals, audit);
    let forbidden =
        authorized.as_ref().err().filter(|problem| problem.code == ErrorCode::Forbidden);
    if let (Some(ticket), Some(problem)) = (ticket, forbidden) {
        let why = endpoint::why_forbidden(&principal, Scope::Approvals, problem);
        Attempt::unauthorized(&principal, parts, *ticket).record_rejected(app, why).await;
    }
    authorized
}

async fn decided(
    app: &SharedApp,
    (authorized, caller): (&AuthorizedCaller, Caller),
    ticket: Uuid,
    decision: &Decision<'_>,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    refusal::refuse_if_only_counted(app, authorized, ticket, &caller).await?;
    let mut call = app.runtime.tickets().resume_by_id(ticket, &authorized.cx).await;
    let attempt = Attempt::of(authorized, ticket, decision, caller.clone());
    // A call that was not found has no name.
    if !call.name().is_empty() && !inbox::covers(app, authorized, call.name()) {
        let _ = call.refuse(refusal::not_covered);
        attempt.record_rejected(app, DecisionRefusal::NOT_COVERED.why.as_str()).await;
        return Err(refusal::tool_not_covered());
    }
    audit.tool_name = call.name().into();
    let refused = match (call.status(), decision) {
        (CallStatus::Pending, Decision::Decline(feedback)) => {
            return decline(app, call, ticket, feedback, &attempt).await;
        }
        (CallStatus::Pending, Decision::Approve) => {
            approve(app, &mut call, authorized, None).await?
        }
        (CallStatus::Pending, Decision::Edit(arguments)) => {
            approve(app, &mut call, authorized, Some(arguments)).await?
        }
        _ => DecisionRefusal::by_ticket(&call),
    };
    let finished = call::executed(app, call, caller).await?;
    let mut outcome = call::outcome(app, &finished, audit);
    if let Some(refused) = refused.or_else(|| DecisionRefusal::by_ticket(&finished.call)) {
        attempt.record_rejected(app, refused.why.as_str()).await;
        outcome.status = refused.status.unwrap_or(outcome.status);
    }
    Ok(outcome.into_response())
}

/// Approves a call, or makes it answer why it may not run; then its ticket stays valid.
async fn approve(
    app: &SharedApp,
    call: &mut ToolCall,
    authorized: &AuthorizedCaller,
    edited: Option<&str>,
) -> Result<Option<DecisionRefusal>, Problem> {
    let is_own = four_eyes::is_own(call.cx(), &authorized.cx, &authorized.principal);
    if is_own && app.config.four_eyes {
        let _ = call.refuse(four_eyes::refusal);
        return Ok(Some(DecisionRefusal::OWN_CALL));
    }
    if !requester_rights::requester_may_call(app, call).await? {
        let _ = call.refuse(refusal::requester_not_allowed);
        return Ok(Some(DecisionRefusal::REQUESTER_NOT_ALLOWED));
    }
    let approved = match edited {
        Some(arguments) => call.approve_edited(authorized.name(), arguments),
        None => call.approve(authorized.name()),
    };
    let Err(error) = approved else { return Ok(None) };
    let _ = call.refuse(|| refusal::not_approved(error));
    Ok(Some(DecisionRefusal::NOT_APPROVED))
}

/// Declines a call for good; it is recorded as declined only if no other decision came first.
async fn decline(
    app: &SharedApp,
    mut call: ToolCall,
    ticket: Uuid,
    feedback: &str,
    attempt: &Attempt,
) -> Result<Response, Problem> {
    let tool_name = call.name().to_owned();
    match app.runtime.tickets().end(ticket, TicketEnd::Declined).await {
        Ok(None) => {}
        Ok(Some(end)) => {
            let _ = call.refuse(|| TicketRejection::from(end).into());
            attempt.record_rejected(app, TicketRejection::from(end).reason().as_str()).await;
            return Err(refusal::ended(end));
        }
        Err(_) => {
            let _ = call.refuse(refusal::undecided);
            return Err(endpoint::store_unavailable());
        }
    }
    let _ = call.decline(feedback);
    call.execute().await;
    let decision = DeclinedDecision::Declined;
    Ok(endpoint::json(&Declined { ticket, decision, tool_name: &tool_name, feedback })
        .into_response())
}

fn ticket(params: &Params) -> Result<Uuid, Problem> {
    endpoint::param(params, "ticket")?.parse().map_err(|_| no_id())
}

fn no_id() -> Problem {
    Problem::of(ErrorCode::InvalidArgument, "path `ticket`: expected a ticket's id, a UUID")
}
