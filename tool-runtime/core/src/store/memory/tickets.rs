//! Tickets in memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::outbox::MemoryOutbox;
use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::{
    OutboxBatch, OutboxStore, StoreError, TicketEnd, TicketQuota, TicketStore, UnixMillis,
    WaitingTicket,
};

#[async_trait]
impl TicketStore for MemoryStore {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        locked(&self.tickets)?.put(ticket)
    }

    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        locked(&self.tickets)?.put_within(ticket, quota, now)
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        Ok(locked(&self.tickets)?.tickets.get(&id).cloned())
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        Ok(locked(&self.tickets)?.end(id, end))
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let tickets = locked(&self.tickets)?;
        Ok(tickets.waiting(tenant, after, now).take(limit).cloned().collect())
    }

    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        Ok(locked(&self.tickets)?.supersede(tenant, conversation))
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.tickets)?.sweep(now, limit))
    }

    fn outbox(&self) -> Option<&dyn OutboxStore> {
        Some(self)
    }
}

pub(super) struct MemoryTickets {
    tickets: QuotaMap<Uuid, WaitingTicket>,
    /// The waiting tickets of each caller, with their expiry and the size of their payloads.
    waiting: Waiting,
    pub(super) outbox: MemoryOutbox,
}

type Waiting = HashMap<(Uuid, Box<str>), BTreeMap<(UnixMillis, Uuid), usize>>;

impl MemoryTickets {
    pub(super) fn new(quota: StoreQuota, messages: StoreQuota) -> Self {
        let outbox = MemoryOutbox::new(messages);
        Self { tickets: QuotaMap::new(quota), waiting: HashMap::new(), outbox }
    }

    /// Stores a ticket within its caller's quota, and its messages if it is new.
    pub(super) fn put_with(
        &mut self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        let id = ticket.id;
        if self.tickets.get(&id).is_some() {
            return Ok(true);
        }
        if !self.put_within(ticket, quota, now)? {
            return Ok(false);
        }
        if let Err(error) = self.outbox.put(batch) {
            if let Some(ticket) = self.tickets.remove(&id) {
                Self::release(&mut self.waiting, &ticket);
            }
            return Err(error);
        }
        Ok(true)
    }

    /// Ends a ticket, and stores messages if it had not ended.
    pub(super) fn end_with(
        &mut self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Option<TicketEnd> {
        if self.tickets.get(&id).is_none_or(|ticket| ticket.end.is_some()) {
            return self.end(id, end);
        }
        let stored = self.outbox.put(batch.clone());
        let earlier_end = self.end(id, end);
        // The messages of other ends have left room. A decision does not fail because the outbox is full.
        if stored.is_err() {
            drop(self.outbox.put(batch));
        }
        earlier_end
    }

    /// Ends the waiting tickets whose expiry has messages to this receiver that are due.
    pub(super) fn expire_followed(&mut self, receiver: &str, now: UnixMillis) {
        for ticket in self.outbox.expired_tickets(receiver, now) {
            self.end(ticket, TicketEnd::Expired);
        }
    }

    fn put(&mut self, ticket: WaitingTicket) -> Result<(), StoreError> {
        if self.tickets.get(&ticket.id).is_some() {
            return Ok(());
        }
        let bytes = ticket.payload.len().saturating_add(ticket.conversation.len());
        let (tenant, expires_at) = (ticket.tenant, Some(ticket.expires_at));
        let waits = ticket.end.is_none().then(|| {
            let index = (ticket.expires_at, ticket.id);
            ((tenant, ticket.caller.clone()), index, ticket.payload.len())
        });
        self.tickets.put(ticket.id, QuotaEntry { tenant, value: ticket, bytes, expires_at })?;
        if let Some((caller, index, bytes)) = waits {
            self.waiting.entry(caller).or_default().insert(index, bytes);
        }
        Ok(())
    }

    fn put_within(
        &mut self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let caller = (ticket.tenant, ticket.caller.clone());
        let last_over = Bound::Excluded((now, Uuid::max()));
        let (tickets, bytes) = self.waiting.get(&caller).map_or((0, 0), |tickets| {
            let waiting = tickets.range((last_over, Bound::Unbounded)).take(quota.tickets);
            waiting.fold((0, 0), |(tickets, sum), (_, bytes)| (tickets + 1, sum + bytes))
        });
        let is_kept = self.tickets.get(&ticket.id).is_some();
        if !is_kept && !quota.admits(tickets, bytes, ticket.payload.len()) {
            return Ok(false);
        }
        self.put(ticket).map(|()| true)
    }

    fn sweep(&mut self, now: UnixMillis, limit: usize) -> usize {
        self.waiting.retain(|_, held| {
            while held.first_key_value().is_some_and(|((end, _), _)| *end <= now) {
                held.pop_first();
            }
            !held.is_empty()
        });
        let Self { tickets, outbox, .. } = self;
        tickets.sweep_each(now, limit, |ticket: WaitingTicket| {
            outbox.ticket_ended(ticket.id, ticket.end.unwrap_or(TicketEnd::Expired));
        })
    }

    /// Removes an ended ticket from its caller's quota.
    fn release(waiting: &mut Waiting, ticket: &WaitingTicket) {
        let caller = (ticket.tenant, ticket.caller.clone());
        let Some(held) = waiting.get_mut(&caller) else { return };
        held.remove(&(ticket.expires_at, ticket.id));
        if held.is_empty() {
            waiting.remove(&caller);
        }
    }

    fn end(&mut self, id: Uuid, end: TicketEnd) -> Option<TicketEnd> {
        let Some(ticket) = self.tickets.get_mut(&id) else { return Some(TicketEnd::Expired) };
        let before = ticket.end;
        ticket.end = before.or(Some(end));
        Self::release(&mut self.waiting, ticket);
        if before.is_none() {
            self.outbox.ticket_ended(id, end);
        }
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
        self.tickets.from(after.map_or(Bound::Unbounded, Bound::Excluded)).filter(waits)
    }

    fn supersede(&mut self, tenant: Uuid, conversation: &str) -> usize {
        let Self { tickets, waiting, outbox } = self;
        let superseded = tickets.values_mut().filter(|ticket| {
            ticket.end.is_none() && ticket.tenant == tenant && *ticket.conversation == *conversation
        });
        let end = |ticket: &mut WaitingTicket| {
            ticket.end = Some(TicketEnd::Superseded);
            Self::release(waiting, ticket);
            outbox.ticket_ended(ticket.id, TicketEnd::Superseded);
        };
        superseded.map(end).count()
    }
}
