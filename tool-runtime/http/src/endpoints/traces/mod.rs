//! `/traces`: reads the ledger's records of a trace or of a request, and replays the reads of a trace.

mod view;

use std::sync::LazyLock;

use axum::extract::State;
use schemars::JsonSchema;
use tool_contracts::ErrorCode;
use tool_contracts::server::is_id;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::evidence::{Access, Replay};
use tool_runtime_record::ledger::{Ledger, LedgerPage, LedgerQuery, RecordPosition, RecordedCall};

use self::view::TraceRecord;
pub(crate) use self::view::{RequestRecords, TraceRecords};
use super::ledger::ledger;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::access_records::{self, ReadAccess};
use crate::request::admission::{Authorized, AuthorizedCaller, RequiredScope};
use crate::request::body::ReceivedRequest;
use crate::request::body_schema::{BodySchema, read_reason, reason_example};
use crate::request::context::decoded;
use crate::request::parameters::{Bodyless, PageRequest, Params, one, param};
use crate::request::time_limit::within_time_limit;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};
use crate::state::quota::QuotaRefusal;

const BUSY: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many replays are running; retry later",
    caller: "the caller has too many running replays; retry later",
};

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::for_type::<ReplayRequest>);

/// Requests a replay of a trace's reads.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, example = reason_example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(crate) struct ReplayRequest {
    /// The reason, which is recorded in the ledger together with the caller.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Requires the scope `traces`.
#[derive(Debug)]
pub(crate) struct ReadTraces;

/// Requires the scope `replay`.
#[derive(Debug)]
pub(crate) struct ReplayTraces;

impl RequiredScope for ReadTraces {
    const SCOPE: Scope = Scope::Traces;
}

impl RequiredScope for ReplayTraces {
    const SCOPE: Scope = Scope::Replay;
}

/// Handles a request for a trace's records.
pub(crate) async fn read(
    authorized: Authorized<ReadTraces>,
    State(app): State<SharedApp>,
    params: Params,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let (ledger, trace_id) = (ledger(&app)?, trace(&params)?);
    let requested = page_request(request.query())?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let query = LedgerQuery::new().trace(trace_id);
    let page = within_time_limit(&app, page(ledger, query, &authorized, requested)).await?;
    let (what, subject) = ("GET /traces/{id}", Some(trace_id.to_owned()));
    ReadAccess { action: "read_trace", what, subject }.record(&app, &authorized).await?;
    if page.records.is_empty() && requested.after.is_none() {
        return Err(unknown());
    }
    let (trace_id, next) = (trace_id.to_owned(), page.next);
    Ok(JsonResponse::ok(&TraceRecords { trace_id, records: records(page), next }))
}

/// Handles a request for the records of the calls with one request id, of whatever trace.
pub(crate) async fn find(
    authorized: Authorized<ReadTraces>,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let (ledger, request_id) = (ledger(&app)?, requested_id(request.query())?);
    let requested = page_request(request.query())?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let query = LedgerQuery::new().request_id(&*request_id);
    let page = within_time_limit(&app, page(ledger, query, &authorized, requested)).await?;
    let (what, subject) = ("GET /traces", Some(request_id.clone()));
    ReadAccess { action: "read_request", what, subject }.record(&app, &authorized).await?;
    let next = page.next;
    Ok(JsonResponse::ok(&RequestRecords { request_id, records: records(page), next }))
}

fn records(page: LedgerPage) -> Vec<TraceRecord> {
    let record = |(position, call): (RecordPosition, RecordedCall)| TraceRecord {
        seq: position.seq(),
        chain: position.chain(),
        kind: call.kind().as_str(),
        call,
    };
    page.records.into_iter().map(record).collect()
}

/// Reads the id of the request, without which there would be no bound to what is listed.
fn requested_id(query: Option<&str>) -> Result<String, Problem> {
    let id = |text: &str| decoded(text).filter(|id| is_id(id)).map(Into::into);
    let expected = "1 to 256 characters without control, bidirectional or zero-width characters";
    one(query, "request_id", &expected, id)?.ok_or_else(|| {
        let message = format!(
            "query `request_id`: expected {expected}; to read a trace, send GET /traces/{{id}}"
        );
        Problem::from_code(ErrorCode::InvalidArgument, message)
    })
}

/// Handles a request to replay a trace's reads.
pub(crate) async fn replay(
    authorized: Authorized<ReplayTraces>,
    State(app): State<SharedApp>,
    params: Params,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (ledger, trace_id) = (ledger(&app)?, trace(&params)?);
    let (reason, requested) =
        (read_reason(&SCHEMA, &request.body)?, page_request(request.query())?);
    let access = authorized.access(reason)?;
    let _permit = app
        .replays
        .acquire(authorized.caller().clone(), 1)
        .map_err(|exhausted| BUSY.problem(exhausted))?;
    let replay = async {
        let first = PageRequest { after: None, limit: 1 };
        let query = LedgerQuery::new().trace(trace_id);
        if page(ledger, query, &authorized, first).await?.records.is_empty() {
            return Err(unknown());
        }
        let replay = prepared(&app, ledger, access, &authorized, requested);
        replay.run(trace_id).await.map_err(|_| Problem::store_unavailable())
    };
    Ok(JsonResponse::ok(&within_time_limit(&app, replay).await?))
}

/// Finds a page of the tenant's records; flushes the ledger first, so that recent calls are included.
async fn page(
    ledger: &Ledger,
    query: LedgerQuery,
    authorized: &AuthorizedCaller,
    requested: PageRequest<RecordPosition>,
) -> Result<LedgerPage, Problem> {
    let query = query.tenant(authorized.tenant()).limit(requested.limit);
    let query = requested.after.map_or(query.clone(), |after| query.after(after));
    ledger.flush().await.map_err(|_| Problem::store_unavailable())?;
    ledger.find(query).await.map_err(|_| Problem::store_unavailable())
}

fn prepared(
    app: &App,
    ledger: &Ledger,
    access: Access,
    authorized: &AuthorizedCaller,
    requested: PageRequest<RecordPosition>,
) -> Replay {
    let principal = authorized.principal().clone();
    let replay = Replay::new(&app.runtime, ledger, access).tenant(authorized.tenant());
    let replay = replay.only_tools(move |tool| principal.may_call(tool)).at_most(requested.limit);
    let replay = match requested.after {
        Some(after) => replay.after(after),
        None => replay,
    };
    match &app.config.vault {
        Some(vault) => replay.vault(vault),
        None => replay,
    }
}

fn page_request(query: Option<&str>) -> Result<PageRequest<RecordPosition>, Problem> {
    PageRequest::read(query, "the `next` of the page before")
}

fn trace(params: &Params) -> Result<&str, Problem> {
    let id = param(params, "id")?;
    if is_id(id) {
        return Ok(id);
    }
    let message = "path `id`: expected a trace's id: 1 to 256 characters without control, bidirectional \
                   or zero-width characters";
    Err(Problem::from_code(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    Problem::from_code(ErrorCode::NotFound, "the ledger has no call of this trace for this tenant")
        .with_reason(RefusalReason::UnknownTrace)
}
