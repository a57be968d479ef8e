//! The outbox in SQLite, whose messages are stored in the transaction of what they report.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{
    AttemptResult, DeadReason, FollowedTicket, LeasedMessage, OutboxBatch, OutboxMessage,
    OutboxStore, StoreError, StoredMessage, TicketEnd, TicketQuota, UnixMillis, WaitingTicket,
};
use uuid::Uuid;

use super::SqliteStore;
use super::columns::{time, uuid};
use super::tickets;
use super::writer::JobKind;

const PUT: &str = "
    INSERT INTO outbox (receiver, id, tenant, follows, ends, payload, leases, failures, due_at, delete_at, dead)
    VALUES (:receiver, :id, :tenant, :follows, :ends, :payload, 0, 0, :due_at, :delete_at, :dead)
    ON CONFLICT (receiver, id) DO NOTHING";

/// Counts up to the bound only.
const COUNT: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM outbox
        WHERE receiver = :receiver AND tenant = :tenant AND follows IS NULL AND (dead IS NULL) = :queued LIMIT :limit)";

const DELETE_OTHER_ENDS: &str = "DELETE FROM outbox WHERE follows = :ticket AND ends <> :ends";

const RELEASE_FOLLOWING: &str = "
    UPDATE outbox SET follows = NULL, ends = NULL, due_at = 0 WHERE follows = :ticket AND ends = :ends";

const EXPIRED_TICKETS: &str = "
    SELECT DISTINCT follows FROM outbox
    WHERE receiver = :receiver AND ends = 3 AND due_at <= :now LIMIT :limit";

const DELETE_FOLLOWING: &str = "DELETE FROM outbox WHERE follows = :ticket";

const DUE: &str = "
    SELECT * FROM outbox
    WHERE receiver = :receiver AND dead IS NULL AND due_at <= :now AND follows IS NULL
    ORDER BY due_at, id LIMIT :limit";

const LEASE: &str = "
    UPDATE outbox SET leases = leases + 1, due_at = :until WHERE receiver = :receiver AND id = :id";

const LEASES: &str = "SELECT leases, dead FROM outbox WHERE receiver = :receiver AND id = :id";

const DELETE: &str = "DELETE FROM outbox WHERE receiver = :receiver AND id = :id";

const RETRY: &str = "
    UPDATE outbox SET due_at = :due_at, failures = :failures WHERE receiver = :receiver AND id = :id";

const END: &str = "UPDATE outbox SET dead = :dead WHERE receiver = :receiver AND id = :id";

const DEAD: &str = "
    SELECT * FROM outbox WHERE receiver = :receiver AND dead IS NOT NULL AND id > :after
    ORDER BY id LIMIT :limit";

const REQUEUE: &str = "
    UPDATE outbox SET dead = NULL, failures = 0, due_at = :now
    WHERE receiver = :receiver AND id = :id AND dead IS NOT NULL";

