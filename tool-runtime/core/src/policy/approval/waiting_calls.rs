//! Lists the calls that wait for a decision, for an approver's application.

use std::fmt;

use tool_contracts::{Attachment, ToolContext, ToolErrorDetail};
use uuid::Uuid;

use super::Approvals;
use super::resuming::Tickets;
use crate::dispatch::PreviewResult;
use crate::policy::store_client::STORE_TIMEOUT;
use crate::policy::ticket::Ticket;
use crate::store::{StoreError, WaitingTicket};
use crate::tool::CallScope;

/// A stored call that waits for a decision.
///
/// [`Tickets::resume_by_id`] resumes it by its ticket's [`id`](Ticket::id).
#[derive(Clone)]
pub struct WaitingCall {
    ticket: Ticket,
    cx: ToolContext,
    arguments: Option<Box<str>>,
    /// The arguments with which it would run, as JSON text with secrets.
    effective: Box<str>,
    preview_result: Option<PreviewResult>,
    reason: Option<Box<str>>,
}

/// A page of waiting calls.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WaitingCalls {
    /// The calls, the oldest first.
    pub calls: Vec<WaitingCall>,
    /// The cursor of the next page; none on the last one.
    pub next: Option<Uuid>,
}

impl WaitingCall {
    /// Returns the ticket: tool and version, principal, times of issue and expiry.
    #[must_use]
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }

    /// Returns the context that the call was opened with, without credentials.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        &self.cx
    }

    /// Returns the arguments as JSON text for an approver, with secrets masked.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        self.arguments.as_deref()
    }

    /// Returns the answer of the tool's `preview` function, or of the dry run to which the approval is
    /// bound, as JSON text, with secrets masked; none if there is no such answer, or it failed.
    #[must_use]
    pub fn preview(&self) -> Option<&str> {
        self.preview_result.as_ref()?.answer()
    }

    /// Returns what that answer has attached: see [`Preview::attachments`](crate::Preview::attachments).
    #[must_use]
    pub fn preview_attachments(&self) -> &[Attachment] {
        self.preview_result.as_ref().map(PreviewResult::attachments).unwrap_or_default()
    }

    /// Returns the error of the tool's `preview` function, if it failed: the call then does not run
    /// unless its arguments are edited.
    #[must_use]
    pub fn preview_failure(&self) -> Option<&ToolErrorDetail> {
        self.preview_result.as_ref()?.failure().map(|failure| &failure.detail)
    }

    /// Returns the reason of the host's access policy, if the policy asks.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl fmt::Debug for WaitingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitingCall")
            .field("id", &self.ticket.id())
            .field("tool", &self.ticket.tool())
            .finish_non_exhaustive()
    }
}

impl Tickets<'_> {
    /// Lists the waiting calls of a tenant, at most `limit`, from the first after `after`.
    ///
    /// A page may have fewer calls: those that cannot be resumed by their id are left out, such as
    /// a call that was sealed with a key which is not on the ring.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn waiting(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<WaitingCalls, StoreError> {
        let approvals = self.approvals();
        let now = approvals.stores.now();
        let lookup = approvals.stores.tickets.waiting_tickets(tenant, after, limit, now);
        let tickets = approvals.stores.call(STORE_TIMEOUT, lookup).await?;
        let next = tickets.last().filter(|_| tickets.len() >= limit).map(|ticket| ticket.id);
        let calls = tickets.iter().filter_map(|tickets| approvals.waiting_call(tickets)).collect();
        Ok(WaitingCalls { calls, next })
    }

    /// Finds a waiting call of a tenant by its ticket's id.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn find_waiting(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<WaitingCall>, StoreError> {
        let approvals = self.approvals();
        let ticket = approvals.stores.find_ticket(id, tenant).await?;
        let waiting_ticket = ticket.filter(|ticket| ticket.end.is_none());
        Ok(waiting_ticket.and_then(|waiting_ticket| approvals.waiting_call(&waiting_ticket)))
    }

    /// Describes for each of these calls what it would use of its budgets, and what is left of them now:
    /// `uses 40.00 of 120.00 EUR left today (shopping)`. Nothing is reserved.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn budget_notes(
        &self,
        calls: &[WaitingCall],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        let scopes: Vec<_> = calls.iter().map(|call| self.waiting_scope(call)).collect();
        self.approvals().spending.notes(&scopes).await
    }

    /// Makes the scope of a waiting call, which does not run; none if its tool is gone.
    fn waiting_scope(self, call: &WaitingCall) -> Option<CallScope> {
        let runtime = self.runtime();
        let tool = runtime.registered(call.ticket.tool())?;
        let environment = runtime.services().environment().clone();
        Some(CallScope::new(environment, tool, None, call.effective.clone(), call.cx.clone()))
    }
}

impl Approvals {
    fn waiting_call(&self, found: &WaitingTicket) -> Option<WaitingCall> {
        let mut sealed = self.unseal(found).ok()?;
        let ticket = self.own_ticket(found, &mut sealed).ok()?;
        Some(WaitingCall {
            ticket,
            cx: sealed.context().ok()?,
            effective: sealed.edited.unwrap_or(sealed.sent).into(),
            arguments: sealed.shown.map(Into::into),
            preview_result: sealed.preview_result,
            reason: sealed.reason.map(Into::into),
        })
    }
}
