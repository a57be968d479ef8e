//! Limits reads of an inbox or a trace, and records each in the ledger before it is answered.

use std::sync::Arc;

use super::admission::AuthorizedCaller;
use super::time_limit::within_time_limit;
use crate::http::auth::Principal;
use crate::http::problem::Problem;
use crate::http::state::app::App;
use crate::http::state::quota::{Permit, QuotaRefusal};
use crate::ledger::{RecordedAccess, RecordedOutcome};
use crate::refusal_reason::RefusalReason;

/// The quota of reads bounds each caller, not all of them together.
const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Reads,
    capacity: "too many reads are in progress; retry later",
    caller: "the caller has too many reads in progress; wait for their answers",
};

/// A read that is about to be answered.
#[derive(Debug)]
pub(in crate::http) struct ReadAccess {
    pub(in crate::http) action: &'static str,
    /// The method and path template of the request.
    pub(in crate::http) what: &'static str,
    /// The subject: a trace's id, or the first and the last ticket.
    pub(in crate::http) subject: Option<String>,
}

/// Acquires a permit for one read of a principal.
pub(in crate::http) fn acquire_read(
    app: &App,
    principal: &Principal,
) -> Result<Permit<Arc<str>>, Problem> {
    app.reads.acquire(Arc::clone(principal.id()), 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

impl ReadAccess {
    /// Records the read and waits until the record is written. A read that cannot be recorded is
    /// refused.
    ///
    /// A server without a ledger records nothing.
    pub(in crate::http) async fn record(
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
