//! The conformance suite of outboxes.

use futures::future::join_all;
use tool_runtime_core::store::{
    AttemptResult, DeadReason, FollowedTicket, LeasedMessage, OutboxBatch, OutboxMessage,
    OutboxStore, StoredMessage, TicketEnd, TicketQuota, UnixMillis, WaitingTicket,
};
use uuid::Uuid;

use super::samples::{CROWD, START, at, before, bytes, done};

/// Checks every promise of an [`OutboxStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn outbox(store: &dyn OutboxStore) {
    a_message_is_leased_as_it_was_put(&OutboxChecks::new(store)).await;
    a_message_is_leased_when_it_is_due(&OutboxChecks::new(store)).await;
    a_lease_takes_the_longest_due_first(&OutboxChecks::new(store)).await;
    a_message_has_one_sender(&OutboxChecks::new(store)).await;
    a_message_is_due_again_after_its_lease(&OutboxChecks::new(store)).await;
    only_the_last_attempt_settles(&OutboxChecks::new(store)).await;
    a_dead_message_is_listed_and_requeued(&OutboxChecks::new(store)).await;
    putting_a_message_again_changes_nothing(&OutboxChecks::new(store)).await;
    messages_beyond_the_bound_are_dead(&OutboxChecks::new(store)).await;
    messages_come_with_a_new_ticket_alone(&OutboxChecks::new(store)).await;
    messages_come_with_the_end_that_counts(&OutboxChecks::new(store)).await;
    messages_follow_the_end_of_their_ticket(&OutboxChecks::new(store)).await;
    a_ticket_expires_before_its_message_is_leased(&OutboxChecks::new(store)).await;
    a_ticket_is_decided_or_expires_never_both(&OutboxChecks::new(store)).await;
    a_message_is_swept_after_its_time(&OutboxChecks::new(store)).await;
}

/// The messages of a receiver that one check owns.
struct OutboxChecks<'a> {
    store: &'a dyn OutboxStore,
    tenant: Uuid,
    receiver: Box<str>,
}

/// The time for which messages are stored, in seconds after the start.
const STORED: u64 = 100_000;

impl<'a> OutboxChecks<'a> {
    fn new(store: &'a dyn OutboxStore) -> Self {
        let tenant = Uuid::now_v7();
        Self { store, tenant, receiver: format!("receiver-{tenant}").into() }
    }

    fn message(&self, due_at: UnixMillis) -> OutboxMessage {
        OutboxMessage {
            id: Uuid::now_v7(),
            receiver: self.receiver.clone(),
            tenant: self.tenant,
            follows: None,
            payload: b"sealed".to_vec(),
            due_at,
            delete_at: at(STORED),
        }
    }

    /// Makes a message for the end of a ticket that expires at the 100th second.
    fn following(&self, ticket: Uuid, end: TicketEnd) -> OutboxMessage {
        OutboxMessage { follows: Some(FollowedTicket { ticket, end }), ..self.message(at(100)) }
    }

    fn ticket(&self) -> WaitingTicket {
        let payload = b"sealed".to_vec();
        WaitingTicket::new(Uuid::now_v7(), self.tenant, "session-1", payload, at(100))
    }

    async fn put(&self, messages: Vec<OutboxMessage>) {
        done("put_messages", self.store.put_messages(batch(messages)).await);
    }

    /// Puts a message that is due.
    async fn put_one(&self) -> Uuid {
        let message = self.message(START);
        let id = message.id;
        self.put(vec![message]).await;
        id
    }

    /// Puts a ticket with messages that follow each of its ends; returns it with the id of the message of each end.
    async fn put_followed(&self) -> (Uuid, Vec<(TicketEnd, Uuid)>) {
        let ticket = self.ticket();
        let id = ticket.id;
        let messages: Vec<_> = ENDS.map(|end| self.following(id, end)).into();
        let ends = ENDS.into_iter().zip(messages.iter().map(|message| message.id)).collect();
        assert!(self.put_ticket(ticket, messages).await, "a ticket within its quota is stored");
        (id, ends)
    }

