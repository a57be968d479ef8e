//! `/outcomes`: lists keyed calls whose outcome is unknown, and resolves them.

mod resolution;
mod view;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::ErrorCode;

use self::resolution::ParsedResolution;
pub(in crate::http) use self::resolution::ResolutionBody;
use self::view::UnknownOutcome;
pub(in crate::http) use self::view::{OutcomeCursor, Outcomes, Resolved};
use crate::http::auth::Scope;
use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::request::body;
use crate::http::request::operator::{self as endpoint, AuthorizedCaller, Params};
use crate::http::request::paging::PageRequest;
use crate::http::response::AuditContext;
use crate::http::state::app::{App, SharedApp};
use crate::ledger::RecordedAccess;
use crate::policy::ResolveError;
use crate::refusal_reason::RefusalReason;
use crate::store::{Fence, KeyRecord};

/// Handles a request for the unknown outcomes of a tenant.
pub(in crate::http) async fn list(State(app): State<SharedApp>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    request::respond(&app, &parts, async |audit| listed(&app, &parts, audit).await).await
}

/// Handles the resolution of an unknown outcome.
pub(in crate::http) async fn resolve(
    State(app): State<SharedApp>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let resolved = async |audit: &mut AuditContext| {
        let authorized = AuthorizedCaller::admit(&app, &parts, Scope::Outcomes, audit).await?;
        let body = body::read(&app, &parts, body, audit).await?;
        audit.set_body(&body);
        let id = id(&params)?;
        let found = ParsedResolution::read(&body)?;
        endpoint::within_time_limit(&app, resolved(&app, &authorized, id, found, audit)).await
    };
    request::respond(&app, &parts, resolved).await
}

async fn listed(app: &App, parts: &Parts, audit: &mut AuditContext) -> Result<Response, Problem> {
    let authorized = AuthorizedCaller::admit(app, parts, Scope::Outcomes, audit).await?;
    let requested =
        PageRequest::<OutcomeCursor>::read(parts.uri.query(), "the `next` of the page before")?;
    let after = requested.after.map(|cursor| cursor.of(authorized.tenant()));
    let listing = async {
        let found = app
            .runtime
            .outcomes()
            .unknown(authorized.tenant(), after.as_ref(), requested.limit)
            .await;
        let found = found.map_err(|_| endpoint::store_unavailable())?;
        record_access(app, &authorized, "list_outcomes", "GET /outcomes", None, "done").await?;
        Ok(found)
    };
    let found = endpoint::within_time_limit(app, listing).await?;
    let next = found.last().filter(|_| found.len() >= requested.limit);
    let next = next.map(|last| OutcomeCursor::after(&last.key).to_string());
    let outcomes = found.iter().map(UnknownOutcome::of).collect();
    Ok(endpoint::json(&Outcomes { outcomes, next }).into_response())
}

async fn resolved(
    app: &App,
    authorized: &AuthorizedCaller,
    id: u64,
    found: ParsedResolution,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let record = app.runtime.outcomes().find_unknown(authorized.tenant(), Fence::new(id)).await;
    let record = record.map_err(|_| endpoint::store_unavailable())?.ok_or_else(unknown)?;
    audit.tool_name = (*record.key.tool).into();
    let ParsedResolution { decision, resolution, reason } = found;
    let record_attempt =
        |outcome| record_resolution(app, authorized, &record, decision.as_str(), &reason, outcome);
    // A resolution that cannot be recorded is refused.
    record_attempt("asked".to_owned()).await?;
    match app.runtime.outcomes().resolve(&record, resolution).await {
        Ok(()) => {
            // The resolution is stored, and the record `asked` is written, so a failure here is
            // ignored.
            drop(record_attempt("done".to_owned()).await);
            let tool_name = &*record.key.tool;
            Ok(endpoint::json(&Resolved { id, decision, tool_name }).into_response())
        }
        Err(error) => {
            let (problem, why) = refused(&error);
            drop(record_attempt(format!("failed: {why}")).await);
            Err(problem)
        }
    }
}

/// Records a resolution with the operator's name and the reason.
async fn record_resolution(
    app: &App,
    authorized: &AuthorizedCaller,
    record: &KeyRecord,
    action: &'static str,
    reason: &str,
    outcome: String,
) -> Result<(), Problem> {
    let subject = format!("{} {}", record.key.tool, record.key.global_key());
    record_access(app, authorized, action, reason, Some(subject), &outcome).await
}

/// Records an access in the ledger and waits until it is written; does nothing without a ledger.
async fn record_access(
    app: &App,
    authorized: &AuthorizedCaller,
    action: &'static str,
    reason: &str,
    subject: Option<String>,
    outcome: &str,
) -> Result<(), Problem> {
    let Some(ledger) = &app.config.ledger else { return Ok(()) };
    let mut access = RecordedAccess::new(ledger.clock().now(), action, authorized.name(), reason);
    access.tenant_id = Some(authorized.tenant());
    access.subject = subject;
    outcome.clone_into(&mut access.outcome);
    ledger.record_access(access).await.map_err(|_| endpoint::store_unavailable())
}

fn id(params: &Params) -> Result<u64, Problem> {
    let message = "path `id`: expected the id of an outcome, a number";
    let id = endpoint::param(params, "id")?.parse();
    id.map_err(|_| Problem::of(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    let message = "this tenant has no unknown outcome with this id";
    Problem::of(ErrorCode::NotFound, message).with_reason(RefusalReason::UnknownOutcome)
}

/// Returns the problem for the caller and the reason for the record.
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
            let message = "the outcome is not unknown any more; list the outcomes again";
            let problem = Problem::new(StatusCode::CONFLICT, ErrorCode::Conflict, message);
            (problem.with_reason(RefusalReason::OutcomeChanged), RefusalReason::OutcomeChanged)
        }
        ResolveError::Store(_) => (endpoint::store_unavailable(), RefusalReason::StoreUnavailable),
    }
}
