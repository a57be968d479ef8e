//! Tickets in SQLite.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{
    OutboxStore, StoreError, TicketEnd, TicketQuota, TicketStore, UnixMillis, WaitingTicket,
};
use uuid::Uuid;

use super::SqliteStore;
use super::columns::{time, uuid};
use super::outbox::ticket_ended;
use super::writer::JobKind;

/// A ticket that exists already is not changed: it may have ended since.
const PUT: &str = "
    INSERT INTO tickets (id, tenant, conversation, payload, expires_at, ended, holder)
    VALUES (:id, :tenant, :conversation, :payload, :expires_at, :ended, :holder)
    ON CONFLICT (id) DO NOTHING";

const FIND: &str = "
    SELECT id, tenant, conversation, payload, expires_at, ended, holder FROM tickets
    WHERE id = :id";

/// Counts up to the quota only. A payload's length is read without the payload.
// The quota is per caller, so that waiting calls of one caller refuse no other.
const COUNT_WAITING: &str = "
    SELECT count(*) AS tickets, coalesce(sum(bytes), 0) AS bytes FROM (
        SELECT length(payload) AS bytes FROM tickets
        WHERE tenant = :tenant AND holder = :holder AND ended IS NULL AND expires_at > :now
        LIMIT :limit)";

const WAITING: &str = "
    SELECT id, tenant, conversation, payload, expires_at, ended, holder FROM tickets
    WHERE tenant = :tenant AND ended IS NULL AND id > :after AND expires_at > :now
    ORDER BY id LIMIT :limit";

const ENDED: &str = "SELECT ended FROM tickets WHERE id = :id";

const END: &str = "UPDATE tickets SET ended = :ended WHERE id = :id";

const SUPERSEDE: &str = "
    UPDATE tickets SET ended = :ended
    WHERE tenant = :tenant AND conversation = :conversation AND ended IS NULL
    RETURNING id";

const SWEEP: &str = "
    DELETE FROM tickets WHERE rowid IN (
        SELECT rowid FROM tickets WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)
    RETURNING id, ended";

#[async_trait]
impl TicketStore for SqliteStore {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        self.queue.run(JobKind::Write, move |connection| put(connection, &ticket)).await
    }

    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let put = move |connection: &Connection| put_within(connection, &ticket, quota, now);
        self.queue.run(JobKind::Write, put).await
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        let find = move |connection: &Connection| {
            connection
                .prepare_cached(FIND)?
                .query_row(named_params! { ":id": id.as_bytes() }, ticket)
                .optional()
        };
        self.queue.run(JobKind::Read, find).await
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        self.queue.run(JobKind::Write, move |connection| end_once(connection, id, end)).await
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let list = move |connection: &Connection| {
            let parameters = named_params! {
                ":tenant": tenant.as_bytes(),
                // Every id is greater than the empty blob.
                ":after": after.as_ref().map_or(&[][..], |id| id.as_bytes()),
                ":now": timestamp(now),
                ":limit": count(limit),
            };
            connection.prepare_cached(WAITING)?.query_map(parameters, ticket)?.collect()
        };
        self.queue.run(JobKind::Read, list).await
    }

    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        let conversation: Box<str> = conversation.into();
        let supersede = move |connection: &Connection| {
            let parameters = named_params! {
                ":tenant": tenant.as_bytes(),
                ":conversation": conversation,
                ":ended": number(TicketEnd::Superseded),
            };
            let superseded: Vec<Uuid> = connection
                .prepare_cached(SUPERSEDE)?
                .query_map(parameters, |row| uuid(row, "id"))?
                .collect::<rusqlite::Result<_>>()?;
            for ticket in &superseded {
                ticket_ended(connection, *ticket, TicketEnd::Superseded)?;
            }
            Ok(superseded.len())
        };
        self.queue.run(JobKind::Write, supersede).await
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            let parameters = named_params! { ":now": timestamp(now), ":limit": count(limit) };
            let swept_tickets: Vec<(Uuid, Option<i64>)> = connection
                .prepare_cached(SWEEP)?
                .query_map(parameters, |row| Ok((uuid(row, "id")?, row.get("ended")?)))?
                .collect::<rusqlite::Result<_>>()?;
            for (ticket, end) in &swept_tickets {
                let end = end.map_or(Ok(TicketEnd::Expired), end_from)?;
                ticket_ended(connection, *ticket, end)?;
            }
            Ok(swept_tickets.len())
        };
        self.queue.run(JobKind::Write, sweep).await
    }

    fn outbox(&self) -> Option<&dyn OutboxStore> {
        Some(self)
    }
}