    async fn put_ticket(&self, ticket: WaitingTicket, messages: Vec<OutboxMessage>) -> bool {
        let quota = TicketQuota::new(1_000, 1 << 20);
        self.put_ticket_within(ticket, quota, messages).await
    }

    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        messages: Vec<OutboxMessage>,
    ) -> bool {
        let put = self.store.put_ticket_with(ticket, quota, START, batch(messages)).await;
        done("put_ticket_with", put)
    }

    async fn end(
        &self,
        id: Uuid,
        end: TicketEnd,
        messages: Vec<OutboxMessage>,
    ) -> Option<TicketEnd> {
        done("end_ticket_with", self.store.end_ticket_with(id, end, batch(messages)).await)
    }

    /// Leases for ten seconds.
    async fn lease(&self, now: UnixMillis, limit: usize) -> Vec<LeasedMessage> {
        let until = now.after(std::time::Duration::from_secs(10));
        let leased = self.store.lease_messages(&self.receiver, now, until, limit).await;
        done("lease_messages", leased)
    }

    async fn leased_ids(&self, now: UnixMillis) -> Vec<Uuid> {
        let mut ids: Vec<_> = self.lease(now, 1_000).await.iter().map(|it| it.message.id).collect();
        ids.sort_unstable();
        ids
    }

    async fn settle(&self, id: Uuid, lease: u32, result: AttemptResult) -> bool {
        let settled = self.store.settle_message(&self.receiver, id, lease, result).await;
        done("settle_message", settled)
    }

    async fn dead(&self, after: Option<Uuid>, limit: usize) -> Vec<StoredMessage> {
        done("dead_messages", self.store.dead_messages(&self.receiver, after, limit).await)
    }

    async fn requeue(&self, id: Uuid, now: UnixMillis) -> bool {
        done("requeue_message", self.store.requeue_message(&self.receiver, id, now).await)
    }

    async fn ticket_end(&self, id: Uuid) -> Option<TicketEnd> {
        done("find_ticket", self.store.find_ticket(id).await).and_then(|ticket| ticket.end)
    }
}

const NO_IDS: [Uuid; 0] = [];

const ENDS: [TicketEnd; 4] =
    [TicketEnd::Used, TicketEnd::Declined, TicketEnd::Superseded, TicketEnd::Expired];

fn batch(messages: Vec<OutboxMessage>) -> OutboxBatch {
    OutboxBatch { messages, max_queued: 1_000 }
}

async fn a_message_is_leased_as_it_was_put(outbox: &OutboxChecks<'_>) {
    for payload in bytes() {
        let message = OutboxMessage { payload, ..outbox.message(START) };
        outbox.put(vec![message.clone()]).await;
        let leased = outbox.lease(START, 1_000).await;
        let message = OutboxMessage { due_at: at(10), ..message };
        let length = message.payload.len();
        let id = message.id;
        let is_same = leased == [LeasedMessage { message, lease: 1, failures: 0 }];
        assert!(is_same, "a message is leased as it was put; {length} bytes came back changed");
        assert!(outbox.settle(id, 1, AttemptResult::Delivered).await, "its sender settles it");
    }
}

async fn a_message_is_leased_when_it_is_due(outbox: &OutboxChecks<'_>) {
    let message = outbox.message(at(5));
    let id = message.id;
    outbox.put(vec![message]).await;
    assert_eq!(
        outbox.leased_ids(before(at(5))).await,
        NO_IDS,
        "a message is not leased before its time"
    );
    let other = OutboxChecks::new(outbox.store);
    assert_eq!(other.leased_ids(at(5)).await, NO_IDS, "a message is for its receiver alone");
    assert_eq!(outbox.leased_ids(at(5)).await, [id], "a message is leased from its time on");
}

async fn a_lease_takes_the_longest_due_first(outbox: &OutboxChecks<'_>) {
    let messages: Vec<_> = [3, 1, 4, 2].map(|second| outbox.message(at(second))).into();
    let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    outbox.put(messages).await;
    let mut leased: Vec<_> = outbox.lease(at(9), 2).await.iter().map(|it| it.message.id).collect();
    leased.sort_unstable();
    assert_eq!(
        leased,
        [ids[1], ids[3]],
        "the messages that are due for the longest time come first"
    );
    assert_eq!(outbox.leased_ids(at(9)).await, [ids[0], ids[2]], "the others come next");
}

async fn a_message_has_one_sender(outbox: &OutboxChecks<'_>) {
    let id = outbox.put_one().await;
    let leases = join_all((0..CROWD).map(|_| outbox.leased_ids(START))).await;
    assert_eq!(leases.concat(), [id], "one of many senders leases a message");
}

