//! Limits reads of an inbox or a trace, and records each in the ledger before it is answered.

use std::sync::Arc;

use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::ledger::{RecordedAccess, RecordedOutcome};

use super::admission::AuthorizedCaller;
use super::time_limit::within_time_limit;
use crate::auth::Principal;
use crate::problem::Problem;
use crate::state::app::App;
use crate::state::quota::{Permit, QuotaRefusal};

/// The quota of reads bounds each caller, not all of them together.
const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Reads,
    capacity: "too many reads are in progress; retry later",
    caller: "the caller has too many reads in progress; wait for their answers",
};

/// A read that is about to be answered.
#[derive(Debug)]
pub(crate) struct ReadAccess {
    pub(crate) action: &'static str,
    /// The method and path template of the request.
    pub(crate) what: &'static str,
    /// The subject: a trace's id, or the first and the last ticket.
    pub(crate) subject: Option<String>,
}

/// Acquires a permit for one read of a principal.
pub(crate) fn acquire_read(app: &App, principal: &Principal) -> Result<Permit<Arc<str>>, Problem> {
    app.reads.acquire(Arc::clone(principal.id()), 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

impl ReadAccess {
    /// Records the read and waits until the record is written. A read that cannot be recorded is
    /// refused.
    ///
    /// A server without a ledger records nothing.
    pub(crate) async fn record(
        self,
        app: &App,
        authorized: &AuthorizedCaller,
    ) -> Result<(), Problem> {
        let Some(ledger) = &app.config.ledger else { return Ok(()) };
        let mut access =
            RecordedAccess::new(ledger.clock().now(), self.action, authorized.name(), self.what);
        access.tenant_id = Some(authorized.tenant());
        access.subject = self.subject;
        access.outcome = RecordedOutcome::Done.to_string();
        let recorded =
            async { ledger.record_access(access).await.map_err(|_| Problem::store_unavailable()) };
        within_time_limit(app, recorded).await
    }
}
