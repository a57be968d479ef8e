//! `/approvals`: what waits for a person, and what they decide about it.

mod attempt;
mod decision;
mod four_eyes;
mod inbox;
mod refusing;
mod standing;
mod view;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use self::attempt::Attempt;
use self::decision::Decision;
pub(super) use self::decision::DecisionBody;
use self::refusing::Refused;
use self::view::DeclinedWord;
pub(super) use self::view::{Approvals, Declined};
use super::accesses::Read;
use super::answer::Heard;
use super::app::{App, Shared};
use super::auth::Scope;
use super::desk::{self, Clerk, Params};
use super::paging::Asked;
use super::problem::Problem;
use super::rate::Caller;
use super::{body, call, receiving};
use crate::ToolCall;
use crate::policy::TicketFault;
use crate::store::TicketEnd;

/// Lists what waits for a person.
pub(super) async fn list(State(app): State<Shared>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| listed(&app, &parts, heard).await).await
}

/// Takes what a person decided about a call that waits.
pub(super) async fn decide(
    State(app): State<Shared>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let decided = async |heard: &mut Heard| {
        let ticket = ticket(&params);
        let clerk = admitted(&app, &parts, ticket.as_ref().ok(), heard).await?;
        let body = body::read(&app, &parts, body, heard).await?;
        heard.body(&body);
        let caller = heard.caller(&parts);
        decided(&app, (&clerk, caller), ticket?, &Decision::read(&body)?, heard).await
    };
    receiving::answered(&app, &parts, decided).await
}

async fn listed(app: &Shared, parts: &Parts, heard: &mut Heard) -> Result<Response, Problem> {
    let clerk = Clerk::admit(app, parts, Scope::Approvals, heard).await?;
    let asked = Asked::<Uuid>::read(parts.uri.query(), "the `next` of the page before, a UUID")?;
    let _share = app.reads.take(&clerk.principal)?;
    let page = desk::within(app, inbox::page(app, &clerk, asked)).await?;
    let read = Read { action: "read_approvals", what: "GET /approvals", subject: page.subject() };
    read.recorded(app, &clerk).await?;
    Ok(desk::found(&page.into_body(&app.runtime)).into_response())
}

/// Lets somebody in who may decide for this tenant; who else tries it is on the record.
async fn admitted(
    app: &App,
    parts: &Parts,
    ticket: Option<&Uuid>,
    heard: &mut Heard,
) -> Result<Clerk, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    let clerk = Clerk::of(principal.clone(), parts, Scope::Approvals, heard);
    let is_forbidden = |problem: &Problem| problem.code == ErrorCode::Forbidden;
    if let (Some(ticket), true) = (ticket, clerk.as_ref().is_err_and(is_forbidden)) {
        Attempt::turned_away(app, &principal, parts, *ticket).await;
    }
    clerk
}

async fn decided(
    app: &Shared,
    (clerk, caller): (&Clerk, Caller),
    ticket: Uuid,
    decision: &Decision<'_>,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    refusing::unless_counted(app, clerk, ticket, &caller).await?;
    let mut call = app.runtime.tickets().resume_by_id(ticket, &clerk.cx).await;
    let attempt = Attempt::of(clerk, ticket, decision, caller.clone());
    // A call that could not be found has no tool.
    if !call.name().is_empty() && !inbox::covers(app, clerk, call.name()) {
        let _ = call.refuse(refusing::not_covered);
        attempt.was_in_vain(app, Refused::NOT_COVERED.why.as_str()).await;
        return Err(refusing::tool_not_covered());
    }
    heard.tool_name = call.name().into();
    let refused = match (call.status(), decision) {
        (CallStatus::Pending, Decision::Decline(feedback)) => {
            return decline(app, call, ticket, feedback, &attempt).await;
        }
        (CallStatus::Pending, Decision::Approve) => approve(app, &mut call, clerk, None).await?,
        (CallStatus::Pending, Decision::Edit(arguments)) => {
            approve(app, &mut call, clerk, Some(arguments)).await?
        }
        _ => Refused::by_ticket(&call),
    };
    let ran = call::executed(app, call, caller).await?;
    let mut outcome = call::outcome(app, &ran, heard);
    if let Some(refused) = refused.or_else(|| Refused::by_ticket(&ran.call)) {
        attempt.was_in_vain(app, refused.why.as_str()).await;
        outcome.status = refused.status.unwrap_or(outcome.status);
    }
    Ok(outcome.into_response())
}

/// Lets a call run, or has it answer why it may not; its ticket stays good then.
async fn approve(
    app: &Shared,
    call: &mut ToolCall,
    clerk: &Clerk,
    edited: Option<&str>,
) -> Result<Option<Refused>, Problem> {
    let is_own = four_eyes::is_own(call.cx(), &clerk.cx, &clerk.principal);
    if is_own && app.config.four_eyes {
        let _ = call.refuse(four_eyes::refusal);
        return Ok(Some(Refused::OWN_CALL));
    }
    if !standing::asker_may_call(app, call).await? {
        let _ = call.refuse(refusing::asker_not_allowed);
        return Ok(Some(Refused::ASKER_NOT_ALLOWED));
    }
    let approved = match edited {
        Some(arguments) => call.approve_edited(clerk.name(), arguments),
        None => call.approve(clerk.name()),
    };
    let Err(error) = approved else { return Ok(None) };
    let _ = call.refuse(|| refusing::not_approved(error));
    Ok(Some(Refused::NOT_APPROVED))
}

/// Says no for good; the call is recorded as declined only if no other decision came first.
async fn decline(
    app: &Shared,
    mut call: ToolCall,
    ticket: Uuid,
    feedback: &str,
    attempt: &Attempt,
) -> Result<Response, Problem> {
    let tool_name = call.name().to_owned();
    match app.runtime.tickets().end(ticket, TicketEnd::Declined).await {
        Ok(None) => {}
        Ok(Some(end)) => {
            let _ = call.refuse(|| TicketFault::from(end).into());
            attempt.was_in_vain(app, TicketFault::from(end).reason().as_str()).await;
            return Err(refusing::ended(end));
        }
        Err(_) => {
            let _ = call.refuse(refusing::undecided);
            return Err(desk::store_down());
        }
    }
    let _ = call.decline(feedback);
    call.execute().await;
    let decision = DeclinedWord::Declined;
    Ok(desk::found(&Declined { ticket, decision, tool_name: &tool_name, feedback }).into_response())
}

fn ticket(params: &Params) -> Result<Uuid, Problem> {
    desk::param(params, "ticket")?.parse().map_err(|_| no_id())
}

fn no_id() -> Problem {
    Problem::of(ErrorCode::InvalidArgument, "path `ticket`: expected a ticket's id, a UUID")
}
