//! The outbox in memory, whose messages change together with tickets.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::{
    AttemptResult, DeadReason, FollowedTicket, LeasedMessage, OutboxBatch, OutboxMessage,
    OutboxStore, StoreError, StoredMessage, TicketEnd, TicketQuota, UnixMillis, WaitingTicket,
};

#[async_trait]
impl OutboxStore for MemoryStore {
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        locked(&self.tickets)?.put_with(ticket, quota, now, batch)
    }

    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError> {
        Ok(locked(&self.tickets)?.end_with(id, end, batch))
    }

    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError> {
        locked(&self.tickets)?.outbox.put(batch)
    }

    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError> {
        let mut tickets = locked(&self.tickets)?;
        tickets.expire_followed(receiver, now);
        Ok(tickets.outbox.lease(receiver, now, lease_until, limit))
    }

    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError> {
        Ok(locked(&self.tickets)?.outbox.settle(&(receiver.into(), id), lease, result))
    }

    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let tickets = locked(&self.tickets)?;
        let dead = tickets.outbox.messages_to(receiver, after).filter(|it| it.dead.is_some());
        Ok(dead.take(limit).cloned().collect())
    }

    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let mut tickets = locked(&self.tickets)?;
        let stored = tickets.outbox.messages.get_mut(&(receiver.into(), id));
        let Some(stored) = stored.filter(|stored| stored.dead.is_some()) else { return Ok(false) };
        (stored.dead, stored.failures, stored.message.due_at) = (None, 0, now);
        Ok(true)
    }

    async fn sweep_messages(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.tickets)?.outbox.sweep(now, limit))
    }
}

/// The receiver and the id of a message.
type MessageKey = (Box<str>, Uuid);

pub(super) struct MemoryOutbox {
    messages: QuotaMap<MessageKey, StoredMessage>,
    /// The messages that follow the end of each ticket.
    following: HashMap<Uuid, BTreeSet<MessageKey>>,
}

impl MemoryOutbox {
    pub(super) fn new(quota: StoreQuota) -> Self {
        Self { messages: QuotaMap::new(quota), following: HashMap::new() }
    }

    /// Stores all messages, or none.
    pub(super) fn put(&mut self, batch: OutboxBatch) -> Result<(), StoreError> {
        let mut stored_keys = Vec::with_capacity(batch.messages.len());
        for message in batch.messages {
            let key = (message.receiver.clone(), message.id);
            if self.messages.get(&key).is_some() {
                continue;
            }
            if let Err(error) = self.put_new(&key, message, batch.max_queued) {
                for key in &stored_keys {
                    self.remove(key);
                }
                return Err(error);
            }
            stored_keys.push(key);
        }
        Ok(())
    }

    fn put_new(
        &mut self,
        key: &MessageKey,
        message: OutboxMessage,
        max_queued: usize,
    ) -> Result<(), StoreError> {
        // A message that follows a ticket is counted once the ticket has ended.
        let (queued, dead) = match message.follows {
            None => self.count_due(&key.0, message.tenant),
            Some(_) => (0, 0),
        };
        let is_full = message.follows.is_none() && queued >= max_queued;
        if is_full && dead >= max_queued {
            return Ok(());
        }
        let bytes = message.payload.len().saturating_add(message.receiver.len());
        let (tenant, expires_at) = (message.tenant, Some(message.delete_at));
        let follows = message.follows;
        let dead = is_full.then_some(DeadReason::QueueFull);
        let value = StoredMessage { message, leases: 0, failures: 0, dead };
        self.messages.put(key.clone(), QuotaEntry { tenant, value, bytes, expires_at })?;
        if let Some(FollowedTicket { ticket, .. }) = follows {
            self.following.entry(ticket).or_default().insert(key.clone());
        }
        Ok(())
    }

