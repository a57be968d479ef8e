//! `/evidence`: lists and reads the evidence of calls, as far as the host's authorizer permits.

mod filter;
mod refusal;
mod view;

use std::sync::LazyLock;

use axum::extract::State;
use schemars::JsonSchema;
use tool_contracts::ErrorCode;

use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::evidence::{AccessAction, SnapshotId, Vault};

pub(crate) use self::filter::ID_PATTERN;
pub(crate) use self::view::{EvidenceContents, EvidencePage, EvidenceSnapshot};
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::access_records;
use crate::request::admission::{Authorized, Forbidden, RequiredScope};
use crate::request::body::ReceivedRequest;
use crate::request::body_schema::{BodySchema, read_reason, reason_example};
use crate::request::parameters::{Bodyless, PageRequest, Params, param};
use crate::request::time_limit::within_time_limit;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::for_type::<EvidenceReadRequest>);

/// Requests the sealed contents of a snapshot.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, example = reason_example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(crate) struct EvidenceReadRequest {
    /// The reason; it is recorded in the log of accesses together with the reader.
    #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
    reason: String,
}

/// Requires the scope `evidence`, for a list.
#[derive(Debug)]
pub(crate) struct ListEvidence;

/// Requires the scope `evidence`, for one snapshot.
#[derive(Debug)]
pub(crate) struct FindEvidence;

/// Requires the scope `evidence_contents`.
#[derive(Debug)]
pub(crate) struct ReadEvidence;

impl RequiredScope for ListEvidence {
    const SCOPE: Scope = Scope::Evidence;

    async fn record_forbidden(forbidden: &Forbidden<'_>) {
        refusal::record(forbidden, AccessAction::List, None).await;
    }
}

impl RequiredScope for FindEvidence {
    const SCOPE: Scope = Scope::Evidence;

    async fn record_forbidden(forbidden: &Forbidden<'_>) {
        refusal::record(forbidden, AccessAction::Find, id(forbidden.params).ok()).await;
    }
}

impl RequiredScope for ReadEvidence {
    const SCOPE: Scope = Scope::EvidenceContents;

    async fn record_forbidden(forbidden: &Forbidden<'_>) {
        refusal::record(forbidden, AccessAction::Read, id(forbidden.params).ok()).await;
    }
}

/// Handles a request for a list of snapshots.
pub(crate) async fn list(
    authorized: Authorized<ListEvidence>,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let vault = vault(&app)?;
    let requested =
        PageRequest::<SnapshotId>::read(request.query(), "the `next` of the page before")?;
    let query = filter::query(authorized.tenant(), request.query())?;
    let access = authorized.access("GET /evidence")?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let listing = async {
        let page = vault.list(&query, requested.after, requested.limit, &access).await;
        page.map_err(|error| refusal::problem_of_list(&error))
    };
    let page = within_time_limit(&app, listing).await?;
    Ok(JsonResponse::ok(&EvidencePage::new(&page)))
}

/// Handles a request for one snapshot, without its sealed contents.
pub(crate) async fn find(
    authorized: Authorized<FindEvidence>,
    State(app): State<SharedApp>,
    params: Params,
) -> Result<JsonResponse, Problem> {
    let (vault, id) = (vault(&app)?, id(&params)?);
    let access = authorized.access("GET /evidence/{id}")?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let finding = async {
        let lookup = vault.find(authorized.tenant(), id, &access).await;
        lookup.map_err(|error| refusal::problem(&error))?.ok_or_else(refusal::unknown)
    };
    let snapshot = within_time_limit(&app, finding).await?;
    let response = JsonResponse::ok(&EvidenceSnapshot::new(&snapshot));
    Ok(response.with_tool_name(snapshot.tool()))
}

/// Handles a request for the sealed contents of one snapshot, with a reason.
pub(crate) async fn read(
    authorized: Authorized<ReadEvidence>,
    State(app): State<SharedApp>,
    params: Params,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let (vault, id) = (vault(&app)?, id(&params)?);
    let access = authorized.access(read_reason(&SCHEMA, &request.body)?)?;
    let _permit = access_records::acquire_read(&app, authorized.principal())?;
    let reading = async {
        let opened = vault.read(authorized.tenant(), id, &access).await;
        opened.map_err(|error| refusal::problem(&error))
    };
    let opened = within_time_limit(&app, reading).await?;
    let response = JsonResponse::ok(&EvidenceContents::new(&opened));
    Ok(response.with_tool_name(opened.snapshot.tool()))
}

/// Returns whether a server has evidence that callers may see: its vault has an authorizer.
pub(crate) fn is_served(app: &App) -> bool {
    vault(app).is_ok()
}

fn vault(app: &App) -> Result<&Vault, Problem> {
    app.config.vault.as_ref().filter(|vault| vault.has_authorizer()).ok_or_else(|| {
        Problem::from_code(ErrorCode::NotFound, "this server serves no evidence")
            .with_reason(RefusalReason::NoEvidence)
    })
}

fn id(params: &Params) -> Result<SnapshotId, Problem> {
    let message = "path `id`: expected the id of a snapshot, `ev_` and 32 hexadecimal digits";
    let id = param(params, "id")?.parse();
    id.map_err(|_| Problem::from_code(ErrorCode::InvalidArgument, message))
}
