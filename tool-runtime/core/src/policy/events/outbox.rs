//! Leases events to the program that sends them, and lists those that were not delivered.

use std::time::Duration;

use uuid::Uuid;

use super::announcer::EventAnnouncer;
use crate::log::log_event;
use crate::policy::store_client::{STORE_TIMEOUT, StoreClient, log_store_error};
use crate::runtime::Runtime;
use crate::store::{
    AttemptResult, DeadReason, LeasedMessage, OutboxStore, StoreError, StoreErrorKind,
    StoredMessage, UnixMillis,
};

/// The delay after which an event that no key opens is leased again, and the failures after which its delivery ends.
const UNREADABLE_DELAY: Duration = Duration::from_secs(10 * 60);
const MAX_UNREADABLE: u32 = 144;

/// The events of a runtime that wait for their delivery. [`Runtime::events`] returns it.
///
/// A sender leases events, delivers them, and settles each. Senders in any number of processes may share a receiver.
#[derive(Debug, Clone, Copy)]
pub struct Events<'r>(&'r Runtime);

/// An event that is leased to this sender.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventDelivery {
    /// The event's id, the same in each attempt and for each receiver.
    pub id: Uuid,
    /// The receiver's name.
    pub receiver: Box<str>,
    /// The tenant of the event.
    pub tenant: Uuid,
    /// The attempts that have failed.
    pub failures: u32,
    /// The event as JSON: `{"type":"approval.requested","timestamp":"…","data":{…}}`.
    pub body: String,
    lease: u32,
}

/// An event whose delivery has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndeliveredEvent {
    /// The event's id.
    pub id: Uuid,
    /// The tenant of the event.
    pub tenant: Uuid,
    /// The reason.
    pub reason: DeadReason,
    /// The attempts that have failed.
    pub failures: u32,
    /// The time until which it is stored.
    pub stored_until: UnixMillis,
    /// The event as JSON; none if no key of the ring opens it.
    pub body: Option<String>,
}

impl Runtime {
    /// Returns the events that wait for their delivery to the receivers of [`Policy::event_receiver`].
    ///
    /// [`Policy::event_receiver`]: crate::policy::Policy::event_receiver
    #[must_use]
    pub fn events(&self) -> Events<'_> {
        Events(self)
    }
}