async fn a_message_is_due_again_after_its_lease(outbox: &OutboxChecks<'_>) {
    let id = outbox.put_one().await;
    assert_eq!(outbox.leased_ids(START).await, [id]);
    assert_eq!(outbox.leased_ids(before(at(10))).await, NO_IDS, "a lease lasts until its end");
    let again = outbox.lease(at(10), 1).await;
    let attempts: Vec<_> = again.iter().map(|leased| (leased.message.id, leased.lease)).collect();
    assert_eq!(attempts, [(id, 2)], "a message that is not settled is due again after its lease");
    let retry = AttemptResult::Retry { at: at(50), failures: 1 };
    assert!(outbox.settle(id, 2, retry).await, "its sender settles it");
    assert!(outbox.settle(id, 2, retry).await, "a settlement may be repeated");
    assert_eq!(outbox.leased_ids(before(at(50))).await, NO_IDS, "a retry has a time");
    let again = outbox.lease(at(50), 1).await;
    let failures: Vec<_> = again.iter().map(|it| (it.message.id, it.lease, it.failures)).collect();
    assert_eq!(failures, [(id, 3, 1)], "a retry is due at its time, with its failures");
}

async fn only_the_last_attempt_settles(outbox: &OutboxChecks<'_>) {
    let id = outbox.put_one().await;
    outbox.lease(START, 1).await;
    outbox.lease(at(10), 1).await;
    let results = [
        AttemptResult::Delivered,
        AttemptResult::Retry { at: at(1), failures: 1 },
        AttemptResult::Dead(DeadReason::Gone),
    ];
    for result in results {
        assert!(!outbox.settle(id, 1, result).await, "an earlier attempt settles nothing");
    }
    assert_eq!(outbox.dead(None, 9).await, [], "an earlier attempt settles nothing");
    assert_eq!(outbox.leased_ids(at(15)).await, NO_IDS, "an earlier attempt settles nothing");
    assert!(outbox.settle(id, 2, AttemptResult::Delivered).await, "the last attempt settles");
    assert!(outbox.settle(id, 2, AttemptResult::Delivered).await, "a settlement may be repeated");
    assert_eq!(
        outbox.leased_ids(at(1_000)).await,
        NO_IDS,
        "a delivered message is not leased again"
    );
}

async fn a_dead_message_is_listed_and_requeued(outbox: &OutboxChecks<'_>) {
    let mut ids = Vec::new();
    for reason in DeadReason::ALL {
        let id = outbox.put_one().await;
        outbox.lease(START, 1).await;
        assert!(outbox.settle(id, 1, AttemptResult::Dead(reason)).await, "its sender settles it");
        let retry = AttemptResult::Retry { at: START, failures: 1 };
        assert!(outbox.settle(id, 1, retry).await, "a dead message has been settled");
        ids.push(id);
    }
    assert_eq!(outbox.leased_ids(at(1_000)).await, NO_IDS, "a dead message is not leased");
    let dead = outbox.dead(None, 9).await;
    let dead_messages: Vec<_> = dead.iter().map(|it| (it.message.id, it.dead, it.leases)).collect();
    let expected = ids.iter().zip(DeadReason::ALL).map(|(id, reason)| (*id, Some(reason), 1));
    assert_eq!(
        dead_messages,
        expected.collect::<Vec<_>>(),
        "dead messages are listed with their reasons"
    );
    let page = outbox.dead(Some(ids[0]), 2).await;
    let page: Vec<_> = page.iter().map(|stored| stored.message.id).collect();
    assert_eq!(page, ids[1..3], "dead messages are listed page by page");
    assert!(outbox.requeue(ids[1], at(2_000)).await, "a dead message is requeued");
    assert!(!outbox.requeue(ids[1], at(2_000)).await, "a queued message is not requeued");
    assert!(
        !outbox.requeue(Uuid::now_v7(), START).await,
        "a message that never was is not requeued"
    );
    assert_eq!(outbox.leased_ids(before(at(2_000))).await, NO_IDS, "a requeued message has a time");
    let again = outbox.lease(at(2_000), 9).await;
    let attempts: Vec<_> = again.iter().map(|leased| (leased.message.id, leased.lease)).collect();
    assert_eq!(attempts, [(ids[1], 2)], "the number of a lease only grows");
    assert_eq!(again[0].failures, 0, "a requeued message has no failures");
}

async fn putting_a_message_again_changes_nothing(outbox: &OutboxChecks<'_>) {
    let message = outbox.message(START);
    let id = message.id;
    outbox.put(vec![message.clone()]).await;
    outbox.lease(START, 1).await;
    let other = OutboxMessage { payload: b"other".to_vec(), due_at: at(1), ..message.clone() };
    outbox.put(vec![other]).await;
    assert_eq!(
        outbox.leased_ids(at(5)).await,
        NO_IDS,
        "a message that is put again keeps its lease"
    );
    let again = outbox.lease(at(10), 1).await;
    let payloads: Vec<_> = again.iter().map(|leased| &leased.message.payload).collect();
    assert_eq!(payloads, [&message.payload], "a message that is put again keeps its payload");
    let receiver = OutboxChecks::new(outbox.store);
    let copy = OutboxMessage { receiver: receiver.receiver.clone(), ..message };
    receiver.put(vec![copy]).await;
    assert_eq!(receiver.leased_ids(START).await, [id], "each receiver has a message of an event");
}

