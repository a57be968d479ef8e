//! `/approvals`: lists waiting calls and executes decisions about them.

mod changes;
mod decision;
mod four_eyes;
mod inbox;
mod refusal;
mod refused_decision;
mod requester_rights;
mod view;

use axum::extract::State;
use tool_contracts::{CallStatus, ErrorCode};
use tool_runtime_core::ToolCall;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::policy::TicketRejection;
use uuid::Uuid;

use self::decision::ApprovalDecision;
pub(crate) use self::decision::DecisionBody;
use self::inbox::InboxQuery;
use self::refusal::DecisionRefusal;
use self::refused_decision::RefusedDecision;
use self::view::DeclinedDecision;
pub(crate) use self::view::{Approvals, Declined};
use crate::auth::Scope;
use crate::endpoints::call::{self, MediaType};
use crate::problem::Problem;
use crate::request::access_records::{self, ReadAccess};
use crate::request::admission::{Authorized, AuthorizedCaller, Forbidden, RequiredScope};
use crate::request::body::ReceivedRequest;
use crate::request::parameters::{Bodyless, PageRequest, Params, one, param};
use crate::request::time_limit::within_time_limit;
use crate::response::{Answer, JsonResponse, RequestFacts};
use crate::state::app::SharedApp;

/// Requires the scope `approvals` or `view_approvals`, for the list.
#[derive(Debug)]
pub(crate) struct ListApprovals;

/// Requires the scope `approvals`, for a decision.
#[derive(Debug)]
pub(crate) struct DecideApprovals;

impl RequiredScope for ListApprovals {
    const SCOPE: Scope = Scope::Approvals;
    const SUFFICIENT: Option<Scope> = Some(Scope::ViewApprovals);
}

impl RequiredScope for DecideApprovals {
    const SCOPE: Scope = Scope::Approvals;

    async fn record_forbidden(forbidden: &Forbidden<'_>) {
        let Ok(ticket) = ticket(forbidden.params) else { return };
        let refused_decision = RefusedDecision::unauthorized(forbidden, ticket);
        refused_decision.record(forbidden.app, forbidden.cause.as_str()).await;
    }
}

