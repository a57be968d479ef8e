//! The outbox in PostgreSQL, whose messages are stored in the transaction of what they report.

use async_trait::async_trait;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{
    AttemptResult, DeadReason, FollowedTicket, LeasedMessage, OutboxBatch, OutboxMessage,
    OutboxStore, StoreError, StoredMessage, TicketEnd, TicketQuota, UnixMillis, WaitingTicket,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, time};
use crate::database::RowScope;
use crate::error::damaged;
use crate::statement::{Statement, must_have_no_nul};
use crate::tickets;

const PUT: &str = r#"SELECT "SCHEMA".put_messages($1, $2, $3, $4, $5, $6, $7, $8, $9)"#;

const EXPIRE: &str = r#"SELECT "SCHEMA".expire_followed($1, $2, $3)"#;

/// Messages that another sender leases at this moment are skipped.
const LEASE: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT receiver, id FROM "SCHEMA".outbox
        WHERE receiver = $1 AND dead IS NULL AND due_at <= $2 AND follows IS NULL
        ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED)
    UPDATE "SCHEMA".outbox AS leased SET leases = leases + 1, due_at = $3 FROM due
    WHERE leased.receiver = due.receiver AND leased.id = due.id
    RETURNING leased.*"#;

/// One row: whether the message was not leased again.
const SETTLE: &str = r#"
    WITH present AS (
        SELECT leases FROM "SCHEMA".outbox WHERE receiver = $1 AND id = $2 FOR UPDATE
    ), delivered AS (
        DELETE FROM "SCHEMA".outbox WHERE receiver = $1 AND id = $2 AND leases = $3 AND dead IS NULL
            AND $4::bigint IS NULL AND $6::smallint IS NULL
    ), failed AS (
        UPDATE "SCHEMA".outbox SET due_at = coalesce($4, due_at), failures = coalesce($5, failures), dead = $6
        WHERE receiver = $1 AND id = $2 AND leases = $3 AND dead IS NULL AND ($4 IS NOT NULL OR $6 IS NOT NULL)
    )
    SELECT coalesce((SELECT leases = $3 FROM present), true) AS holds"#;

const DEAD: &str = r#"
    SELECT * FROM "SCHEMA".outbox WHERE receiver = $1 AND dead IS NOT NULL AND id > $2 ORDER BY id LIMIT $3"#;

const REQUEUE: &str = r#"
    UPDATE "SCHEMA".outbox SET dead = NULL, failures = 0, due_at = $3
    WHERE receiver = $1 AND id = $2 AND dead IS NOT NULL RETURNING id"#;

const SWEEP: &str = r#"
    WITH over AS MATERIALIZED (
        SELECT receiver, id FROM "SCHEMA".outbox WHERE delete_at <= $1
        ORDER BY delete_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".outbox AS swept USING over WHERE swept.receiver = over.receiver AND swept.id = over.id
    RETURNING swept.id"#;

const INSERT: &str = r#"
    INSERT INTO "SCHEMA".outbox (
        receiver, id, tenant, follows, ends, payload, leases, failures, due_at, delete_at, dead)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"#;

const FIND: &str = r#"SELECT * FROM "SCHEMA".outbox WHERE receiver = $1 AND id = $2"#;

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        let scope = RowScope::Tenant(ticket.tenant);
        let statements = tickets::insertion_within(ticket, quota, now, batch)?;
        self.execute_all(scope, statements).await.map(|rows| rows > 0)
    }

    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let ended_ticket = tickets::EndedTicket { id, end, batch };
        let database = self.database.clone();
        self.database.run(async move { tickets::end_once(&database, ended_ticket).await }).await
    }

    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError> {
        let put = bind(Statement::new(PUT), batch)?;
        self.execute(RowScope::AllTenants, put).await.map(drop)
    }

    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError> {
        must_have_no_nul(&[receiver])?;
        let expire = Statement::new(EXPIRE).text(receiver).time(now).limit(limit);
        let lease = Statement::new(LEASE).text(receiver).time(now).time(lease_until).limit(limit);
        let database = self.database.clone();
        let lease = async move {
            database.rows(RowScope::AllTenants, &[expire, lease], stored_message).await
        };
        let messages = self.database.run(lease).await?;
        let leased =
            messages.into_iter().map(|StoredMessage { message, leases, failures, .. }| {
                LeasedMessage { message, lease: leases, failures }
            });
        Ok(leased.collect())
    }

    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError> {
        must_have_no_nul(&[receiver])?;
        let (due_at, failures, dead) = match result {
            AttemptResult::Delivered => (None, None, None),
            AttemptResult::Retry { at, failures } => (Some(at), Some(integer(failures)), None),
            AttemptResult::Dead(reason) => (None, None, Some(reason.number().into())),
        };
        let settle = Statement::new(SETTLE).text(receiver).uuid(id).integer(integer(lease));
        let settle = settle.optional_time(due_at).optional_integer(failures).optional_small(dead);
        let holds = |row: &Row| column::<bool>(row, "holds");
        let holds = self.query(RowScope::AllTenants, settle, holds).await?;
        Ok(holds == [true])
    }

    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        must_have_no_nul(&[receiver])?;
        let after = after.unwrap_or_default();
        let list = Statement::new(DEAD).text(receiver).uuid(after).limit(limit);
        self.query(RowScope::AllTenants, list, stored_message).await
    }

    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        must_have_no_nul(&[receiver])?;
        let requeue = Statement::new(REQUEUE).text(receiver).uuid(id).time(now);
        self.execute(RowScope::AllTenants, requeue).await.map(|rows| rows > 0)
    }

    async fn sweep_messages(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.execute(RowScope::AllTenants, Statement::new(SWEEP).time(now).limit(limit)).await
    }
}