    /// Counts a tenant's messages to a receiver that follow no ticket: those that are queued, and those that are dead.
    fn count_due(&self, receiver: &str, tenant: Uuid) -> (usize, usize) {
        let is_counted = |stored: &&StoredMessage| {
            stored.message.follows.is_none() && stored.message.tenant == tenant
        };
        let counted = self.messages_to(receiver, None).filter(is_counted);
        counted.fold((0, 0), |(queued, dead), stored| match stored.dead {
            None => (queued + 1, dead),
            Some(_) => (queued, dead + 1),
        })
    }

    /// Makes the messages that follow this end of a ticket due, and deletes those of other ends.
    pub(super) fn ticket_ended(&mut self, ticket: Uuid, end: TicketEnd) {
        for key in self.following.remove(&ticket).unwrap_or_default() {
            let Some(stored) = self.messages.get_mut(&key) else { continue };
            match stored.message.follows {
                Some(follows) if follows.end == end => {
                    (stored.message.follows, stored.message.due_at) = (None, UnixMillis::new(0));
                }
                Some(_) | None => drop(self.messages.remove(&key)),
            }
        }
    }

    /// Returns the tickets whose expiry has messages to this receiver that are due.
    pub(super) fn expired_tickets(&self, receiver: &str, now: UnixMillis) -> BTreeSet<Uuid> {
        let expired = self.messages_to(receiver, None).filter_map(|stored| {
            let follows = stored.message.follows?;
            let is_due = follows.end == TicketEnd::Expired && stored.message.due_at <= now;
            is_due.then_some(follows.ticket)
        });
        expired.collect()
    }

    fn lease(
        &mut self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Vec<LeasedMessage> {
        let due =
            self.messages_to(receiver, None).filter(|StoredMessage { message, dead, .. }| {
                dead.is_none() && message.follows.is_none() && message.due_at <= now
            });
        let mut due: Vec<_> = due.map(|due| (due.message.due_at, due.message.id)).collect();
        due.sort_unstable();
        due.truncate(limit);
        let lease = |(_, id)| {
            let stored = self.messages.get_mut(&(receiver.into(), id))?;
            stored.message.due_at = lease_until;
            stored.leases = stored.leases.saturating_add(1);
            let StoredMessage { message, leases, failures, .. } = stored.clone();
            Some(LeasedMessage { message, lease: leases, failures })
        };
        due.into_iter().filter_map(lease).collect()
    }

    fn settle(&mut self, key: &MessageKey, lease: u32, result: AttemptResult) -> bool {
        let Some(stored) = self.messages.get_mut(key) else { return true };
        if stored.leases != lease || stored.dead.is_some() {
            return stored.leases == lease;
        }
        match result {
            AttemptResult::Delivered => self.remove(key),
            AttemptResult::Retry { at, failures } => {
                (stored.message.due_at, stored.failures) = (at, failures);
            }
            AttemptResult::Dead(reason) => stored.dead = Some(reason),
        }
        true
    }

    fn sweep(&mut self, now: UnixMillis, limit: usize) -> usize {
        let swept = self.messages.sweep(now, limit);
        if swept > 0 {
            let Self { messages, following } = self;
            following.retain(|_, keys| {
                keys.retain(|key| messages.get(key).is_some());
                !keys.is_empty()
            });
        }
        swept
    }

    fn remove(&mut self, key: &MessageKey) {
        let removed = self.messages.remove(key).and_then(|stored| stored.message.follows);
        let Some(FollowedTicket { ticket, .. }) = removed else { return };
        if let Some(keys) = self.following.get_mut(&ticket) {
            keys.remove(key);
            if keys.is_empty() {
                self.following.remove(&ticket);
            }
        }
    }

    /// Iterates over the messages to a receiver in the order of their ids.
    fn messages_to<'o>(
        &'o self,
        receiver: &'o str,
        after: Option<Uuid>,
    ) -> impl Iterator<Item = &'o StoredMessage> {
        let start = match after {
            Some(id) => Bound::Excluded((receiver.into(), id)),
            None => Bound::Included((receiver.into(), Uuid::nil())),
        };
        self.messages.from(start).take_while(move |it| *it.message.receiver == *receiver)
    }
}
