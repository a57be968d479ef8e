//! Tickets in memory.

use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::shelf::{Entry, Room, Shelf};
use super::{Memory, locked};
use crate::store::{StoreError, TicketEnd, TicketStore, UnixMillis, WaitingTicket};

#[async_trait]
impl TicketStore for Memory {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        locked(&self.tickets)?.put(ticket)
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        Ok(locked(&self.tickets)?.0.get(&id).cloned())
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        Ok(locked(&self.tickets)?.end(id, end))
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        most: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let tickets = locked(&self.tickets)?;
        Ok(tickets.waiting(tenant, after, now).take(most).cloned().collect())
    }

    async fn overtake_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        Ok(locked(&self.tickets)?.overtake(tenant, conversation))
    }

    async fn sweep_tickets(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.tickets)?.0.sweep(now, most))
    }
}

pub(super) struct Tickets(Shelf<Uuid, WaitingTicket>);

impl Tickets {
    pub(super) fn new(room: Room) -> Self {
        Self(Shelf::new(room))
    }

    fn put(&mut self, ticket: WaitingTicket) -> Result<(), StoreError> {
        if self.0.get(&ticket.id).is_some() {
            return Ok(());
        }
        let bytes = ticket.payload.len().saturating_add(ticket.conversation.len());
        let (tenant, over_at) = (ticket.tenant, Some(ticket.expires_at));
        self.0.put(ticket.id, Entry { tenant, value: ticket, bytes, over_at })
    }

    fn end(&mut self, id: Uuid, end: TicketEnd) -> Option<TicketEnd> {
        let Some(ticket) = self.0.get_mut(&id) else { return Some(TicketEnd::Expired) };
        let before = ticket.end;
        ticket.end = before.or(Some(end));
        before
    }

    fn waiting(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        now: UnixMillis,
    ) -> impl Iterator<Item = &WaitingTicket> {
        let waits = move |ticket: &&WaitingTicket| {
            ticket.tenant == tenant && ticket.end.is_none() && now < ticket.expires_at
        };
        self.0.from(after.map_or(Bound::Unbounded, Bound::Excluded)).filter(waits)
    }

    fn overtake(&mut self, tenant: Uuid, conversation: &str) -> usize {
        let waiting = self.0.values_mut().filter(|ticket| {
            ticket.end.is_none() && ticket.tenant == tenant && *ticket.conversation == *conversation
        });
        waiting.map(|ticket| ticket.end = Some(TicketEnd::Overtaken)).count()
    }
}
