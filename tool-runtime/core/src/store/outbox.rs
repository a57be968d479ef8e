//! Stores messages to other systems, in the transaction of what they report.

use async_trait::async_trait;
use uuid::Uuid;

use super::{StoreError, TicketEnd, TicketQuota, TicketStore, UnixMillis, WaitingTicket};

/// Stores messages until they are delivered, in the same place as tickets: a transactional outbox.
///
/// A message is stored with the change that it reports, both in one atomic operation. A sender leases it, delivers it,
/// and then settles the attempt. A sender that dies settles nothing, and the message is due again when the lease ends:
/// it is delivered at least once, and each time under the same id.
///
/// A message may [follow](OutboxMessage::follows) the end of a ticket:
///
/// | the ticket | its messages |
/// | --- | --- |
/// | waits | are not leased |
/// | ends as the message says | are due at once |
/// | ends otherwise | are deleted |
/// | still waits when a message of its expiry is due | ends as expired, before the message is leased |
/// | is swept while it waits | has expired |
///
/// That holds for the operations of [`TicketStore`] too. The payloads are encrypted; a
/// backend cannot read them. `testing::conformance::outbox` tests a backend.
#[async_trait]
pub trait OutboxStore: TicketStore {
    /// Stores a ticket as [`put_ticket_within`](TicketStore::put_ticket_within) does, and messages with it. Nothing is
    /// stored if the quota has no room; if the ticket is stored already, no messages are added.
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError>;

    /// Ends a ticket as [`end_ticket`](TicketStore::end_ticket) does, and stores messages if this end is the one that
    /// counts.
    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError>;

    /// Stores messages. One that is stored already stays as it is.
    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError>;

    /// Leases messages of a receiver that are due at `now`, at most `limit`: those that are due for the longest time.
    /// Until `lease_until` they are not due.
    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError>;

    /// Ends an attempt. Returns false, and nothing changes, if the message was leased again. One that does not exist or
    /// is dead has been settled: true, and nothing changes.
    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError>;

    /// Lists the dead messages of a receiver, at most `limit`, in the order of their ids from the first after `after`.
    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError>;

    /// Makes a dead message due at `now`, without failures; false if there is no such dead message.
    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// Deletes messages whose time is over, delivered or not, at most `limit`; returns how many.
    async fn sweep_messages(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError>;
}

/// Messages that are stored together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct OutboxBatch {
    /// The messages.
    pub messages: Vec<OutboxMessage>,
    /// The most messages of one tenant to one receiver that may wait for their delivery. One beyond is stored as dead
    /// ([`DeadReason::QueueFull`]); if as many again are dead, it is not stored. Messages that follow the end of a ticket
    /// are not counted.
    pub max_queued: usize,
}

/// A message for one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct OutboxMessage {
    /// The id of the event that it reports. The messages to several receivers have the same.
    pub id: Uuid,
    /// The receiver's name.
    pub receiver: Box<str>,
    /// The tenant.
    pub tenant: Uuid,
    /// The end of a ticket that it follows; none for a message that is due whatever happens.
    pub follows: Option<FollowedTicket>,
    /// The sealed message.
    pub payload: Vec<u8>,
    /// The time from which it is due. Of a message that follows the expiry of a ticket, the time from which the waiting
    /// ticket ends as expired; of one that follows another end, without meaning.
    pub due_at: UnixMillis,
    /// The time from which it may be swept.
    pub delete_at: UnixMillis,
}

/// The end of a ticket that a message follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct FollowedTicket {
    /// The ticket.
    pub ticket: Uuid,
    /// The end.
    pub end: TicketEnd,
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct StoredMessage {
    /// The message.
    pub message: OutboxMessage,
    /// The number of its leases.
    pub leases: u32,
    /// The attempts that have failed, as their senders have settled them.
    pub failures: u32,
    /// The reason for the end of its delivery, if it is dead.
    pub dead: Option<DeadReason>,
}

/// A message that this sender alone delivers until its lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct LeasedMessage {
    /// The message. Its time is the end of the lease.
    pub message: OutboxMessage,
    /// The number of the lease, which only grows.
    pub lease: u32,
    /// The attempts that have failed.
    pub failures: u32,
}

/// The result of an attempt to deliver a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a store that does not know a result does not compile")]
pub enum AttemptResult {
    /// The receiver has the message: it is deleted.
    Delivered,
    /// The attempt has failed: the message is due again.
    Retry {
        /// The time from which it is due.
        at: UnixMillis,
        /// The attempts that have failed, with this one.
        failures: u32,
    },
    /// Its delivery has ended. It stays listed until it is swept.
    Dead(DeadReason),
}

/// The reason for the end of a message's delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "a store that does not know a reason does not compile")]
pub enum DeadReason {
    /// Too many messages of the receiver waited for their delivery.
    QueueFull,
    /// All attempts failed.
    AttemptsExhausted,
    /// The receiver wants no more messages.
    Gone,
    /// No key of the ring opens it.
    Unreadable,
}

impl DeadReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 4] =
        [Self::QueueFull, Self::AttemptsExhausted, Self::Gone, Self::Unreadable];

    /// Returns the number of the reason, by which stores keep it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Finds the reason with a number.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }

    /// Returns the reason's name: `queue_full`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::AttemptsExhausted => "attempts_exhausted",
            Self::Gone => "gone",
            Self::Unreadable => "unreadable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DeadReason;

    #[test]
    fn a_reason_is_found_by_its_number() {
        for reason in DeadReason::ALL {
            assert_eq!(DeadReason::from_number(reason.number().into()), Some(reason));
        }
        assert_eq!((DeadReason::from_number(-1), DeadReason::from_number(4)), (None, None));
    }
}
