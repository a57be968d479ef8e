//! `/traces`: reads the ledger's records of a trace, and replays its reads.

mod view;

use std::sync::LazyLock;

use axum::extract::State;
use schemars::JsonSchema;
use tool_contracts::ErrorCode;
use tool_contracts::server::is_id;

use self::view::TraceRecord;
pub(in crate::http) use self::view::TraceRecords;
use crate::evidence::{Access, Replay};
use crate::http::auth::Scope;
use crate::http::problem::Problem;
use crate::http::request::access_records::{self, ReadAccess};
use crate::http::request::admission::{Authorized, AuthorizedCaller, RequiredScope};
use crate::http::request::body::ReceivedRequest;
use crate::http::request::body_schema::BodySchema;
use crate::http::request::head::Head;
use crate::http::request::paging::PageRequest;
use crate::http::request::params::{Params, param};
use crate::http::request::reason::{example, reason};
use crate::http::request::time_limit::within_time_limit;
use crate::http::response::JsonResponse;
use crate::http::state::app::{App, SharedApp};
use crate::http::state::quota::QuotaRefusal;
use crate::ledger::{Ledger, LedgerPage, LedgerQuery, RecordedCall};
use crate::refusal_reason::RefusalReason;

const BUSY: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many replays are running; retry later",
    caller: "the caller has too many running replays; retry later",
};

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::of::<ReplayRequest>);

/// Requests a replay of a trace's reads.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, example = example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(in crate::http) struct ReplayRequest {
    /// The reason, which is recorded in the ledger beside the caller.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Requires the scope `traces`.
#[derive(Debug)]
pub(in crate::http) struct ReadTraces;

/// Requires the scope `replay`.
#[derive(Debug)]
pub(in crate::http) struct ReplayTraces;

impl RequiredScope for ReadTraces {
    const SCOPE: Scope = Scope::Traces;
}

impl RequiredScope for ReplayTraces {
    const SCOPE: Scope = Scope::Replay;
}

/// Handles a request for a trace's records.
pub(in crate::http) async fn read(
    authorized: Authorized<ReadTraces>,
    State(app): State<SharedApp>,
    params: Params,
    head: Head,
) -> Result<JsonResponse, Problem> {
    let (ledger, trace_id) = (ledger(&app)?, trace(&params)?);
    let requested = page_request(head.query())?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let page = within_time_limit(&app, page(ledger, trace_id, &authorized, requested)).await?;
    let (what, subject) = ("GET /traces/{id}", Some(trace_id.to_owned()));
    ReadAccess { action: "read_trace", what, subject }.record(&app, &authorized).await?;
    if page.records.is_empty() && requested.after.is_none() {
        return Err(unknown());
    }
    let record =
        |(seq, call): (u64, RecordedCall)| TraceRecord { seq, kind: call.kind().as_str(), call };
    let records = page.records.into_iter().map(record).collect();
    let trace_id = trace_id.to_owned();
    Ok(JsonResponse::ok(&TraceRecords { trace_id, records, next: page.next }))
}

/// Handles a request to replay a trace's reads.
pub(in crate::http) async fn replay(
    authorized: Authorized<ReplayTraces>,
    State(app): State<SharedApp>,
    params: Params,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (ledger, trace_id) = (ledger(&app)?, trace(&params)?);
    let (reason, requested) = (reason(&SCHEMA, &request.body)?, page_request(request.query())?);
    let access = authorized.access(reason)?;
    let _permit = app
        .replays
        .acquire(authorized.caller().clone(), 1)
        .map_err(|exhausted| BUSY.problem(exhausted))?;
    let replay = async {
        let first = PageRequest { after: None, limit: 1 };
        if page(ledger, trace_id, &authorized, first).await?.records.is_empty() {
            return Err(unknown());
        }
        let replay = prepared(&app, ledger, access, &authorized, requested);
        replay.run(trace_id).await.map_err(|_| Problem::store_unavailable())
    };
    Ok(JsonResponse::ok(&within_time_limit(&app, replay).await?))
}

/// Finds a page of a trace's records; flushes the ledger first, so that recent calls are included.
async fn page(
    ledger: &Ledger,
    trace_id: &str,
    authorized: &AuthorizedCaller,
    requested: PageRequest<u64>,
) -> Result<LedgerPage, Problem> {
    let query =
        LedgerQuery::new().trace(trace_id).tenant(authorized.tenant()).limit(requested.limit);
    let query = requested.after.map_or(query.clone(), |after| query.after(after));
    ledger.flush().await.map_err(|_| Problem::store_unavailable())?;
    ledger.find(query).await.map_err(|_| Problem::store_unavailable())
}

fn prepared(
    app: &App,
    ledger: &Ledger,
    access: Access,
    authorized: &AuthorizedCaller,
    requested: PageRequest<u64>,
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

fn page_request(query: Option<&str>) -> Result<PageRequest<u64>, Problem> {
    PageRequest::read(query, "the `next` of the page before, a number")
}

fn ledger(app: &App) -> Result<&Ledger, Problem> {
    app.config.ledger.as_ref().ok_or_else(|| {
        Problem::of(ErrorCode::NotFound, "this server has no ledger")
            .with_reason(RefusalReason::NoLedger)
    })
}

fn trace(params: &Params) -> Result<&str, Problem> {
    let id = param(params, "id")?;
    if is_id(id) {
        return Ok(id);
    }
    let message = "path `id`: expected a trace's id: 1 to 256 characters without control, bidirectional \
                   or zero-width characters";
    Err(Problem::of(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    Problem::of(ErrorCode::NotFound, "the ledger has no call of this trace for this tenant")
        .with_reason(RefusalReason::UnknownTrace)
}