async fn messages_beyond_the_bound_are_dead(outbox: &OutboxChecks<'_>) {
    let (ticket, _) = outbox.put_followed().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let message = outbox.message(START);
        ids.push(message.id);
        let batch = OutboxBatch { messages: vec![message], max_queued: 2 };
        done("put_messages", outbox.store.put_messages(batch).await);
    }
    let other_tenant = OutboxChecks { tenant: Uuid::now_v7(), ..OutboxChecks::new(outbox.store) };
    let other_tenant = OutboxChecks { receiver: outbox.receiver.clone(), ..other_tenant };
    // The bound counts no other tenant's messages, in each of the operations that store messages.
    let (ticket_of_other, message) = (other_tenant.ticket(), other_tenant.message(START));
    let id_of_other = message.id;
    let quota = TicketQuota::new(1_000, 1 << 20);
    let batch = OutboxBatch { messages: vec![message], max_queued: 2 };
    let put = outbox.store.put_ticket_with(ticket_of_other, quota, START, batch).await;
    assert!(done("put_ticket_with", put), "a ticket within its quota is stored");
    let mut queued = ids[..2].to_vec();
    queued.push(id_of_other);
    assert_eq!(outbox.leased_ids(START).await, queued, "messages within the bound are queued");
    let dead = outbox.dead(None, 9).await;
    let dead: Vec<_> = dead.iter().map(|it| (it.message.id, it.dead, it.leases)).collect();
    let full = |id: &Uuid| (*id, Some(DeadReason::QueueFull), 0);
    let expected: Vec<_> = ids[2..4].iter().map(full).collect();
    assert_eq!(
        dead, expected,
        "as many messages beyond the bound are dead, and no more are stored"
    );
    assert!(outbox.settle(id_of_other, 1, AttemptResult::Delivered).await, "its sender settles it");
    assert!(outbox.settle(ids[0], 1, AttemptResult::Delivered).await, "its sender settles it");
    let message = outbox.message(at(20));
    let id = message.id;
    let batch = OutboxBatch { messages: vec![message], max_queued: 2 };
    done("put_messages", outbox.store.put_messages(batch).await);
    assert_eq!(outbox.leased_ids(at(20)).await, [ids[1], id], "a delivered message leaves room");
    outbox.end(ticket, TicketEnd::Used, Vec::new()).await;
}

async fn messages_come_with_a_new_ticket_alone(outbox: &OutboxChecks<'_>) {
    let (ticket, message) = (outbox.ticket(), outbox.message(START));
    let id = message.id;
    let none = TicketQuota::new(0, 0);
    let is_stored = outbox.put_ticket_within(ticket.clone(), none, vec![message.clone()]).await;
    assert!(!is_stored, "a ticket beyond its quota is not stored");
    assert_eq!(outbox.leased_ids(START).await, NO_IDS, "a ticket beyond its quota has no messages");
    assert!(outbox.put_ticket(ticket.clone(), vec![message]).await, "a ticket is stored");
    let again = outbox.message(START);
    assert!(outbox.put_ticket(ticket, vec![again]).await, "a stored ticket may be put again");
    assert_eq!(outbox.leased_ids(START).await, [id], "only a new ticket has messages");
}

async fn messages_come_with_the_end_that_counts(outbox: &OutboxChecks<'_>) {
    let ticket = outbox.ticket();
    let ticket_id = ticket.id;
    outbox.put_ticket(ticket, Vec::new()).await;
    let messages: Vec<_> = (0..CROWD).map(|_| outbox.message(START)).collect();
    let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    let ends = messages.into_iter().map(|it| outbox.end(ticket_id, TicketEnd::Declined, vec![it]));
    let ends = join_all(ends).await;
    let winners: Vec<_> = ends.iter().zip(&ids).filter(|(end, _)| end.is_none()).collect();
    assert_eq!(winners.len(), 1, "one of many ends a ticket");
    assert_eq!(outbox.leased_ids(START).await, [*winners[0].1], "only its message is stored");
    let never = outbox.end(Uuid::now_v7(), TicketEnd::Used, vec![outbox.message(START)]).await;
    assert_eq!(never, Some(TicketEnd::Expired), "a ticket that never was has expired");
    assert_eq!(outbox.leased_ids(START).await, NO_IDS, "a ticket that never was has no messages");
}