/// Binds the parameters of the function `put_messages`.
pub(crate) fn bind(statement: Statement, batch: OutboxBatch) -> Result<Statement, StoreError> {
    let OutboxBatch { messages, max_queued } = batch;
    let (mut receivers, mut ids, mut tenants, mut payloads) = (vec![], vec![], vec![], vec![]);
    let (mut follows, mut ends, mut due_at, mut delete_at) = (vec![], vec![], vec![], vec![]);
    for message in messages {
        must_have_no_nul(&[&message.receiver])?;
        receivers.push(message.receiver.into_string());
        ids.push(message.id);
        tenants.push(message.tenant);
        follows.push(message.follows.map(|follows| follows.ticket));
        ends.push(message.follows.map(|follows| tickets::number(follows.end)));
        payloads.push(message.payload);
        due_at.push(timestamp(message.due_at));
        delete_at.push(timestamp(message.delete_at));
    }
    Ok(statement
        .list(receivers, Type::TEXT_ARRAY)
        .list(ids, Type::UUID_ARRAY)
        .list(tenants, Type::UUID_ARRAY)
        .list(follows, Type::UUID_ARRAY)
        .list(ends, Type::INT2_ARRAY)
        .bytes_list(payloads)
        .list(due_at, Type::INT8_ARRAY)
        .list(delete_at, Type::INT8_ARRAY)
        .number(count(max_queued)))
}

/// Inserts a message as it was in another store.
pub(crate) fn insertion(stored: &StoredMessage) -> Result<Statement, StoreError> {
    let StoredMessage { message, leases, failures, dead } = stored;
    must_have_no_nul(&[&message.receiver])?;
    Ok(Statement::new(INSERT)
        .text(&message.receiver)
        .uuid(message.id)
        .uuid(message.tenant)
        .optional_uuid(message.follows.map(|follows| follows.ticket))
        .optional_small(message.follows.map(|follows| tickets::number(follows.end)))
        .bytes(message.payload.clone())
        .integer(integer(*leases))
        .integer(integer(*failures))
        .time(message.due_at)
        .time(message.delete_at)
        .optional_small(dead.map(|reason| reason.number().into())))
}

pub(crate) fn lookup(message: &OutboxMessage) -> Statement {
    Statement::new(FIND).text(&message.receiver).uuid(message.id)
}

pub(crate) fn stored_message(row: &Row) -> Result<StoredMessage, StoreError> {
    let ticket: Option<Uuid> = column(row, "follows")?;
    let end: Option<i16> = column(row, "ends")?;
    let follows = ticket
        .zip(end)
        .map(|(ticket, end)| tickets::end_from(end).map(|end| FollowedTicket { ticket, end }));
    let dead: Option<i16> = column(row, "dead")?;
    let reason = |number: i16| {
        let unknown =
            || damaged(format!("a message is dead for {number}, which the store does not write"));
        DeadReason::from_number(number.into()).ok_or_else(unknown)
    };
    let (leases, failures): (i32, i32) = (column(row, "leases")?, column(row, "failures")?);
    let receiver: String = column(row, "receiver")?;
    Ok(StoredMessage {
        message: OutboxMessage {
            id: column(row, "id")?,
            receiver: receiver.into(),
            tenant: column(row, "tenant")?,
            follows: follows.transpose()?,
            payload: column(row, "payload")?,
            due_at: time(row, "due_at")?,
            delete_at: time(row, "delete_at")?,
        },
        leases: leases.unsigned_abs(),
        failures: failures.unsigned_abs(),
        dead: dead.map(reason).transpose()?,
    })
}

fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
