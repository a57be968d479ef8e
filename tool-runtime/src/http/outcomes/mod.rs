//! `/outcomes`: keyed calls whose outcome is not known, and what a person found out about them.

mod resolving;
mod view;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::ErrorCode;

use self::resolving::Found;
pub(super) use self::resolving::FoundBody;
use self::view::Outcome;
pub(super) use self::view::{Cursor, Outcomes, Resolved};
use super::answer::Heard;
use super::app::{App, Shared};
use super::auth::Scope;
use super::desk::{self, Clerk, Params};
use super::paging::Asked;
use super::problem::Problem;
use super::{body, receiving};
use crate::ledger::RecordedAccess;
use crate::policy::ResolveError;
use crate::refusal_reason::RefusalReason;
use crate::store::{Fence, KeyRecord};

/// Lists the outcomes of a tenant that are not known.
pub(super) async fn list(State(app): State<Shared>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| listed(&app, &parts, heard).await).await
}

/// Resolves an outcome, as a person found it out.
pub(super) async fn resolve(
    State(app): State<Shared>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let resolved = async |heard: &mut Heard| {
        let clerk = Clerk::admit(&app, &parts, Scope::Outcomes, heard).await?;
        let body = body::read(&app, &parts, body, heard).await?;
        heard.body(&body);
        let id = id(&params)?;
        let found = Found::read(&body)?;
        desk::within(&app, resolved(&app, &clerk, id, found, heard)).await
    };
    receiving::answered(&app, &parts, resolved).await
}

async fn listed(app: &App, parts: &Parts, heard: &mut Heard) -> Result<Response, Problem> {
    let clerk = Clerk::admit(app, parts, Scope::Outcomes, heard).await?;
    let asked = Asked::<Cursor>::read(parts.uri.query(), "the `next` of the page before")?;
    let after = asked.after.map(|cursor| cursor.of(clerk.tenant()));
    let listing = async {
        let found =
            app.runtime.outcomes().unknown(clerk.tenant(), after.as_ref(), asked.most).await;
        let found = found.map_err(|_| desk::store_down())?;
        note(app, &clerk, "list_outcomes", "GET /outcomes", None, "done").await?;
        Ok(found)
    };
    let found = desk::within(app, listing).await?;
    let next = found.last().filter(|_| found.len() >= asked.most);
    let next = next.map(|last| Cursor::after(&last.key).to_string());
    let outcomes = found.iter().map(Outcome::of).collect();
    Ok(desk::found(&Outcomes { outcomes, next }).into_response())
}

async fn resolved(
    app: &App,
    clerk: &Clerk,
    id: u64,
    found: Found,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let record = app.runtime.outcomes().find_unknown(clerk.tenant(), Fence::new(id)).await;
    let record = record.map_err(|_| desk::store_down())?.ok_or_else(unknown)?;
    heard.tool_name = (*record.key.tool).into();
    let Found { decision, resolution, reason } = found;
    let noted = |outcome| noted(app, clerk, &record, decision.as_str(), &reason, outcome);
    // Nothing is resolved that could not be recorded.
    noted("asked".to_owned()).await?;
    match app.runtime.outcomes().resolve(&record, resolution).await {
        Ok(()) => {
            // The resolution stands, and the record says that it was asked for.
            drop(noted("done".to_owned()).await);
            let tool_name = &*record.key.tool;
            Ok(desk::found(&Resolved { id, decision, tool_name }).into_response())
        }
        Err(error) => {
            let (problem, why) = refused(&error);
            drop(noted(format!("failed: {why}")).await);
            Err(problem)
        }
    }
}

/// Records a resolution, with the operator's name and the reason.
async fn noted(
    app: &App,
    clerk: &Clerk,
    record: &KeyRecord,
    action: &'static str,
    reason: &str,
    outcome: String,
) -> Result<(), Problem> {
    let subject = format!("{} {}", record.key.tool, record.key.global_key());
    note(app, clerk, action, reason, Some(subject), &outcome).await
}

/// Records an access in the ledger, and waits until it is written. A server without a ledger records
/// nothing.
async fn note(
    app: &App,
    clerk: &Clerk,
    action: &'static str,
    reason: &str,
    subject: Option<String>,
    outcome: &str,
) -> Result<(), Problem> {
    let Some(ledger) = &app.config.ledger else { return Ok(()) };
    let mut access = RecordedAccess::new(ledger.clock().now(), action, clerk.name(), reason);
    access.tenant_id = Some(clerk.tenant());
    access.subject = subject;
    outcome.clone_into(&mut access.outcome);
    ledger.record_access(access).await.map_err(|_| desk::store_down())
}

fn id(params: &Params) -> Result<u64, Problem> {
    let message = "path `id`: expected the id of an outcome, a number";
    let id = desk::param(params, "id")?.parse();
    id.map_err(|_| Problem::of(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    let message = "no outcome of this tenant with this id is unknown";
    Problem::of(ErrorCode::NotFound, message).with_reason(RefusalReason::UnknownOutcome)
}

/// Says why nothing was resolved: to the caller, and in a word for the record.
fn refused(error: &ResolveError) -> (Problem, RefusalReason) {
    let said = |code, reason: RefusalReason| {
        (Problem::of(code, error.to_string()).with_reason(reason), reason)
    };
    match error {
        ResolveError::UnknownTool(_) => said(ErrorCode::NotFound, RefusalReason::UnknownTool),
        ResolveError::InvalidAnswer { .. } => {
            said(ErrorCode::InvalidArgument, RefusalReason::AnswerNotValid)
        }
        ResolveError::Changed => {
            let message = "the outcome is not unknown any more: list the outcomes again";
            let problem = Problem::new(StatusCode::CONFLICT, ErrorCode::Conflict, message);
            (problem.with_reason(RefusalReason::OutcomeChanged), RefusalReason::OutcomeChanged)
        }
        ResolveError::Store(_) => (desk::store_down(), RefusalReason::StoreUnavailable),
    }
}
