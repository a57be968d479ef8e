//! Decisions that did not count: who tried, about which call, and why it was in vain.

use axum::http::request::Parts;
use tool_contracts::ToolContext;
use uuid::Uuid;

use super::decision::Decision;
use crate::http::app::App;
use crate::http::auth::{Principal, Scope};
use crate::http::desk::{self, Clerk};
use crate::http::flood::RefusalKind;
use crate::http::rate::Caller;
use crate::http::{caller, receiving};
use crate::ledger::RecordedAccess;

/// What somebody tries to decide.
#[derive(Debug)]
pub(super) struct Attempt {
    ticket: Uuid,
    tenant: Option<Uuid>,
    by: String,
    caller: Caller,
    action: &'static str,
}

impl Attempt {
    /// A decision of somebody who may decide, though perhaps not this.
    pub(super) fn of(clerk: &Clerk, ticket: Uuid, decision: &Decision<'_>, caller: Caller) -> Self {
        let (tenant, by) = (Some(clerk.tenant()), clerk.name());
        Self { ticket, tenant, by, caller, action: decision.as_str() }
    }

    /// A decision, of which nothing is read, of somebody who may decide nothing here.
    fn at_the_door(principal: &Principal, parts: &Parts, ticket: Uuid) -> Self {
        let cx = caller::context(&receiving::head(parts), None, principal).ok();
        let user = cx.as_ref().and_then(ToolContext::user_id);
        let tenant = cx.as_ref().map(ToolContext::tenant_id);
        let (by, caller) = (desk::named(user, principal.shown()), Caller::of(parts, principal));
        Self { ticket, tenant, by, caller, action: "decide" }
    }

    /// Puts on the record that somebody was turned away.
    pub(super) async fn turned_away(app: &App, principal: &Principal, parts: &Parts, ticket: Uuid) {
        let may = principal.may(Scope::Approvals);
        let why = if may { "foreign_tenant" } else { "missing_scope" };
        Self::at_the_door(principal, parts, ticket).was_in_vain(app, why).await;
    }

    /// Puts on the record that it was in vain and why, as far as there is one: it is refused either
    /// way.
    pub(super) async fn was_in_vain(&self, app: &App, why: &str) {
        if !app.refusal_counts.is_recorded(&self.caller, RefusalKind::Decision) {
            return;
        }
        self.tell(why);
        let Some(ledger) = &app.config.ledger else { return };
        let mut access = RecordedAccess::new(ledger.clock().now(), self.action, &*self.by, why);
        access.tenant_id = self.tenant;
        access.subject = Some(self.ticket.to_string());
        "refused".clone_into(&mut access.outcome);
        let noted = async { ledger.record_access(access).await.map_err(|_| desk::store_down()) };
        if desk::within(app, noted).await.is_err() {
            self.tell_unrecorded();
        }
    }
}

#[cfg(feature = "trace")]
impl Attempt {
    fn tell(&self, why: &str) {
        tracing::warn!(
            target: crate::trace::conventions::TARGET,
            event = "approval_refused",
            ticket = %self.ticket,
            tenant_id = self.tenant.map(tracing::field::display),
            by = self.by,
            action = self.action,
            reason = why,
        );
    }

    fn tell_unrecorded(&self) {
        tracing::warn!(
            target: crate::trace::conventions::TARGET,
            event = "approval_refused_unrecorded",
            ticket = %self.ticket,
        );
    }
}

/// Without the feature `trace` nobody listens.
#[cfg(not(feature = "trace"))]
#[allow(clippy::unused_self, reason = "the feature has something to tell")]
impl Attempt {
    fn tell(&self, _: &str) {}

    fn tell_unrecorded(&self) {}
}
