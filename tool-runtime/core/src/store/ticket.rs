//! Stores calls that wait for a decision, independently of the process that opened them.

use async_trait::async_trait;
use uuid::Uuid;

use super::{OutboxStore, StoreError, UnixMillis};

/// Stores waiting calls by the ids of their tickets, and lets each ticket be used once.
///
/// The payloads are encrypted; a backend cannot read them. `testing::conformance::tickets` tests a
/// backend.
#[async_trait]
pub trait TicketStore: Send + Sync + 'static {
    /// Stores a new ticket. If its id is stored already, nothing changes, so that the operation
    /// may be repeated after an error.
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError>;

    /// Stores a new ticket, if its caller's tickets that wait at `now` leave room in the quota;
    /// else returns false and stores nothing. If its id is stored already, returns true.
    ///
    /// The default implementation ignores the quota, and stores every ticket.
    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let _ = (quota, now);
        self.put_ticket(ticket).await.map(|()| true)
    }

    /// Finds a ticket, waiting or ended, until it is swept.
    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError>;

    /// Ends a ticket, and returns how it had ended before: only one caller gets `Ok(None)`, and
    /// its end counts. A ticket that does not exist has ended as [`TicketEnd::Expired`].
    ///
    /// The caller checks the expiry: until it is swept, an expired ticket can be ended.
    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError>;

    /// Lists the tickets of a tenant that wait at `now`, at most `limit`, in the order of their ids
    /// from the first after `after`. Ids begin with their time of issue, so that the oldest come
    /// first.
    ///
    /// Ended and expired tickets are not listed, swept or not.
    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError>;

    /// Ends all waiting tickets of a tenant's conversation as superseded; returns how many.
    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError>;

    /// Deletes expired tickets, at most `limit`; returns how many.
    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError>;

    /// Returns the outbox, whose messages are stored with the tickets; none if the backend has none.
    fn outbox(&self) -> Option<&dyn OutboxStore> {
        None
    }
}

/// A ticket with its sealed call, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingTicket {
    /// The ticket's id.
    pub id: Uuid,
    /// The tenant.
    pub tenant: Uuid,
    /// The session, run or trace; a newer message of the user ends its waiting tickets.
    pub conversation: Box<str>,
    /// The sealed call.
    pub payload: Vec<u8>,
    /// The time of expiry, from which it may be swept.
    pub expires_at: UnixMillis,
    /// The end of the ticket, if it has ended.
    pub end: Option<TicketEnd>,
    /// The caller whose quota it counts against: a service's or a user's name.
    pub caller: Box<str>,
}

/// The quota of one caller's waiting tickets in one tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TicketQuota {
    /// The most tickets that may wait.
    pub tickets: usize,
    /// The most bytes of their payloads together.
    pub bytes: usize,
}

impl TicketQuota {
    /// Creates a quota of tickets, and of the bytes of their payloads.
    #[must_use]
    pub const fn new(tickets: usize, bytes: usize) -> Self {
        Self { tickets, bytes }
    }

    /// Returns whether the quota has room for one more payload, in addition to the waiting ones.
    #[must_use]
    pub const fn admits(self, waiting: usize, bytes: usize, more: usize) -> bool {
        waiting < self.tickets && bytes.saturating_add(more) <= self.bytes
    }
}

impl WaitingTicket {
    /// Creates a waiting ticket.
    pub fn new(
        id: Uuid,
        tenant: Uuid,
        conversation: impl Into<Box<str>>,
        payload: Vec<u8>,
        expires_at: UnixMillis,
    ) -> Self {
        let (conversation, caller) = (conversation.into(), Box::default());
        Self { id, tenant, conversation, payload, expires_at, end: None, caller }
    }

    /// Sets the caller whose quota it counts against.
    #[must_use]
    pub fn with_quota_owner(mut self, caller: impl Into<Box<str>>) -> Self {
        self.caller = caller.into();
        self
    }
}

/// The end of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TicketEnd {
    /// The call was approved and run.
    Used,
    /// A person declined the call.
    Declined,
    /// A newer message of the user replaced the call.
    Superseded,
    /// The ticket was not decided in time, or does not exist.
    Expired,
}
