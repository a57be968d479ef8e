//! `/outcomes`: lists keyed calls whose outcome is unknown, and resolves them.

mod resolution;
mod view;

use axum::extract::State;
use axum::http::StatusCode;
use tool_contracts::ErrorCode;
use tool_runtime_core::policy::ResolveError;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::store::{Fence, KeyRecord};
use tool_runtime_record::ledger::{RecordedAccess, RecordedOutcome};

use self::resolution::ParsedResolution;
pub(crate) use self::resolution::ResolutionBody;
use self::view::UnknownOutcome;
pub(crate) use self::view::{OutcomeCursor, OutcomesPage, Resolved};
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::admission::{Authorized, AuthorizedCaller, RequiredScope};
use crate::request::body::ReceivedRequest;
use crate::request::parameters::{Bodyless, PageRequest, Params, one, param};
use crate::request::time_limit::within_time_limit;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};

/// Requires the scope `outcomes`.
#[derive(Debug)]
pub(crate) struct ManageOutcomes;

impl RequiredScope for ManageOutcomes {
    const SCOPE: Scope = Scope::Outcomes;
}

/// Handles a request for the unknown outcomes of a tenant.
pub(crate) async fn list(
    authorized: Authorized<ManageOutcomes>,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let requested =
        PageRequest::<OutcomeCursor>::read(request.query(), "the `next` of the page before")?;
    let id = "the id of an outcome, a number";
    let id = one(request.query(), "id", &id, |text| text.parse::<u64>().ok())?;
    let after = requested.after.map(|cursor| cursor.into_scoped_key(authorized.tenant()));
    let listing = async {
        let (outcomes, tenant) = (app.runtime.outcomes(), authorized.tenant());
        let records = match id {
            Some(id) => {
                let record = outcomes.find_unknown(tenant, Fence::new(id)).await;
                record.map(|record| record.into_iter().collect())
            }
            None => outcomes.unknown(tenant, after.as_ref(), requested.limit).await,
        };
        let records = records.map_err(|_| Problem::store_unavailable())?;
        let (done, subject) = (RecordedOutcome::Done, id.map(|id| id.to_string()));
        record_access(&app, &authorized, "list_outcomes", "GET /outcomes", subject, done).await?;
        Ok(records)
    };
    let records = within_time_limit(&app, listing).await?;
    let is_full = id.is_none() && records.len() >= requested.limit;
    let next = records.last().filter(|_| is_full);
    let next = next.map(|last| OutcomeCursor::after(&last.key).to_string());
    let outcomes = records.iter().map(UnknownOutcome::from_record).collect();
    Ok(JsonResponse::ok(&OutcomesPage { outcomes, next }))
}

/// Handles the resolution of an unknown outcome.
pub(crate) async fn resolve(
    authorized: Authorized<ManageOutcomes>,
    State(app): State<SharedApp>,
    params: Params,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let id = id(&params)?;
    let resolution = ParsedResolution::read(&request.body)?;
    // Set by the work, which may be dropped at the time limit after it has found the tool.
    let mut tool_name = Box::default();
    let work = record_and_resolve(&app, &authorized, id, resolution, &mut tool_name);
    let answer = within_time_limit(&app, work).await;
    answer.map_err(|problem| problem.with_tool_name(&tool_name))
}

async fn record_and_resolve(
    app: &App,
    authorized: &AuthorizedCaller,
    id: u64,
    parsed: ParsedResolution,
    tool_name: &mut Box<str>,
) -> Result<JsonResponse, Problem> {
    let record = app.runtime.outcomes().find_unknown(authorized.tenant(), Fence::new(id)).await;
    let record = record.map_err(|_| Problem::store_unavailable())?.ok_or_else(unknown)?;
    *tool_name = (*record.key.tool).into();
    let ParsedResolution { decision, resolution, reason } = parsed;
    let record_attempt =
        |outcome| record_resolution(app, authorized, &record, decision.as_str(), &reason, outcome);
    // A resolution that cannot be recorded is refused.
    record_attempt(RecordedOutcome::Asked).await?;
    match app.runtime.outcomes().resolve(&record, resolution).await {
        Ok(()) => {
            // The resolution is stored, and the record `asked` is written, so a failure here is
            // ignored.
            drop(record_attempt(RecordedOutcome::Done).await);
            let tool_name = &*record.key.tool;
            Ok(JsonResponse::ok(&Resolved { id, decision, tool_name }))
        }
        Err(error) => {
            let (problem, reason) = refused(&error);
            drop(record_attempt(RecordedOutcome::Failed(reason.to_string())).await);
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
    outcome: RecordedOutcome,
) -> Result<(), Problem> {
    let subject = format!("{} {}", record.key.tool, record.key.global_key());
    record_access(app, authorized, action, reason, Some(subject), outcome).await
}

/// Records an access in the ledger and waits until it is written; does nothing without a ledger.
async fn record_access(
    app: &App,
    authorized: &AuthorizedCaller,
    action: &'static str,
    reason: &str,
    subject: Option<String>,
    outcome: RecordedOutcome,
) -> Result<(), Problem> {
    let Some(ledger) = &app.config.ledger else { return Ok(()) };
    let mut access = RecordedAccess::new(ledger.clock().now(), action, authorized.name(), reason);
    access.tenant_id = Some(authorized.tenant());
    access.subject = subject;
    access.outcome = outcome.to_string();
    ledger.record_access(access).await.map_err(|_| Problem::store_unavailable())
}

fn id(params: &Params) -> Result<u64, Problem> {
    let message = "path `id`: expected the id of an outcome, a number";
    let id = param(params, "id")?.parse();
    id.map_err(|_| Problem::from_code(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    let message = "this tenant has no unknown outcome with this id";
    Problem::from_code(ErrorCode::NotFound, message).with_reason(RefusalReason::UnknownOutcome)
}

/// Returns the problem for the caller and the reason for the record.
fn refused(error: &ResolveError) -> (Problem, RefusalReason) {
    let (code, reason) = error.refusal();
    let problem = if matches!(error, ResolveError::Store(_)) {
        Problem::store_unavailable()
    } else if matches!(error, ResolveError::Changed) {
        let message = "the outcome is no longer unknown; list the outcomes again";
        Problem::new(StatusCode::CONFLICT, code, message).with_reason(reason)
    } else {
        Problem::from_code(code, error.to_string()).with_reason(reason)
    };
    (problem, reason)
}
