//! Tickets in PostgreSQL.

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    OutboxBatch, OutboxStore, StoreError, TicketEnd, TicketQuota, TicketStore, UnixMillis,
    WaitingTicket,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, time};
use crate::database::{Database, RowScope};
use crate::error::damaged;
use crate::outbox;
use crate::statement::{Statement, must_have_no_nul};

const PUT: &str = r#"
    INSERT INTO "SCHEMA".tickets (id, tenant, conversation, caller, payload, expires_at, ended)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO NOTHING
    RETURNING id"#;

/// Inserts a ticket if its caller's waiting ones leave room, and its messages with it. One row: it is stored, now or
/// already.
const PUT_WITHIN: &str = r#"
    WITH stored AS (
        SELECT id FROM "SCHEMA".tickets WHERE id = $1
    ), waiting AS (
        SELECT count(*) AS tickets, coalesce(sum(octet_length(payload)), 0) AS bytes
        FROM "SCHEMA".tickets
        WHERE tenant = $2 AND hashtextextended(caller, 0) = hashtextextended($4, 0) AND caller = $4 AND ended IS NULL AND expires_at > $8
    ), inserted AS (
        INSERT INTO "SCHEMA".tickets (id, tenant, conversation, caller, payload, expires_at, ended)
        SELECT $1, $2, $3, $4, $5, $6, $7 FROM waiting
        WHERE NOT EXISTS (SELECT FROM stored)
            AND waiting.tickets < $9 AND waiting.bytes + octet_length($5) <= $10
        ON CONFLICT (id) DO NOTHING
        RETURNING id, "SCHEMA".put_messages($11, $12, $13, $14, $15, $16, $17, $18, $19) AS messages
    )
    SELECT id, 0 AS messages FROM stored UNION ALL SELECT id, messages FROM inserted"#;

const FIND: &str = r#"
    SELECT id, tenant, conversation, caller, payload, expires_at, ended
    FROM "SCHEMA".tickets WHERE id = $1"#;

/// One row if the ticket waited. The messages are inserted only then.
const END: &str = r#"
    SELECT CASE WHEN "SCHEMA".end_ticket($1, $2) THEN "SCHEMA".put_messages($3, $4, $5, $6, $7, $8, $9, $10, $11) END
        AS messages"#;

const ENDED: &str = r#"SELECT ended FROM "SCHEMA".tickets WHERE id = $1"#;

const WAITING: &str = r#"
    SELECT id, tenant, conversation, caller, payload, expires_at, ended
    FROM "SCHEMA".tickets
    WHERE tenant = $1 AND ended IS NULL AND id > $2 AND expires_at > $3
    ORDER BY id LIMIT $4"#;

const SUPERSEDE: &str = r#"
    WITH superseded AS (
        UPDATE "SCHEMA".tickets SET ended = 2
        WHERE tenant = $1 AND hashtextextended(conversation, 0) = hashtextextended($2, 0) AND conversation = $2 AND ended IS NULL
        RETURNING id)
    SELECT count(*) AS tickets, "SCHEMA".tickets_ended(array_agg(id), array_agg(2::smallint)) FROM superseded"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT id FROM "SCHEMA".tickets WHERE expires_at <= $1
        ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED), swept AS (
        DELETE FROM "SCHEMA".tickets USING due WHERE tickets.id = due.id
        RETURNING tickets.id, coalesce(tickets.ended, 3::smallint) AS ended)
    SELECT count(*) AS tickets, "SCHEMA".tickets_ended(array_agg(id), array_agg(ended)) FROM swept"#;

#[async_trait]
impl TicketStore for PostgresStore {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        let scope = RowScope::Tenant(ticket.tenant);
        self.execute(scope, insertion_of_new(ticket)?).await.map(drop)
    }

    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let scope = RowScope::Tenant(ticket.tenant);
        let statements = insertion_within(ticket, quota, now, OutboxBatch::default())?;
        self.execute_all(scope, statements).await.map(|rows| rows > 0)
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        let statement = lookup(id);
        // The caller compares the tenant.
        let mut tickets = self.query(RowScope::AllTenants, statement, ticket).await?;
        Ok(tickets.pop())
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        self.end_ticket_with(id, end, OutboxBatch::default()).await
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let after = after.unwrap_or_default();
        let statement = Statement::new(WAITING).uuid(tenant).uuid(after).time(now).limit(limit);
        self.query(RowScope::Tenant(tenant), statement, ticket).await
    }

    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        must_have_no_nul(&[conversation])?;
        let statement = Statement::new(SUPERSEDE).uuid(tenant).text(conversation);
        self.count_of_tickets(RowScope::Tenant(tenant), statement).await
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let statement = Statement::new(SWEEP).time(now).limit(limit);
        self.count_of_tickets(RowScope::AllTenants, statement).await
    }

    fn outbox(&self) -> Option<&dyn OutboxStore> {
        Some(self)
    }
}

