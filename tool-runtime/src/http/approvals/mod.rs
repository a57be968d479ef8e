//! `/approvals`: what waits for a person, and what they decide about it.

mod attempt;
mod decision;
mod four_eyes;
mod refusing;
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
use self::view::{Approval, DeclinedWord};
pub(super) use self::view::{Approvals, Declined};
use super::answer::Heard;
use super::app::{App, Shared};
use super::auth::Scope;
use super::desk::{self, Clerk, Params};
use super::paging::Asked;
use super::problem::Problem;
use super::rate::Caller;
use super::{body, call, receiving};
use crate::ToolCall;
use crate::call::EditError;
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
    let waiting = app.runtime.waiting_calls(clerk.tenant(), asked.after, asked.most).await;
    let waiting = waiting.map_err(|_| desk::store_down())?;
    let approvals = waiting.calls.iter().map(|call| Approval::of(call, &app.runtime)).collect();
    Ok(desk::found(&Approvals { approvals, next: waiting.next }).into_response())
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
    let mut call = app.runtime.resume_waiting(ticket, &clerk.cx).await;
    heard.tool_name = call.name().into();
    let attempt = Attempt::of(clerk, ticket, decision, caller.clone());
    let refused = match (call.status(), decision) {
        (CallStatus::Pending, Decision::Decline(feedback)) => {
            return decline(app, call, ticket, feedback, &attempt).await;
        }
        (CallStatus::Pending, Decision::Approve) => approve(app, &mut call, clerk, None),
        (CallStatus::Pending, Decision::Edit(arguments)) => {
            approve(app, &mut call, clerk, Some(arguments))
        }
        _ => Refused::by_ticket(&call),
    };
    let ran = call::executed(app, call, caller).await?;
    let mut outcome = call::outcome(app, &ran, heard);
    if let Some(refused) = refused.or_else(|| Refused::by_ticket(&ran.call)) {
        attempt.was_in_vain(app, &refused.why).await;
        outcome.status = refused.status.unwrap_or(outcome.status);
    }
    Ok(outcome.into_response())
}

/// Lets a call run, or has it answer why it may not; its ticket stays good then.
fn approve(
    app: &Shared,
    call: &mut ToolCall,
    clerk: &Clerk,
    edited: Option<&str>,
) -> Option<Refused> {
    let is_own = four_eyes::is_own(call.cx(), &clerk.cx, &clerk.principal);
    if is_own && app.config.four_eyes {
        call.withdraw(four_eyes::refusal);
        return Some(Refused::OWN_CALL);
    }
    let approved = match edited {
        Some(arguments) => call.approve_edited(clerk.name(), arguments),
        None if call.approve(clerk.name()) => Ok(()),
        None => Err(EditError::NoApprover),
    };
    let error = approved.err()?;
    call.withdraw(|| refusing::not_approved(error));
    Some(Refused::NOT_APPROVED)
}

/// Says no for good, and answers only once that is kept.
async fn decline(
    app: &Shared,
    mut call: ToolCall,
    ticket: Uuid,
    feedback: &str,
    attempt: &Attempt,
) -> Result<Response, Problem> {
    let (tenant, tool_name) = (call.cx().tenant_id(), call.name().to_owned());
    call.decline(feedback);
    call.execute().await;
    // Somebody else may have decided at the same moment, and one decision counts.
    match app.runtime.ticket_end(ticket, tenant).await {
        Ok(Some(TicketEnd::Declined)) => {}
        Ok(Some(end)) => {
            attempt.was_in_vain(app, TicketFault::from(end).reason()).await;
            return Err(refusing::ended(end));
        }
        Ok(None) | Err(_) => return Err(desk::store_down()),
    }
    let decision = DeclinedWord::Declined;
    Ok(desk::found(&Declined { ticket, decision, tool_name: &tool_name, feedback }).into_response())
}

fn ticket(params: &Params) -> Result<Uuid, Problem> {
    desk::param(params, "ticket")?.parse().map_err(|_| no_id())
}

fn no_id() -> Problem {
    Problem::of(ErrorCode::InvalidArgument, "path `ticket`: expected a ticket's id, a UUID")
}