/// Handles a request for the waiting calls, or for the changes of a page of them.
pub(crate) async fn list(
    authorized: Authorized<ListApprovals>,
    media_type: MediaType,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<Answer, Problem> {
    let requested =
        PageRequest::<Uuid>::read(request.query(), "the `next` of the page before, a UUID")?;
    let ticket = one(request.query(), "ticket", &"a UUID", |text| text.parse().ok())?;
    let query = ticket.map_or(InboxQuery::Page(requested), InboxQuery::Single);
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let page = within_time_limit(&app, inbox::read(&app, &authorized, query)).await?;
    // A look for a call that does not wait is on the record, too.
    let subject = page.subject().or_else(|| ticket.map(|ticket| ticket.to_string()));
    let what = "GET /approvals";
    match media_type {
        MediaType::Json => {
            let body = page.into_body(&app, &authorized).await;
            ReadAccess { action: "read_approvals", what, subject }
                .record(&app, &authorized)
                .await?;
            Ok(JsonResponse::ok(&body).into())
        }
        MediaType::EventStream => {
            let stream = call::events::acquire_stream(&app, authorized.caller().clone())?;
            ReadAccess { action: "follow_approvals", what, subject }
                .record(&app, &authorized)
                .await?;
            Ok(changes::follow(&app, authorized.into_caller(), query, page, stream))
        }
    }
}

/// Handles a decision about a waiting call.
pub(crate) async fn decide(
    authorized: Authorized<DecideApprovals>,
    State(app): State<SharedApp>,
    params: Params,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (ticket, decision) = (ticket(&params)?, ApprovalDecision::read(&request.body)?);
    let mut facts = request.facts();
    let response = execute_decision(&app, &authorized, ticket, &decision, &mut facts).await;
    response.map_err(|problem| problem.with_tool_name(&facts.tool_name))
}

async fn execute_decision(
    app: &SharedApp,
    authorized: &AuthorizedCaller,
    ticket: Uuid,
    decision: &ApprovalDecision<'_>,
    facts: &mut RequestFacts,
) -> Result<JsonResponse, Problem> {
    refusal::refuse_if_only_counted(app, authorized, ticket).await?;
    let mut call = app.runtime.tickets().resume_by_id(ticket, authorized.cx()).await;
    let if_refused = RefusedDecision::new(authorized, ticket, decision);
    // A call that was not found has no name.
    if !call.name().is_empty() && !inbox::may_decide(app, authorized, call.name()) {
        let _ = call.refuse(refusal::not_covered);
        if_refused.record(app, DecisionRefusal::NOT_COVERED.reason.as_str()).await;
        return Err(refusal::tool_not_covered());
    }
    facts.tool_name = call.name().into();
    let refusal = if call.status() == CallStatus::Pending {
        match decision {
            ApprovalDecision::Decline(feedback) => {
                return decline(app, call, (ticket, authorized.name()), feedback, &if_refused)
                    .await;
            }
            ApprovalDecision::Approve { exceed_budgets } => {
                approve(app, &mut call, authorized, None, *exceed_budgets).await?
            }
            ApprovalDecision::Edit { arguments, exceed_budgets } => {
                approve(app, &mut call, authorized, Some(arguments), *exceed_budgets).await?
            }
        }
    } else {
        DecisionRefusal::by_ticket(&call)
    };
    let finished = call::execute(app, call, authorized.caller().clone()).await?;
    let mut response = call::call_response(app, &finished, facts.clone());
    if let Some(refusal) = refusal.or_else(|| DecisionRefusal::by_ticket(&finished.call)) {
        if_refused.record(app, refusal.reason.as_str()).await;
        response.status = refusal.status.unwrap_or(response.status);
    }
    Ok(response)
}

/// Approves a call, or makes it answer why it may not run; then its ticket stays valid.
async fn approve(
    app: &SharedApp,
    call: &mut ToolCall,
    authorized: &AuthorizedCaller,
    edited: Option<&str>,
    exceed_budgets: bool,
) -> Result<Option<DecisionRefusal>, Problem> {
    if exceed_budgets && !authorized.principal().may(Scope::ExceedBudgets) {
        let _ = call.refuse(refusal::may_not_exceed_budgets);
        return Ok(Some(DecisionRefusal::MAY_NOT_EXCEED_BUDGETS));
    }
    let is_own = four_eyes::is_own(call.cx(), authorized.cx(), authorized.principal());
    if is_own && app.config.four_eyes {
        let _ = call.refuse(four_eyes::refusal);
        return Ok(Some(DecisionRefusal::OWN_CALL));
    }
    // The caller may have lost its key, the tool or the tenant since it opened the call.
    if !requester_rights::requester_may_call(app, call).await? {
        let _ = call.refuse(refusal::requester_not_allowed);
        return Ok(Some(DecisionRefusal::REQUESTER_NOT_ALLOWED));
    }
    let approval = match edited {
        Some(arguments) => call.approve_edited(authorized.name(), arguments),
        None => call.approve(authorized.name()),
    };
    let Err(error) = approval else {
        if exceed_budgets {
            call.exceed_budgets();
        }
        return Ok(None);
    };
    let _ = call.refuse(|| refusal::not_approved(error));
    Ok(Some(DecisionRefusal::NOT_APPROVED))
}

/// Declines a call for good; it is recorded as declined only if no other decision came first.
async fn decline(
    app: &SharedApp,
    mut call: ToolCall,
    (ticket, by): (Uuid, String),
    feedback: &str,
    if_refused: &RefusedDecision,
) -> Result<JsonResponse, Problem> {
    let tool_name = call.name().to_owned();
    match app.runtime.tickets().decline(ticket, &call, &by).await {
        Ok(None) => {}
        Ok(Some(end)) => {
            let _ = call.refuse(|| TicketRejection::from(end).into());
            if_refused.record(app, TicketRejection::from(end).reason().as_str()).await;
            return Err(refusal::ended(end));
        }
        Err(_) => {
            let _ = call.refuse(refusal::undecided);
            return Err(Problem::store_unavailable());
        }
    }
    // The ticket has ended, so the call does not run even under a name that cannot be recorded.
    if call.decline(by, feedback).is_err() {
        let _ = call.refuse(|| Refusal::declined(feedback));
    }
    call.execute().await;
    let decision = DeclinedDecision::Declined;
    Ok(JsonResponse::ok(&Declined { ticket, decision, tool_name: &tool_name, feedback }))
}

fn ticket(params: &Params) -> Result<Uuid, Problem> {
    param(params, "ticket")?.parse().map_err(|_| no_id())
}

fn no_id() -> Problem {
    Problem::from_code(ErrorCode::InvalidArgument, "path `ticket`: expected a ticket's id, a UUID")
}
