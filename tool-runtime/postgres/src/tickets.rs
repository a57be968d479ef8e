//! Tickets in PostgreSQL.

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    StoreError, TicketEnd, TicketQuota, TicketStore, UnixMillis, WaitingTicket,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, time};
use crate::database::{Database, RowScope};
use crate::error::damaged;
use crate::statement::{Statement, must_have_no_nul};

const PUT: &str = r#"
    INSERT INTO "SCHEMA".tickets (id, tenant, conversation, caller, payload, expires_at, ended)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO NOTHING
    RETURNING id"#;

/// Inserts a ticket if its caller's waiting ones leave room. One row: it is stored, now or already.
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
        RETURNING id
    )
    SELECT id FROM stored UNION ALL SELECT id FROM inserted"#;

const FIND: &str = r#"
    SELECT id, tenant, conversation, caller, payload, expires_at, ended
    FROM "SCHEMA".tickets WHERE id = $1"#;

const END: &str = r#"
    UPDATE "SCHEMA".tickets SET ended = $2 WHERE id = $1 AND ended IS NULL RETURNING id"#;

const ENDED: &str = r#"SELECT ended FROM "SCHEMA".tickets WHERE id = $1"#;

const WAITING: &str = r#"
    SELECT id, tenant, conversation, caller, payload, expires_at, ended
    FROM "SCHEMA".tickets
    WHERE tenant = $1 AND ended IS NULL AND id > $2 AND expires_at > $3
    ORDER BY id LIMIT $4"#;

const SUPERSEDE: &str = r#"
    UPDATE "SCHEMA".tickets SET ended = 2
    WHERE tenant = $1 AND hashtextextended(conversation, 0) = hashtextextended($2, 0) AND conversation = $2 AND ended IS NULL
    RETURNING id"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT id FROM "SCHEMA".tickets WHERE expires_at <= $1
        ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".tickets USING due WHERE tickets.id = due.id
    RETURNING tickets.id"#;

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
        must_have_no_nul(&[&ticket.conversation, &ticket.caller])?;
        let scope = RowScope::Tenant(ticket.tenant);
        let statements = [
            caller_lock(ticket.tenant, &ticket.caller),
            insertion(PUT_WITHIN, ticket)
                .time(now)
                .number(count(quota.tickets))
                .number(count(quota.bytes)),
        ];
        self.execute_all(scope, statements.into()).await.map(|rows| rows > 0)
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        let statement = lookup(id);
        // The caller compares the tenant.
        let mut tickets = self.query(RowScope::AllTenants, statement, ticket).await?;
        Ok(tickets.pop())
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        let database = self.database.clone();
        self.database.run(async move { end_once(&database, id, end).await }).await
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
        self.execute(RowScope::Tenant(tenant), statement).await
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.execute(RowScope::AllTenants, Statement::new(SWEEP).time(now).limit(limit)).await
    }
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

async fn end_once(
    database: &Database,
    id: Uuid,
    end: TicketEnd,
) -> Result<Option<TicketEnd>, StoreError> {
    let statement = Statement::new(END).uuid(id).small(number(end));
    if database.count(RowScope::AllTenants, &[statement]).await? > 0 {
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

fn number(end: TicketEnd) -> i16 {
    match end {
        TicketEnd::Used => 0,
        TicketEnd::Declined => 1,
        TicketEnd::Superseded => 2,
        TicketEnd::Expired => 3,
    }
}

fn end_from(number: i16) -> Result<TicketEnd, StoreError> {
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