impl Events<'_> {
    /// Leases events of a receiver that are due, at most `limit`. An event that is not settled within `lease` is due
    /// again.
    ///
    /// A ticket that was not decided in time ends as expired here, before the event of its expiry is leased.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn lease(
        &self,
        receiver: &str,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<EventDelivery>, StoreError> {
        let (stores, now) = (self.stores(), self.stores().now());
        let leased = stores.outbox()?.lease_messages(receiver, now, now.after(lease), limit);
        let leased = stores.call(STORE_TIMEOUT, leased).await?;
        let mut deliveries = Vec::with_capacity(leased.len());
        for LeasedMessage { message, lease, failures } in leased {
            let body = self.announcer().open(&message);
            let delivery = EventDelivery {
                id: message.id,
                receiver: message.receiver,
                tenant: message.tenant,
                failures,
                body: body.clone().unwrap_or_default(),
                lease,
            };
            if body.is_some() {
                deliveries.push(delivery);
            } else {
                self.put_back_unreadable(&delivery).await;
            }
        }
        Ok(deliveries)
    }

    /// Makes an event due again that no key of this process's ring opens: another process may have the key.
    async fn put_back_unreadable(&self, event: &EventDelivery) {
        let (id, receiver, failures) = (event.id, &event.receiver, event.failures);
        log_event!(warn, target: "tool_runtime::policy", event = %id, %receiver, failures,
            "an event cannot be read: the key that sealed it is not on the ring");
        let settled = if failures < MAX_UNREADABLE {
            self.retry(event, UNREADABLE_DELAY).await
        } else {
            self.give_up(event, DeadReason::Unreadable).await
        };
        if let Err(error) = settled {
            log_store_error("an event that cannot be read was not settled", &error);
        }
    }

    /// Deletes an event that the receiver has. Returns false if the event was leased again.
    ///
    /// # Errors
    /// Returns the store's error; the event is due again when its lease ends.
    pub async fn delivered(&self, event: &EventDelivery) -> Result<bool, StoreError> {
        self.settle(event, AttemptResult::Delivered).await
    }

    /// Counts a failure, and makes an event due again after a delay. Returns false if the event was leased again.
    ///
    /// # Errors
    /// Returns the store's error; the event is due again when its lease ends.
    pub async fn retry(&self, event: &EventDelivery, after: Duration) -> Result<bool, StoreError> {
        let at = self.stores().now().after(after);
        let failures = event.failures.saturating_add(1);
        self.settle(event, AttemptResult::Retry { at, failures }).await
    }

    /// Ends the delivery of an event, which stays listed. Returns false if the event was leased again.
    ///
    /// # Errors
    /// Returns the store's error; the event is due again when its lease ends.
    pub async fn give_up(
        &self,
        event: &EventDelivery,
        reason: DeadReason,
    ) -> Result<bool, StoreError> {
        self.settle(event, AttemptResult::Dead(reason)).await
    }

    /// Lists the events of a receiver whose delivery has ended, at most `limit`, the oldest first, from the first after
    /// `after`.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn undelivered(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<UndeliveredEvent>, StoreError> {
        let stores = self.stores();
        let dead = stores.outbox()?.dead_messages(receiver, after, limit);
        let dead = stores.call(STORE_TIMEOUT, dead).await?;
        let undelivered = dead.into_iter().filter_map(|stored| {
            let StoredMessage { message, failures, dead, leases: _ } = stored;
            Some(UndeliveredEvent {
                id: message.id,
                tenant: message.tenant,
                reason: dead?,
                failures,
                stored_until: message.delete_at,
                body: self.announcer().open(&message),
            })
        });
        Ok(undelivered.collect())
    }

    /// Makes an undelivered event due again, without failures; false if there is no such event.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn redeliver(&self, receiver: &str, id: Uuid) -> Result<bool, StoreError> {
        let (stores, now) = (self.stores(), self.stores().now());
        let requeue = stores.outbox()?.requeue_message(receiver, id, now);
        let is_requeued = stores.call(STORE_TIMEOUT, requeue).await?;
        self.announcer().notify(usize::from(is_requeued));
        Ok(is_requeued)
    }

    /// Announces that the ledger has failed its verification: `fault` is a text for a person.
    ///
    /// The HTTP interface does so when it is asked to verify the ledger; call it where your program verifies the ledger
    /// itself.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn announce_damaged_ledger(&self, fault: &str) -> Result<(), StoreError> {
        let batch = self.announcer().damaged_ledger(fault);
        self.announcer().try_announce(batch, STORE_TIMEOUT).await
    }

    /// Returns a future that is ready once this process has stored further events. Events of other processes, and those
    /// that become due with time, do not wake it.
    pub fn stored(&self) -> impl Future<Output = ()> + Send + use<> {
        self.announcer().listen()
    }

    async fn settle(
        &self,
        event: &EventDelivery,
        result: AttemptResult,
    ) -> Result<bool, StoreError> {
        let stores = self.stores();
        let EventDelivery { receiver, id, lease, .. } = event;
        let settle = stores.outbox()?.settle_message(receiver, *id, *lease, result);
        stores.call(STORE_TIMEOUT, settle).await
    }

    fn stores(&self) -> &StoreClient {
        &self.0.policy_state().stores
    }

    fn announcer(&self) -> &EventAnnouncer {
        &self.0.policy_state().events
    }
}

impl StoreClient {
    /// Returns the outbox that is stored beside the tickets.
    ///
    /// # Errors
    /// Returns an error if the store has none.
    pub fn outbox(&self) -> Result<&dyn OutboxStore, StoreError> {
        let missing = || StoreError::new(StoreErrorKind::ReadOnly, "the store has no outbox");
        self.tickets.outbox().ok_or_else(missing)
    }
}
