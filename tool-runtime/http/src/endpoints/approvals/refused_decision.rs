//! Records refused decisions: the caller, the ticket and the reason.

use tool_contracts::ToolContext;
use tool_runtime_core::log::log_event;
use tool_runtime_record::ledger::{RecordedAccess, RecordedOutcome};
use uuid::Uuid;

use super::decision::ApprovalDecision;
use crate::problem::Problem;
use crate::request::access_records::recorded_name;
use crate::request::admission::{AuthorizedCaller, Forbidden};
use crate::request::time_limit::within_time_limit;
use crate::state::app::App;
use crate::state::caller::Caller;
use crate::state::refusal_counts::{RecordDecision, RefusalKind};

/// A decision of an approver about a waiting call, as it is recorded if it is refused.
#[derive(Debug)]
pub(super) struct RefusedDecision {
    ticket: Uuid,
    tenant: Option<Uuid>,
    by: String,
    caller: Caller,
    action: &'static str,
}

impl RefusedDecision {
    /// Describes the decision of a caller with the scope `approvals`.
    pub(super) fn new(
        authorized: &AuthorizedCaller,
        ticket: Uuid,
        decision: &ApprovalDecision<'_>,
    ) -> Self {
        let (tenant, by) = (Some(authorized.tenant()), authorized.name());
        let caller = authorized.caller().clone();
        Self { ticket, tenant, by, caller, action: decision.as_str() }
    }

    /// Describes the decision of a caller that may not decide here; its body is not read.
    pub(super) fn unauthorized(forbidden: &Forbidden<'_>, ticket: Uuid) -> Self {
        let cx = forbidden.context();
        let user = cx.as_ref().and_then(ToolContext::user_id);
        let tenant = cx.as_ref().map(ToolContext::tenant_id);
        let by = recorded_name(user, forbidden.principal.display_name());
        Self { ticket, tenant, by, caller: forbidden.caller.clone(), action: "decide" }
    }

    /// Records that the decision was refused for a reason. A failure to record it is only logged,
    /// since the decision is refused anyway.
    pub(super) async fn record(&self, app: &App, reason: &str) {
        match app.refusal_counts.count_refusal(&self.caller, RefusalKind::Decision) {
            RecordDecision::Record => self.log(reason),
            RecordDecision::Summarize => return,
        }
        let Some(ledger) = &app.config.ledger else { return };
        let mut access = RecordedAccess::new(ledger.clock().now(), self.action, &*self.by, reason);
        access.tenant_id = self.tenant;
        access.subject = Some(self.ticket.to_string());
        access.outcome = RecordedOutcome::Refused.to_string();
        let recorded =
            async { ledger.record_access(access).await.map_err(|_| Problem::store_unavailable()) };
        if within_time_limit(app, recorded).await.is_err() {
            self.log_unrecorded();
        }
    }

    fn log(&self, reason: &str) {
        log_event!(
            warn,
            target: tool_runtime_core::trace::conventions::TARGET,
            event = "approval_refused",
            ticket = %self.ticket,
            // In full: within an event `log` may be the crate of that name.
            tenant_id = self.tenant.map(tool_runtime_core::log::display),
            by = self.by,
            action = self.action,
            reason,
        );
    }

    fn log_unrecorded(&self) {
        log_event!(
            warn,
            target: tool_runtime_core::trace::conventions::TARGET,
            event = "approval_refused_unrecorded",
            ticket = %self.ticket,
        );
    }
}