const SWEEP: &str = "
    DELETE FROM outbox WHERE rowid IN (
        SELECT rowid FROM outbox WHERE delete_at <= :now ORDER BY delete_at LIMIT :limit)";

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        let put = move |connection: &Connection| {
            let was_stored = tickets::is_stored(connection, ticket.id)?;
            let is_stored = tickets::put_within(connection, &ticket, quota, now)?;
            if is_stored && !was_stored {
                put(connection, &batch)?;
            }
            Ok(is_stored)
        };
        self.queue.run(JobKind::Write, put).await
    }

    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let end = move |connection: &Connection| {
            let earlier_end = tickets::end_once(connection, id, end)?;
            if earlier_end.is_none() {
                put(connection, &batch)?;
            }
            Ok(earlier_end)
        };
        self.queue.run(JobKind::Write, end).await
    }

    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError> {
        self.queue.run(JobKind::Write, move |connection| put(connection, &batch)).await
    }

    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError> {
        let receiver: Box<str> = receiver.into();
        let lease =
            move |connection: &Connection| lease(connection, &receiver, now, lease_until, limit);
        self.queue.run(JobKind::Write, lease).await
    }

    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError> {
        let receiver: Box<str> = receiver.into();
        let settle =
            move |connection: &Connection| settle(connection, &receiver, id, lease, result);
        self.queue.run(JobKind::Write, settle).await
    }

    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let receiver: Box<str> = receiver.into();
        let list = move |connection: &Connection| {
            let parameters = named_params! {
                ":receiver": receiver,
                // Every id is greater than the empty blob.
                ":after": after.as_ref().map_or(&[][..], |id| id.as_bytes()),
                ":limit": count(limit),
            };
            connection.prepare_cached(DEAD)?.query_map(parameters, message)?.collect()
        };
        self.queue.run(JobKind::Read, list).await
    }

    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let receiver: Box<str> = receiver.into();
        let requeue = move |connection: &Connection| {
            let parameters = named_params! {
                ":receiver": receiver,
                ":id": id.as_bytes(),
                ":now": timestamp(now),
            };
            Ok(connection.prepare_cached(REQUEUE)?.execute(parameters)? > 0)
        };
        self.queue.run(JobKind::Write, requeue).await
    }

    async fn sweep_messages(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            connection
                .prepare_cached(SWEEP)?
                .execute(named_params! { ":now": timestamp(now), ":limit": count(limit) })
        };
        self.queue.run(JobKind::Write, sweep).await
    }
}

/// Makes the messages that follow this end of a ticket due, and deletes those of other ends.
pub(super) fn ticket_ended(
    connection: &Connection,
    ticket: Uuid,
    end: TicketEnd,
) -> rusqlite::Result<()> {
    for statement in [DELETE_OTHER_ENDS, RELEASE_FOLLOWING] {
        connection.prepare_cached(statement)?.execute(named_params! {
            ":ticket": ticket.as_bytes(),
            ":ends": tickets::number(end),
        })?;
    }
    Ok(())
}

fn put(connection: &Connection, batch: &OutboxBatch) -> rusqlite::Result<()> {
    let mut put = connection.prepare_cached(PUT)?;
    for message in &batch.messages {
        let follows = message.follows;
        let is_full = follows.is_none() && is_at_bound(connection, message, batch, true)?;
        if is_full && is_at_bound(connection, message, batch, false)? {
            continue;
        }
        put.execute(named_params! {
            ":receiver": message.receiver,
            ":id": message.id.as_bytes(),
            ":tenant": message.tenant.as_bytes(),
            ":follows": follows.as_ref().map(|follows| follows.ticket.as_bytes()),
            ":ends": follows.map(|follows| tickets::number(follows.end)),
            ":payload": message.payload,
            ":due_at": timestamp(message.due_at),
            ":delete_at": timestamp(message.delete_at),
            ":dead": is_full.then_some(DeadReason::QueueFull.number()),
        })?;
    }
    Ok(())
}

/// Returns whether the queued or the dead messages of a tenant to a receiver have reached their bound.
fn is_at_bound(
    connection: &Connection,
    message: &OutboxMessage,
    batch: &OutboxBatch,
    queued: bool,
) -> rusqlite::Result<bool> {
    let parameters = named_params! {
        ":receiver": message.receiver,
        ":tenant": message.tenant.as_bytes(),
        ":queued": queued,
        ":limit": count(batch.max_queued),
    };
    let messages: i64 =
        connection.prepare_cached(COUNT)?.query_row(parameters, |row| row.get(0))?;
    Ok(messages >= count(batch.max_queued))
}