async fn messages_follow_the_end_of_their_ticket(outbox: &OutboxChecks<'_>) {
    for end in ENDS {
        let (ticket, messages) = outbox.put_followed().await;
        let expected: Vec<_> =
            messages.iter().filter(|(other, _)| *other == end).map(|(_, id)| *id).collect();
        assert_eq!(
            outbox.leased_ids(at(50)).await,
            NO_IDS,
            "a message waits for the end of its ticket"
        );
        if end == TicketEnd::Superseded {
            let superseded = outbox.store.supersede_tickets(outbox.tenant, "session-1").await;
            assert_eq!(done("supersede_tickets", superseded), 1, "a waiting ticket is superseded");
        } else {
            done("end_ticket", outbox.store.end_ticket(ticket, end).await);
        }
        assert_eq!(
            outbox.leased_ids(at(50)).await,
            expected,
            "the message of this end is due: {end:?}"
        );
        assert!(outbox.settle(expected[0], 1, AttemptResult::Delivered).await, "it is settled");
        assert_eq!(
            outbox.leased_ids(at(1_000)).await,
            NO_IDS,
            "those of other ends are deleted: {end:?}"
        );
    }
}

async fn a_ticket_expires_before_its_message_is_leased(outbox: &OutboxChecks<'_>) {
    let (ticket, messages) = outbox.put_followed().await;
    let (_, message) = messages[3];
    assert_eq!(
        outbox.leased_ids(before(at(100))).await,
        NO_IDS,
        "a message of an expiry has a time"
    );
    assert_eq!(outbox.ticket_end(ticket).await, None, "a ticket waits until it expires");
    assert_eq!(outbox.leased_ids(at(100)).await, [message], "the message of an expiry is leased");
    assert_eq!(outbox.ticket_end(ticket).await, Some(TicketEnd::Expired), "its ticket has ended");
    let late = outbox.end(ticket, TicketEnd::Used, vec![outbox.message(START)]).await;
    assert_eq!(late, Some(TicketEnd::Expired), "a ticket that has expired is not used");
    assert!(outbox.settle(message, 1, AttemptResult::Delivered).await, "it is settled");
    assert_eq!(outbox.leased_ids(at(1_000)).await, NO_IDS, "one message reports the end");

    let (_, messages) = outbox.put_followed().await;
    while done("sweep_tickets", outbox.store.sweep_tickets(at(100), 1_000).await) > 0 {}
    let expired = outbox.leased_ids(at(100)).await;
    assert_eq!(expired, [messages[3].1], "a ticket that was swept had expired");
}

async fn a_ticket_is_decided_or_expires_never_both(outbox: &OutboxChecks<'_>) {
    for _ in 0..CROWD {
        let (ticket, messages) = outbox.put_followed().await;
        let decided = outbox.message(START);
        let decided_id = decided.id;
        let end = outbox.end(ticket, TicketEnd::Used, vec![decided]);
        let (leased, end) = futures::join!(outbox.leased_ids(at(100)), end);
        let leased = [leased, outbox.leased_ids(at(100)).await].concat();
        let expected = match end {
            None => vec![messages[0].1, decided_id],
            Some(TicketEnd::Expired) => vec![messages[3].1],
            Some(other) => panic!("a ticket is used or expires; it is {other:?}"),
        };
        let mut leased = leased;
        leased.sort_unstable();
        assert_eq!(leased, expected, "only the end that counts is reported");
        for id in leased {
            assert!(outbox.settle(id, 1, AttemptResult::Delivered).await, "it is settled");
        }
    }
}

async fn a_message_is_swept_after_its_time(outbox: &OutboxChecks<'_>) {
    let (early, late) = (outbox.message(START), outbox.message(START));
    let early = OutboxMessage { delete_at: at(1_000), ..early };
    let ids = [early.id, late.id];
    outbox.put(vec![early, late]).await;
    outbox.put_followed().await;
    let sweep = async |now| loop {
        let swept = done("sweep_messages", outbox.store.sweep_messages(now, 1).await);
        assert!(swept <= 1, "a sweep deletes no more than it may");
        if swept == 0 {
            break;
        }
    };
    sweep(before(at(1_000))).await;
    assert_eq!(outbox.leased_ids(START).await, ids, "a message is stored for its time");
    sweep(at(1_000)).await;
    assert!(
        outbox.settle(ids[0], 1, AttemptResult::Dead(DeadReason::Gone)).await,
        "a swept message has been settled"
    );
    assert_eq!(outbox.dead(None, 9).await, [], "a swept message is gone");
    sweep(at(STORED)).await;
    assert_eq!(outbox.leased_ids(at(STORED)).await, NO_IDS, "a swept message is gone");
}