pub(super) fn is_stored(connection: &Connection, id: Uuid) -> rusqlite::Result<bool> {
    connection.prepare_cached(ENDED)?.exists(named_params! { ":id": id.as_bytes() })
}

fn put(connection: &Connection, ticket: &WaitingTicket) -> rusqlite::Result<()> {
    let put = connection.prepare_cached(PUT)?.execute(named_params! {
        ":id": ticket.id.as_bytes(),
        ":tenant": ticket.tenant.as_bytes(),
        ":conversation": ticket.conversation,
        ":payload": ticket.payload,
        ":expires_at": timestamp(ticket.expires_at),
        ":ended": ticket.end.map(number),
        ":holder": ticket.caller,
    });
    put.map(drop)
}

pub(super) fn put_within(
    connection: &Connection,
    ticket: &WaitingTicket,
    quota: TicketQuota,
    now: UnixMillis,
) -> rusqlite::Result<bool> {
    let is_kept = is_stored(connection, ticket.id)?;
    let quota_parameters = named_params! {
        ":tenant": ticket.tenant.as_bytes(),
        ":holder": ticket.caller,
        ":now": timestamp(now),
        ":limit": count(quota.tickets),
    };
    let (tickets, bytes): (i64, i64) = connection
        .prepare_cached(COUNT_WAITING)?
        .query_row(quota_parameters, |row| Ok((row.get("tickets")?, row.get("bytes")?)))?;
    let [tickets, bytes] = [tickets, bytes]
        .map(|quota_parameters| usize::try_from(quota_parameters).unwrap_or(usize::MAX));
    if !is_kept && !quota.admits(tickets, bytes, ticket.payload.len()) {
        return Ok(false);
    }
    put(connection, ticket).map(|()| true)
}

pub(super) fn end_once(
    connection: &Connection,
    id: Uuid,
    end: TicketEnd,
) -> rusqlite::Result<Option<TicketEnd>> {
    let (ticket, id) = (id, id.as_bytes());
    let stored_end: Option<Option<i64>> = connection
        .prepare_cached(ENDED)?
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    match stored_end {
        None => Ok(Some(TicketEnd::Expired)),
        Some(Some(earlier)) => end_from(earlier).map(Some),
        Some(None) => {
            let parameters = named_params! { ":id": id, ":ended": number(end) };
            connection.prepare_cached(END)?.execute(parameters)?;
            ticket_ended(connection, ticket, end)?;
            Ok(None)
        }
    }
}

pub(super) fn ticket(row: &Row<'_>) -> rusqlite::Result<WaitingTicket> {
    let end: Option<i64> = row.get("ended")?;
    Ok(WaitingTicket {
        id: uuid(row, "id")?,
        tenant: uuid(row, "tenant")?,
        conversation: row.get("conversation")?,
        payload: row.get("payload")?,
        expires_at: time(row, "expires_at")?,
        end: end.map(end_from).transpose()?,
        caller: row.get("holder")?,
    })
}

pub(super) fn number(end: TicketEnd) -> i64 {
    match end {
        TicketEnd::Used => 0,
        TicketEnd::Declined => 1,
        TicketEnd::Superseded => 2,
        TicketEnd::Expired => 3,
    }
}

pub(super) fn end_from(number: i64) -> rusqlite::Result<TicketEnd> {
    match number {
        0 => Ok(TicketEnd::Used),
        1 => Ok(TicketEnd::Declined),
        2 => Ok(TicketEnd::Superseded),
        3 => Ok(TicketEnd::Expired),
        other => Err(rusqlite::Error::IntegralValueOutOfRange(0, other)),
    }
}