fn lease(
    connection: &Connection,
    receiver: &str,
    now: UnixMillis,
    lease_until: UnixMillis,
    limit: usize,
) -> rusqlite::Result<Vec<LeasedMessage>> {
    let parameters = named_params! {
        ":receiver": receiver,
        ":now": timestamp(now),
        ":limit": count(limit),
    };
    let expired_tickets: Vec<Uuid> = connection
        .prepare_cached(EXPIRED_TICKETS)?
        .query_map(parameters, |row| uuid(row, "follows"))?
        .collect::<rusqlite::Result<_>>()?;
    for ticket in expired_tickets {
        match tickets::end_once(connection, ticket, TicketEnd::Expired)? {
            None => {}
            // It was ended by a program that knows no messages.
            Some(end) if tickets::is_stored(connection, ticket)? => {
                ticket_ended(connection, ticket, end)?;
            }
            Some(_) => {
                let ticket = named_params! { ":ticket": ticket.as_bytes() };
                connection.prepare_cached(DELETE_FOLLOWING)?.execute(ticket)?;
            }
        }
    }
    let parameters = named_params! {
        ":receiver": receiver,
        ":now": timestamp(now),
        ":limit": count(limit),
    };
    let due: Vec<StoredMessage> = connection
        .prepare_cached(DUE)?
        .query_map(parameters, message)?
        .collect::<rusqlite::Result<_>>()?;
    let mut lease = connection.prepare_cached(LEASE)?;
    let leased = due.into_iter().map(|StoredMessage { mut message, leases, failures, .. }| {
        lease.execute(named_params! {
            ":receiver": receiver,
            ":id": message.id.as_bytes(),
            ":until": timestamp(lease_until),
        })?;
        message.due_at = lease_until;
        Ok(LeasedMessage { message, lease: leases.saturating_add(1), failures })
    });
    leased.collect()
}

fn settle(
    connection: &Connection,
    receiver: &str,
    id: Uuid,
    lease: u32,
    result: AttemptResult,
) -> rusqlite::Result<bool> {
    let key = named_params! { ":receiver": receiver, ":id": id.as_bytes() };
    let leases: Option<(u32, Option<i64>)> = connection
        .prepare_cached(LEASES)?
        .query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match leases {
        None => return Ok(true),
        Some((leases, dead)) if leases != lease || dead.is_some() => return Ok(leases == lease),
        Some(_) => {}
    }
    match result {
        AttemptResult::Delivered => connection.prepare_cached(DELETE)?.execute(key)?,
        AttemptResult::Retry { at, failures } => {
            connection.prepare_cached(RETRY)?.execute(named_params! {
                ":receiver": receiver,
                ":id": id.as_bytes(),
                ":due_at": timestamp(at),
                ":failures": failures,
            })?
        }
        AttemptResult::Dead(reason) => connection.prepare_cached(END)?.execute(named_params! {
            ":receiver": receiver,
            ":id": id.as_bytes(),
            ":dead": reason.number(),
        })?,
    };
    Ok(true)
}

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<StoredMessage> {
    let follows: Option<[u8; 16]> = row.get("follows")?;
    let ends: Option<i64> = row.get("ends")?;
    let follows = follows.zip(ends).map(|(ticket, end)| {
        let end = tickets::end_from(end)?;
        Ok::<_, rusqlite::Error>(FollowedTicket { ticket: Uuid::from_bytes(ticket), end })
    });
    let dead: Option<i64> = row.get("dead")?;
    let reason = |number| {
        let unknown = rusqlite::Error::IntegralValueOutOfRange(0, number);
        DeadReason::from_number(number).ok_or(unknown)
    };
    Ok(StoredMessage {
        message: OutboxMessage {
            id: uuid(row, "id")?,
            receiver: row.get("receiver")?,
            tenant: uuid(row, "tenant")?,
            follows: follows.transpose()?,
            payload: row.get("payload")?,
            due_at: time(row, "due_at")?,
            delete_at: time(row, "delete_at")?,
        },
        leases: row.get("leases")?,
        failures: row.get("failures")?,
        dead: dead.map(reason).transpose()?,
    })
}
