//! `/traces`: what the ledger knows of a trace, and whether its reads would answer the same today.

mod view;

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_contracts::ErrorCode;
use tool_contracts::server::is_id;

use self::view::TraceRecord;
pub(super) use self::view::TraceRecords;
use super::accesses::Read;
use super::answer::Heard;
use super::app::{App, Shared};
use super::auth::Scope;
use super::desk::{self, Clerk, Params};
use super::form::Form;
use super::paging::Asked;
use super::problem::Problem;
use super::shares::Exhausted;
use super::{body, receiving};
use crate::evidence::{Access, Replay};
use crate::ledger::{Ledger, LedgerPage, LedgerQuery};
use crate::refusal_reason::RefusalReason;

static FORM: LazyLock<Form> = LazyLock::new(Form::of::<ReplayRequest>);

/// Asks for a trace's reads to be run again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example())]
pub(super) struct ReplayRequest {
    /// Why; it goes into the log of accesses, beside who asks.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Gives a page of a trace's records.
pub(super) async fn read(State(app): State<Shared>, params: Params, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let read = async |heard: &mut Heard| records(&app, &parts, &params, heard).await;
    receiving::answered(&app, &parts, read).await
}

/// Runs a trace's reads again.
pub(super) async fn replay(
    State(app): State<Shared>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let replay = async |heard: &mut Heard| replayed(&app, &parts, &params, body, heard).await;
    receiving::answered(&app, &parts, replay).await
}

async fn records(
    app: &App,
    parts: &Parts,
    params: &Params,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let clerk = Clerk::admit(app, parts, Scope::Traces, heard).await?;
    let (ledger, trace_id) = (ledger(app)?, trace(params)?);
    let asked = asked(parts)?;
    let _share = app.reads.take(&clerk.principal)?;
    let page = desk::within(app, page(ledger, trace_id, &clerk, asked)).await?;
    let (what, subject) = ("GET /traces/{id}", Some(trace_id.to_owned()));
    Read { action: "read_trace", what, subject }.recorded(app, &clerk).await?;
    if page.records.is_empty() && asked.after.is_none() {
        return Err(unknown());
    }
    let records = page.records.into_iter().map(|(seq, call)| TraceRecord { seq, call }).collect();
    let trace_id = trace_id.to_owned();
    Ok(desk::found(&TraceRecords { trace_id, records, next: page.next }).into_response())
}

async fn replayed(
    app: &App,
    parts: &Parts,
    params: &Params,
    body: Body,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let clerk = Clerk::admit(app, parts, Scope::Replay, heard).await?;
    let body = body::read(app, parts, body, heard).await?;
    heard.body(&body);
    let (ledger, trace_id) = (ledger(app)?, trace(params)?);
    let (reason, asked) = (reason(&body)?, asked(parts)?);
    let access = clerk.access(reason)?;
    let _place = app.replays.take(heard.caller(parts), 1).map_err(busy)?;
    let replay = async {
        let first = Asked { after: None, most: 1 };
        if page(ledger, trace_id, &clerk, first).await?.records.is_empty() {
            return Err(unknown());
        }
        let replay = prepared(app, ledger, access, &clerk, asked);
        replay.run(trace_id).await.map_err(|_| desk::store_down())
    };
    Ok(desk::found(&desk::within(app, replay).await?).into_response())
}

/// Finds a page of a trace's records, also of calls that were answered only just now.
async fn page(
    ledger: &Ledger,
    trace_id: &str,
    clerk: &Clerk,
    asked: Asked<u64>,
) -> Result<LedgerPage, Problem> {
    let query = LedgerQuery::new().trace(trace_id).tenant(clerk.tenant()).limit(asked.most);
    let query = asked.after.map_or(query.clone(), |after| query.after(after));
    ledger.flush().await.map_err(|_| desk::store_down())?;
    ledger.find(query).await.map_err(|_| desk::store_down())
}

fn prepared(
    app: &App,
    ledger: &Ledger,
    access: Access,
    clerk: &Clerk,
    asked: Asked<u64>,
) -> Replay {
    let principal = clerk.principal.clone();
    let replay = Replay::new(&app.runtime, ledger, access).tenant(clerk.tenant());
    let replay = replay.only_tools(move |tool| principal.may_call(tool)).at_most(asked.most);
    let replay = match asked.after {
        Some(after) => replay.after(after),
        None => replay,
    };
    match &app.config.vault {
        Some(vault) => replay.vault(vault),
        None => replay,
    }
}

fn asked(parts: &Parts) -> Result<Asked<u64>, Problem> {
    Asked::read(parts.uri.query(), "the `next` of the page before, a number")
}

fn ledger(app: &App) -> Result<&Ledger, Problem> {
    app.config.ledger.as_ref().ok_or_else(|| {
        Problem::of(ErrorCode::NotFound, "this server keeps no ledger that could be looked at")
            .with_reason(RefusalReason::NoLedger)
    })
}

fn trace(params: &Params) -> Result<&str, Problem> {
    let id = desk::param(params, "id")?;
    if is_id(id) {
        return Ok(id);
    }
    let message = "path `id`: expected a trace's id: 1 to 256 characters, none of them a control \
                   character";
    Err(Problem::of(ErrorCode::InvalidArgument, message))
}

fn reason(body: &[u8]) -> Result<String, Problem> {
    let text = FORM.check(body)?;
    let request: ReplayRequest = serde_json::from_str(text).map_err(|_| Problem::internal())?;
    Ok(request.reason)
}

fn unknown() -> Problem {
    Problem::of(ErrorCode::NotFound, "the ledger knows no call of this trace for this tenant")
        .with_reason(RefusalReason::UnknownTrace)
}

fn busy(exhausted: Exhausted) -> Problem {
    let (code, message) = match exhausted {
        Exhausted::Capacity => {
            (ErrorCode::Unavailable, "too many traces are being replayed; replay this one later")
        }
        Exhausted::Owner => (
            ErrorCode::RateLimited,
            "this caller replays too many traces at once; replay this one later",
        ),
    };
    Problem::of(code, message).with_reason(RefusalReason::Busy)
}

fn example() -> Value {
    serde_json::json!({"reason": "complaint 4711"})
}
