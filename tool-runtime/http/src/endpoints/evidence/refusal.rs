//! The refusals of access to evidence: the caller's answer, and the record of a caller without the
//! scope.

use axum::http::StatusCode;
use tool_contracts::{ErrorCode, ToolContext};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::evidence::{
    Access, AccessAction, EvidenceError, EvidenceFault, SnapshotId,
};

use crate::problem::Problem;
use crate::request::access_records::recorded_name;
use crate::request::admission::Forbidden;
use crate::request::time_limit::within_time_limit;
use crate::state::refusal_counts::{RecordDecision, RefusalKind};

/// Answers an id that does not exist, or that the authorizer denies.
pub(super) fn unknown() -> Problem {
    let message = "this tenant has no evidence with this id";
    Problem::from_code(ErrorCode::NotFound, message).with_reason(RefusalReason::UnknownEvidence)
}

/// Answers an access that has failed; the answer names no snapshot.
pub(super) fn problem(error: &EvidenceError) -> Problem {
    let damaged = |reason: RefusalReason, message: &'static str| {
        Problem::from_code(ErrorCode::Internal, message).with_reason(reason)
    };
    match error.kind().fault() {
        EvidenceFault::NotFound => unknown(),
        EvidenceFault::Shredded => {
            let message = "the contents can no longer be opened: the tenant's keys were destroyed";
            let problem = Problem::new(StatusCode::GONE, ErrorCode::NotFound, message);
            problem.with_reason(RefusalReason::EvidenceShredded)
        }
        EvidenceFault::Altered => {
            damaged(RefusalReason::EvidenceAltered, "the stored evidence was altered")
        }
        EvidenceFault::Missing => damaged(
            RefusalReason::EvidenceMissing,
            "the ledger names the evidence, but its store does not have it",
        ),
        EvidenceFault::UnknownKey => {
            damaged(RefusalReason::UnknownKey, "this server lacks a key of the evidence")
        }
        EvidenceFault::Unavailable => Problem::store_unavailable(),
        EvidenceFault::Internal => Problem::internal(),
    }
}

/// Answers a list that a snapshot has ended: `details.after` is the cursor that continues after it.
/// The entries before it are read with a smaller limit.
///
/// The authorizer has admitted the caller to the snapshot, since it leaves out others.
pub(super) fn problem_of_list(error: &EvidenceError) -> Problem {
    let problem = problem(error);
    match error.snapshot().filter(|_| error.kind().concerns_snapshot()) {
        Some(id) => problem.with_detail("after", id.to_string()),
        None => problem,
    }
}

/// Records that an authenticated caller was refused; the first ones of a minute one by one.
///
/// A failure to record it is ignored, since the caller is refused anyway.
pub(super) async fn record(
    forbidden: &Forbidden<'_>,
    action: AccessAction,
    id: Option<SnapshotId>,
) {
    let Ok(vault) = super::vault(forbidden.app) else { return };
    let counts = &forbidden.app.refusal_counts;
    match counts.count_refusal(forbidden.caller, RefusalKind::Evidence) {
        RecordDecision::Record => {}
        RecordDecision::Summarize => return,
    }
    let cx = forbidden.context();
    let user = cx.as_ref().and_then(ToolContext::user_id);
    let name = recorded_name(user, forbidden.principal.display_name());
    let Ok(access) = Access::new(name, forbidden.cause.as_str()) else { return };
    let tenant = cx.as_ref().map(ToolContext::tenant_id);
    let recorded = async {
        let recorded = vault.record_denied(action, tenant, id, &access).await;
        recorded.map_err(|_| Problem::store_unavailable())
    };
    drop(within_time_limit(forbidden.app, recorded).await);
}
