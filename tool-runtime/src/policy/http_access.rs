//! Accessors of the policies for the HTTP API.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use uuid::Uuid;

use super::approval::Tickets;
use super::store_access::STORE_TIMEOUT;
use super::ticket::TicketRejection;
use crate::refusal_reason::RefusalReason;
use crate::runtime::Runtime;
use crate::store::{StoreError, TicketEnd};

impl Runtime {
    /// Returns the counter behind [`wall_clock_steps`](Self::wall_clock_steps).
    pub(crate) fn wall_clock_step_counter(&self) -> Arc<AtomicU64> {
        self.policy_state().store_time.steps.clone()
    }
}

impl Tickets<'_> {
    /// Returns how a ticket of a tenant has ended; none if it is waiting or unknown.
    pub(crate) async fn end_of(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let state = self.state();
        let found = state.call_store(STORE_TIMEOUT, state.stores.tickets.find_ticket(id)).await?;
        Ok(found.filter(|found| found.tenant == tenant).and_then(|found| found.end))
    }

    /// Ends the ticket of a resumed call, and returns how it had ended before: only one caller gets
    /// `None`, and its end counts.
    pub(crate) async fn end(
        &self,
        id: Uuid,
        end: TicketEnd,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let state = self.state();
        state.call_store(STORE_TIMEOUT, state.stores.tickets.end_ticket(id, end)).await
    }
}

impl TicketRejection {
    const ALL: [Self; 13] = [
        Self::Malformed,
        Self::Oversized,
        Self::Tampered,
        Self::UnknownKey,
        Self::Expired,
        Self::Used,
        Self::Declined,
        Self::Superseded,
        Self::Foreign,
        Self::Outdated,
        Self::Unknown,
        Self::ArgumentsChanged,
        Self::Unreadable,
    ];

    /// Finds the rejection of a refusal; none if the reason is not about a ticket.
    pub(crate) fn of_reason(reason: RefusalReason) -> Option<Self> {
        Self::ALL.into_iter().find(|rejection| rejection.reason() == reason)
    }
}
