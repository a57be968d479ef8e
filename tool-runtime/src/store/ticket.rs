//! Calls that wait for a person, outside of the process that opened them.

use async_trait::async_trait;
use uuid::Uuid;

use super::{StoreError, UnixMillis};

/// Keeps what waits behind tickets, and lets each ticket be used once.
///
/// The payload is sealed before it gets here; a backend can read none of it.
/// `testing::conformance::tickets` tests a backend.
#[async_trait]
pub trait TicketStore: Send + Sync + 'static {
    /// Keeps what waits behind a new ticket. One whose id is kept already stays as it is, ended or
    /// not, so that this may be repeated after an error.
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError>;

    /// Keeps what waits behind a new ticket, if its holder's tickets that wait at `now` leave room for
    /// it; false, and nothing is kept, if they do not. One whose id is kept already answers true.
    ///
    /// A backend that does not implement it knows no shares, and keeps every ticket.
    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        share: TicketShare,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let _ = (share, now);
        self.put_ticket(ticket).await.map(|()| true)
    }

    /// Finds what waits behind a ticket, also one that has ended, until it is swept.
    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError>;

    /// Ends a ticket, and returns how it had ended before: `Ok(None)` tells the one caller whose
    /// ending counts. A ticket that does not exist has ended as [`TicketEnd::Expired`].
    ///
    /// Whether a ticket's time is over is the caller's to judge: until it is swept, it can be ended.
    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError>;

    /// Lists the tickets of a tenant that wait at `now`, at most `most`, in the order of their ids
    /// from the first after `after`. Ids begin with their moment, so that the oldest come first.
    ///
    /// What has ended waits no more, nor does what has expired, swept or not.
    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        most: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError>;

    /// Ends as overtaken whatever waits in a tenant's conversation; returns how many.
    async fn overtake_tickets(&self, tenant: Uuid, conversation: &str)
    -> Result<usize, StoreError>;

    /// Forgets tickets that have expired, at most `most`; returns how many.
    async fn sweep_tickets(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError>;
}

/// What waits behind a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingTicket {
    /// The ticket's id.
    pub id: Uuid,
    /// The tenant.
    pub tenant: Uuid,
    /// The session, run or trace that a newer message of the user overtakes.
    pub conversation: Box<str>,
    /// The sealed call.
    pub payload: Vec<u8>,
    /// When it may be forgotten.
    pub expires_at: UnixMillis,
    /// How it ended, if it has.
    pub end: Option<TicketEnd>,
    /// The caller whose share it counts against: a service's or a user's name.
    pub holder: Box<str>,
}

/// Bounds what the tickets of one holder in one tenant may come to while they wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TicketShare {
    /// How many may wait.
    pub tickets: usize,
    /// How many bytes their payloads may have together.
    pub bytes: usize,
}

impl TicketShare {
    /// Bounds the tickets, and the bytes of their payloads.
    #[must_use]
    pub const fn new(tickets: usize, bytes: usize) -> Self {
        Self { tickets, bytes }
    }

    /// Tells whether one more payload has room beside those that wait.
    pub(crate) const fn has_room(self, waiting: usize, bytes: usize, more: usize) -> bool {
        waiting < self.tickets && bytes.saturating_add(more) <= self.bytes
    }
}

impl WaitingTicket {
    /// Makes one that waits.
    pub fn new(
        id: Uuid,
        tenant: Uuid,
        conversation: impl Into<Box<str>>,
        payload: Vec<u8>,
        expires_at: UnixMillis,
    ) -> Self {
        let (conversation, holder) = (conversation.into(), Box::default());
        Self { id, tenant, conversation, payload, expires_at, end: None, holder }
    }

    /// Names the caller whose share it counts against.
    #[must_use]
    pub fn held_by(mut self, holder: impl Into<Box<str>>) -> Self {
        self.holder = holder.into();
        self
    }
}

/// How a ticket ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TicketEnd {
    /// A person approved, and the call was let run.
    Used,
    /// A person said no.
    Declined,
    /// A newer message of the user overtook it.
    Overtaken,
    /// Nobody decided in time, or it never was.
    Expired,
}
