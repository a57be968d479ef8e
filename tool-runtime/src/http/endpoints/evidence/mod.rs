//! `/evidence`: lists and reads the evidence of calls, as far as the host's authorizer permits.

mod filter;
mod refusal;
mod view;

use std::sync::LazyLock;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_contracts::ErrorCode;

pub(in crate::http) use self::filter::ID_PATTERN;
pub(in crate::http) use self::view::{EvidenceContents, EvidencePage, EvidenceSnapshot};
use crate::evidence::{AccessAction, SnapshotId, Vault};
use crate::http::auth::Scope;
use crate::http::problem::Problem;
use crate::http::request::access_records;
use crate::http::request::admission as request;
use crate::http::request::body;
use crate::http::request::body_schema::BodySchema;
use crate::http::request::operator::{self as endpoint, AuthorizedCaller, Params};
use crate::http::request::paging::PageRequest;
use crate::http::response::AuditContext;
use crate::http::state::app::{App, SharedApp};
use crate::refusal_reason::RefusalReason;

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::of::<EvidenceReadRequest>);

/// Requests the sealed contents of a snapshot.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example())]
pub(in crate::http) struct EvidenceReadRequest {
    /// The reason; it is recorded in the log of accesses, beside the reader.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Handles a request for a list of snapshots.
pub(in crate::http) async fn list(State(app): State<SharedApp>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    request::respond(&app, &parts, async |audit| listed(&app, &parts, audit).await).await
}

/// Handles a request for one snapshot, without its sealed contents.
pub(in crate::http) async fn find(
    State(app): State<SharedApp>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let find = async |audit: &mut AuditContext| found(&app, &parts, &params, audit).await;
    request::respond(&app, &parts, find).await
}

/// Handles a request for the sealed contents of one snapshot, with a reason.
pub(in crate::http) async fn read(
    State(app): State<SharedApp>,
    params: Params,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let read = async |audit: &mut AuditContext| {
        let (action, scope) = (AccessAction::Read, Scope::EvidenceContents);
        let authorized = admitted(&app, &parts, scope, (action, id(&params).ok()), audit).await?;
        let body = body::read(&app, &parts, body, audit).await?;
        audit.set_body(&body);
        opened(&app, &params, &authorized, &body, audit).await
    };
    request::respond(&app, &parts, read).await
}

/// Returns whether a server has evidence that callers may see: its vault has an authorizer.
pub(in crate::http) fn is_served(app: &App) -> bool {
    vault(app).is_ok()
}

async fn listed(app: &App, parts: &Parts, audit: &mut AuditContext) -> Result<Response, Problem> {
    let authorized =
        admitted(app, parts, Scope::Evidence, (AccessAction::List, None), audit).await?;
    let vault = vault(app)?;
    let text = parts.uri.query();
    let requested = PageRequest::<SnapshotId>::read(text, "the `next` of the page before")?;
    let query = filter::query(authorized.tenant(), text)?;
    let access = authorized.access("GET /evidence")?;
    let _permit = access_records::acquire_read(app, &authorized.principal)?;
    let listing = async {
        let page = vault.list(&query, requested.after, requested.limit, &access).await;
        page.map_err(|error| refusal::problem(&error))
    };
    let page = endpoint::within_time_limit(app, listing).await?;
    Ok(endpoint::json(&EvidencePage::of(&page)).into_response())
}

async fn found(
    app: &App,
    parts: &Parts,
    params: &Params,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let what = (AccessAction::Find, id(params).ok());
    let authorized = admitted(app, parts, Scope::Evidence, what, audit).await?;
    let (vault, id) = (vault(app)?, id(params)?);
    let access = authorized.access("GET /evidence/{id}")?;
    let _permit = access_records::acquire_read(app, &authorized.principal)?;
    let finding = async {
        let found = vault.find(authorized.tenant(), id, &access).await;
        found.map_err(|error| refusal::problem(&error))?.ok_or_else(refusal::unknown)
    };
    let snapshot = endpoint::within_time_limit(app, finding).await?;
    audit.tool_name = snapshot.tool().into();
    Ok(endpoint::json(&EvidenceSnapshot::of(&snapshot)).into_response())
}

async fn opened(
    app: &App,
    params: &Params,
    authorized: &AuthorizedCaller,
    body: &[u8],
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let (vault, id) = (vault(app)?, id(params)?);
    let access = authorized.access(reason(body)?)?;
    let _permit = access_records::acquire_read(app, &authorized.principal)?;
    let reading = async {
        let opened = vault.read(authorized.tenant(), id, &access).await;
        opened.map_err(|error| refusal::problem(&error))
    };
    let opened = endpoint::within_time_limit(app, reading).await?;
    audit.tool_name = opened.snapshot.tool().into();
    Ok(endpoint::json(&EvidenceContents::of(&opened)).into_response())
}

/// Admits a caller that has the scope; a known caller without it leaves a record of its attempt.
async fn admitted(
    app: &App,
    parts: &Parts,
    scope: Scope,
    (action, id): (AccessAction, Option<SnapshotId>),
    audit: &mut AuditContext,
) -> Result<AuthorizedCaller, Problem> {
    let principal = request::admit(app, parts, audit).await?;
    let authorized = AuthorizedCaller::of(principal.clone(), parts, scope, audit);
    let forbidden =
        authorized.as_ref().err().filter(|problem| problem.code == ErrorCode::Forbidden);
    if let (Some(problem), Ok(vault)) = (forbidden, vault(app)) {
        let why = endpoint::why_forbidden(&principal, scope, problem);
        refusal::record(app, vault, &principal, parts, (action, id, why)).await;
    }
    authorized
}

fn vault(app: &App) -> Result<&Vault, Problem> {
    app.config.vault.as_ref().filter(|vault| vault.has_authorizer()).ok_or_else(|| {
        Problem::of(ErrorCode::NotFound, "this server serves no evidence")
            .with_reason(RefusalReason::NoEvidence)
    })
}

fn id(params: &Params) -> Result<SnapshotId, Problem> {
    let message = "path `id`: expected the id of a snapshot, `ev_` and 32 hexadecimal digits";
    let id = endpoint::param(params, "id")?.parse();
    id.map_err(|_| Problem::of(ErrorCode::InvalidArgument, message))
}

fn reason(body: &[u8]) -> Result<String, Problem> {
    let text = SCHEMA.check(body)?;
    let request: EvidenceReadRequest =
        serde_json::from_str(text).map_err(|_| Problem::internal())?;
    Ok(request.reason)
}

fn example() -> Value {
    serde_json::json!({"reason": "complaint 4711"})
}
