//! What waits for a person, as an approver's own application shows it.

use std::fmt;

use tool_contracts::ToolContext;
use uuid::Uuid;

use crate::dispatch::Runtime;
use crate::policy::asking::PATIENCE;
use crate::policy::governor::State;
use crate::policy::ticket::Ticket;
#[cfg(feature = "http")]
use crate::store::TicketEnd;
use crate::store::{StoreError, WaitingTicket};

/// A call that waits behind a ticket until somebody has decided about it.
///
/// [`Runtime::resume_waiting`] takes it up by its ticket's [`id`](Ticket::id).
#[derive(Clone)]
pub struct WaitingCall {
    ticket: Ticket,
    cx: ToolContext,
    arguments: Option<Box<str>>,
    reason: Option<Box<str>>,
}

/// A page of what waits.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WaitingCalls {
    /// What waits, the oldest first.
    pub calls: Vec<WaitingCall>,
    /// After what the next page begins; none if there is no more.
    pub next: Option<Uuid>,
}

impl WaitingCall {
    /// Returns the ticket: which tool of which version, for whom, since when and until when.
    #[must_use]
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }

    /// Returns the context that the call was opened with, without credentials.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        &self.cx
    }

    /// Returns the arguments as JSON text, secrets masked: what a person sees before deciding.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        self.arguments.as_deref()
    }

    /// Returns why the host's own rule asks, if it does.
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

impl Runtime {
    /// Lists what waits for a person of a tenant, at most `most`, from the first after `after`.
    ///
    /// A page may hold fewer calls than there is room for: what cannot be taken up by its id is left
    /// out, such as what was put away with a key that is not on the ring.
    ///
    /// # Errors
    /// The store's.
    pub async fn waiting_calls(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        most: usize,
    ) -> Result<WaitingCalls, StoreError> {
        let Some(state) = State::of(self) else { return Ok(WaitingCalls::default()) };
        let now = state.clock.now();
        let found = state.stores.tickets.waiting_tickets(tenant, after, most, now);
        let found = state.ask_store(PATIENCE, found).await?;
        let next = found.last().filter(|_| found.len() >= most).map(|ticket| ticket.id);
        let calls = found.iter().filter_map(|found| state.waiting_call(found)).collect();
        Ok(WaitingCalls { calls, next })
    }

    /// Finds a call of a tenant that waits for a person, by its ticket's id.
    ///
    /// # Errors
    /// The store's.
    pub async fn waiting_call(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<WaitingCall>, StoreError> {
        let Some(state) = State::of(self) else { return Ok(None) };
        let found = state.ask_store(PATIENCE, state.stores.tickets.find_ticket(id)).await?;
        let found = found.filter(|found| found.tenant == tenant && found.end.is_none());
        Ok(found.and_then(|found| state.waiting_call(&found)))
    }

    /// Tells how a ticket of a tenant has ended, if it is known and has.
    #[cfg(feature = "http")]
    pub(crate) async fn ticket_end(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let Some(state) = State::of(self) else { return Ok(None) };
        let found = state.ask_store(PATIENCE, state.stores.tickets.find_ticket(id)).await?;
        Ok(found.filter(|found| found.tenant == tenant).and_then(|found| found.end))
    }

    /// Ends the ticket of a call that was taken up, and returns how it had ended before: `None` tells
    /// the one caller whose ending counts.
    #[cfg(feature = "http")]
    pub(crate) async fn end_ticket(
        &self,
        id: Uuid,
        end: TicketEnd,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let Some(state) = State::of(self) else { return Ok(Some(TicketEnd::Expired)) };
        state.ask_store(PATIENCE, state.stores.tickets.end_ticket(id, end)).await
    }
}

impl State {
    fn waiting_call(&self, found: &WaitingTicket) -> Option<WaitingCall> {
        let mut sealed = self.unseal(found).ok()?;
        let ticket = self.own_ticket(found, &mut sealed).ok()?;
        Some(WaitingCall {
            ticket,
            cx: sealed.context().ok()?,
            arguments: sealed.shown.map(Into::into),
            reason: sealed.reason.map(Into::into),
        })
    }
}