impl PostgresStore {
    /// Runs a statement that returns how many tickets it has changed.
    async fn count_of_tickets(
        &self,
        scope: RowScope,
        statement: Statement,
    ) -> Result<usize, StoreError> {
        let counts = self.query(scope, statement, |row| column::<i64>(row, "tickets")).await?;
        Ok(counts.first().map_or(0, |tickets| usize::try_from(*tickets).unwrap_or(usize::MAX)))
    }
}

/// Returns the statements that insert a ticket within its caller's quota, and messages if it is new. The last one has a
/// row if the ticket is stored.
pub(crate) fn insertion_within(
    ticket: WaitingTicket,
    quota: TicketQuota,
    now: UnixMillis,
    batch: OutboxBatch,
) -> Result<Vec<Statement>, StoreError> {
    must_have_no_nul(&[&ticket.conversation, &ticket.caller])?;
    let lock = caller_lock(ticket.tenant, &ticket.caller);
    let insert = insertion(PUT_WITHIN, ticket).time(now);
    let insert = insert.number(count(quota.tickets)).number(count(quota.bytes));
    Ok(vec![lock, outbox::bind(insert, batch)?])
}

/// Inserts a ticket that the store does not have.
pub(crate) fn insertion_of_new(ticket: WaitingTicket) -> Result<Statement, StoreError> {
    must_have_no_nul(&[&ticket.conversation, &ticket.caller])?;
    Ok(insertion(PUT, ticket))
}

pub(crate) fn lookup(id: Uuid) -> Statement {
    Statement::new(FIND).uuid(id)
}

fn insertion(sql: &'static str, ticket: WaitingTicket) -> Statement {
    Statement::new(sql)
        .uuid(ticket.id)
        .uuid(ticket.tenant)
        .text(&ticket.conversation)
        .text(&ticket.caller)
        .bytes(ticket.payload)
        .time(ticket.expires_at)
        .optional_small(ticket.end.map(number))
}

/// Makes the new tickets of one caller wait for each other, so that each counts all earlier ones.
fn caller_lock(tenant: Uuid, caller: &str) -> Statement {
    let scope = [tenant.as_bytes().as_slice(), caller.as_bytes()].concat();
    Statement::lock(&Digest::compute("tool-runtime/postgres/ticket-quota", &scope))
}

/// The end of a ticket, and the messages that report it.
pub(crate) struct EndedTicket {
    pub(crate) id: Uuid,
    pub(crate) end: TicketEnd,
    pub(crate) batch: OutboxBatch,
}

pub(crate) async fn end_once(
    database: &Database,
    ended: EndedTicket,
) -> Result<Option<TicketEnd>, StoreError> {
    let id = ended.id;
    let end = Statement::new(END).uuid(id).small(number(ended.end));
    let end = outbox::bind(end, ended.batch)?;
    let waited = |row: &Row| column::<Option<i64>>(row, "messages");
    let waited = database.rows(RowScope::AllTenants, &[end], waited).await?;
    if waited.iter().any(Option::is_some) {
        return Ok(None);
    }
    let read_end = |row: &Row| column::<Option<i16>>(row, "ended");
    let statement = Statement::new(ENDED).uuid(id);
    let mut ends = database.rows(RowScope::AllTenants, &[statement], read_end).await?;
    match ends.pop() {
        None => Ok(Some(TicketEnd::Expired)),
        Some(Some(earlier)) => end_from(earlier).map(Some),
        // A ticket that did not wait at the first statement does not wait at the second.
        Some(None) => Err(damaged("a ticket that has ended waits again")),
    }
}

pub(crate) fn ticket(row: &Row) -> Result<WaitingTicket, StoreError> {
    let end: Option<i16> = column(row, "ended")?;
    Ok(WaitingTicket {
        id: column(row, "id")?,
        tenant: column(row, "tenant")?,
        conversation: column(row, "conversation")?,
        payload: column(row, "payload")?,
        expires_at: time(row, "expires_at")?,
        end: end.map(end_from).transpose()?,
        caller: column(row, "caller")?,
    })
}

pub(crate) fn number(end: TicketEnd) -> i16 {
    match end {
        TicketEnd::Used => 0,
        TicketEnd::Declined => 1,
        TicketEnd::Superseded => 2,
        TicketEnd::Expired => 3,
    }
}

pub(crate) fn end_from(number: i16) -> Result<TicketEnd, StoreError> {
    match number {
        0 => Ok(TicketEnd::Used),
        1 => Ok(TicketEnd::Declined),
        2 => Ok(TicketEnd::Superseded),
        3 => Ok(TicketEnd::Expired),
        other => {
            Err(damaged(format!("a ticket has the end {other}, which the store does not write")))
        }
    }
}
