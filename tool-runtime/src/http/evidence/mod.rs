//! `/evidence`: what calls have proven, as the host's authorizer lets a caller see it.

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

pub(super) use self::filter::ID_PATTERN;
pub(super) use self::view::{EvidenceContents, EvidencePage, EvidenceSnapshot};
use super::answer::Heard;
use super::app::{App, Shared};
use super::auth::Scope;
use super::desk::{self, Clerk, Params};
use super::form::Form;
use super::paging::Asked;
use super::problem::Problem;
use super::{body, receiving};
use crate::evidence::{AccessAction, SnapshotId, Vault};
use crate::refusal_reason::RefusalReason;

static FORM: LazyLock<Form> = LazyLock::new(Form::of::<EvidenceReadRequest>);

/// Asks for the sealed contents of a snapshot.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example())]
pub(super) struct EvidenceReadRequest {
    /// The reason; it is recorded in the log of accesses, beside the reader.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Lists snapshots.
pub(super) async fn list(State(app): State<Shared>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| listed(&app, &parts, heard).await).await
}

/// Shows one snapshot, without what is sealed.
pub(super) async fn find(State(app): State<Shared>, params: Params, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let find = async |heard: &mut Heard| found(&app, &parts, &params, heard).await;
    receiving::answered(&app, &parts, find).await
}

/// Opens what is sealed of one snapshot, for a reason.
pub(super) async fn read(State(app): State<Shared>, params: Params, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let read = async |heard: &mut Heard| {
        let (action, scope) = (AccessAction::Read, Scope::EvidenceContents);
        let clerk = admitted(&app, &parts, scope, (action, id(&params).ok()), heard).await?;
        let body = body::read(&app, &parts, body, heard).await?;
        heard.body(&body);
        opened(&app, &params, &clerk, &body, heard).await
    };
    receiving::answered(&app, &parts, read).await
}

/// Returns whether a server has evidence that callers may see: its vault has an authorizer.
pub(super) fn is_served(app: &App) -> bool {
    vault(app).is_ok()
}

async fn listed(app: &App, parts: &Parts, heard: &mut Heard) -> Result<Response, Problem> {
    let clerk = admitted(app, parts, Scope::Evidence, (AccessAction::List, None), heard).await?;
    let vault = vault(app)?;
    let text = parts.uri.query();
    let asked = Asked::<SnapshotId>::read(text, "the `next` of the page before")?;
    let query = filter::query(clerk.tenant(), text)?;
    let access = clerk.access("GET /evidence")?;
    let _share = app.reads.take(&clerk.principal)?;
    let listing = async {
        let page = vault.list(&query, asked.after, asked.most, &access).await;
        page.map_err(|error| refusal::problem(&error))
    };
    let page = desk::within(app, listing).await?;
    Ok(desk::found(&EvidencePage::of(&page)).into_response())
}

async fn found(
    app: &App,
    parts: &Parts,
    params: &Params,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let what = (AccessAction::Find, id(params).ok());
    let clerk = admitted(app, parts, Scope::Evidence, what, heard).await?;
    let (vault, id) = (vault(app)?, id(params)?);
    let access = clerk.access("GET /evidence/{id}")?;
    let _share = app.reads.take(&clerk.principal)?;
    let finding = async {
        let found = vault.find(clerk.tenant(), id, &access).await;
        found.map_err(|error| refusal::problem(&error))?.ok_or_else(refusal::unknown)
    };
    let snapshot = desk::within(app, finding).await?;
    heard.tool_name = snapshot.tool().into();
    Ok(desk::found(&EvidenceSnapshot::of(&snapshot)).into_response())
}

async fn opened(
    app: &App,
    params: &Params,
    clerk: &Clerk,
    body: &[u8],
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let (vault, id) = (vault(app)?, id(params)?);
    let access = clerk.access(reason(body)?)?;
    let _share = app.reads.take(&clerk.principal)?;
    let reading = async {
        let opened = vault.read(clerk.tenant(), id, &access).await;
        opened.map_err(|error| refusal::problem(&error))
    };
    let opened = desk::within(app, reading).await?;
    heard.tool_name = opened.snapshot.tool().into();
    Ok(desk::found(&EvidenceContents::of(&opened)).into_response())
}

/// Admits a caller that has the scope; a known caller without it leaves a record of its attempt.
async fn admitted(
    app: &App,
    parts: &Parts,
    scope: Scope,
    (action, id): (AccessAction, Option<SnapshotId>),
    heard: &mut Heard,
) -> Result<Clerk, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    let clerk = Clerk::of(principal.clone(), parts, scope, heard);
    let is_forbidden = |problem: &Problem| problem.code == ErrorCode::Forbidden;
    if let (true, Ok(vault)) = (clerk.as_ref().is_err_and(is_forbidden), vault(app)) {
        let why = if principal.may(scope) { "foreign_tenant" } else { "missing_scope" };
        refusal::record(app, vault, &principal, parts, (action, id, why)).await;
    }
    clerk
}

fn vault(app: &App) -> Result<&Vault, Problem> {
    app.config.vault.as_ref().filter(|vault| vault.has_authorizer()).ok_or_else(|| {
        Problem::of(ErrorCode::NotFound, "this server serves no evidence")
            .with_reason(RefusalReason::NoEvidence)
    })
}

fn id(params: &Params) -> Result<SnapshotId, Problem> {
    let message = "path `id`: expected the id of a snapshot, `ev_` and 32 hexadecimal digits";
    let id = desk::param(params, "id")?.parse();
    id.map_err(|_| Problem::of(ErrorCode::InvalidArgument, message))
}

fn reason(body: &[u8]) -> Result<String, Problem> {
    let text = FORM.check(body)?;
    let request: EvidenceReadRequest =
        serde_json::from_str(text).map_err(|_| Problem::internal())?;
    Ok(request.reason)
}

fn example() -> Value {
    serde_json::json!({"reason": "complaint 4711"})
}
