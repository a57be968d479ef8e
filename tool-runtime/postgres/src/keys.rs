//! Idempotency keys in PostgreSQL: the trait's implementation, and the records.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_core::store::{
    BudgetStore, Charge, ClaimOutcome, ClaimRequest, ClockReading, Fence, IdempotencyStore,
    KeyRecord, KeyState, ReserveOutcome, ReservedAmount, ScopedKey, Settlement, StoreError,
    StoreTransaction, StoredAnswer, TransactionScope, UnixMillis,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, digest, optional_time, time};
use crate::database::{Database, RowScope};
use crate::error::damaged;
use crate::statement::Statement;
use crate::transaction::PostgresTransaction;
use crate::{budgets, settle};

/// The numbers of the states, as in `migrations`.
const RUNNING: i16 = 0;
const ANSWERED: i16 = 1;
const UNKNOWN: i16 = 2;
const ARCHIVED: i16 = 3;

const FIND: &str = r#"
    SELECT caller, fingerprint, fence, state, lease_until, keep_until, since, succeeded, body, meta, reserved
    FROM "SCHEMA".keys WHERE digest = $1"#;

const FIRST_UNKNOWN: &str = r#"
    SELECT principal, tool, key, caller, fingerprint, fence, state, since, reserved
    FROM "SCHEMA".keys WHERE tenant = $1 AND state = 2
    ORDER BY principal, tool, key LIMIT $2"#;

const NEXT_UNKNOWN: &str = r#"
    SELECT principal, tool, key, caller, fingerprint, fence, state, since, reserved
    FROM "SCHEMA".keys WHERE tenant = $1 AND state = 2 AND (principal, tool, key) > ($3, $4, $5)
    ORDER BY principal, tool, key LIMIT $2"#;

const FIND_UNKNOWN: &str = r#"
    SELECT principal, tool, key, caller, fingerprint, fence, state, since, reserved
    FROM "SCHEMA".keys WHERE tenant = $1 AND fence = $2 AND state = 2"#;

/// Rows that another process works on are left for the next time.
// Materialized: as a subquery it may be executed once for each row, and skips those that the statement has
// changed already, so that it takes more rows than its limit.
const ARCHIVE: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT digest FROM "SCHEMA".keys WHERE state = 2 AND since <= $1
        ORDER BY since LIMIT $2 FOR UPDATE SKIP LOCKED)
    UPDATE "SCHEMA".keys
    SET state = 3, principal = NULL, tool = NULL, key = NULL, caller = NULL, since = NULL
    FROM due WHERE keys.digest = due.digest
    RETURNING keys.fence"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT digest FROM "SCHEMA".keys WHERE state = 1 AND keep_until <= $1
        ORDER BY keep_until LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".keys USING due WHERE keys.digest = due.digest
    RETURNING keys.fence"#;

#[async_trait]
impl IdempotencyStore for PostgresStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        let (database, clock) = (self.database.clone(), self.clock.clone());
        self.database.run(async move { clock.read(&database, reading).await }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        match self.reserve(request, Vec::new()).await? {
            ReserveOutcome::Claimed { outcome, .. } => Ok(outcome),
            ReserveOutcome::Exceeded(_) => {
                Err(damaged("a claim without reservations exceeds none"))
            }
        }
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        let (database, key) = (self.database.clone(), key.clone());
        self.database.run(async move { settle::renew(&database, &key, fence, until).await }).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.settle_with(key, fence, settlement, Charge::Reserved).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        let (database, key) = (self.database.clone(), key.clone());
        self.database.run(async move { find(&database, &key).await }).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let statement = match after {
            None => Statement::new(FIRST_UNKNOWN).uuid(tenant).limit(limit),
            Some(after) => Statement::new(NEXT_UNKNOWN)
                .uuid(tenant)
                .limit(limit)
                .text(&after.principal)
                .text(&after.tool)
                .text(&after.key),
        };
        self.query(RowScope::Tenant(tenant), statement, move |row| record_of_tenant(row, tenant))
            .await
    }

    async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let statement = Statement::new(FIND_UNKNOWN).uuid(tenant).fence(fence);
        let read = move |row: &Row| record_of_tenant(row, tenant);
        let mut records = self.query(RowScope::Tenant(tenant), statement, read).await?;
        Ok(records.pop())
    }

    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {
        let statement = settle::invalidation(key);
        self.execute(RowScope::Tenant(key.tenant), statement).await.map(|rows| rows > 0)
    }

    async fn archive_unknown(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.execute(RowScope::AllTenants, Statement::new(ARCHIVE).time(before).limit(limit)).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = async |sql, limit| {
            self.execute(RowScope::AllTenants, Statement::new(sql).time(now).limit(limit)).await
        };
        let keys = sweep(SWEEP, limit).await?;
        Ok(keys + sweep(budgets::SWEEP, limit.saturating_sub(keys)).await?)
    }

    fn transaction(&self, scope: TransactionScope) -> Option<Arc<dyn StoreTransaction>> {
        Some(Arc::new(PostgresTransaction::new(&self.database, scope)))
    }

    fn budgets(&self) -> Option<&dyn BudgetStore> {
        Some(self)
    }
}

/// Reads the record of a key, an archived one too.
pub(crate) async fn find(
    database: &Database,
    key: &ScopedKey,
) -> Result<Option<KeyRecord>, StoreError> {
    let statement = Statement::new(FIND).digest(&key.digest());
    let read = |row: &Row| record(row, key.clone());
    Ok(database.rows(RowScope::Tenant(key.tenant), &[statement], read).await?.pop())
}

/// Reads the record of a key from a row of all its columns.
pub(crate) fn record(row: &Row, key: ScopedKey) -> Result<KeyRecord, StoreError> {
    let state = match column(row, "state")? {
        RUNNING => KeyState::Running { until: time(row, "lease_until")? },
        ANSWERED => {
            let answer = StoredAnswer {
                succeeded: column(row, "succeeded")?,
                body: column(row, "body")?,
                meta: column(row, "meta")?,
            };
            KeyState::Answered { answer, keep_until: time(row, "keep_until")? }
        }
        UNKNOWN => KeyState::Unknown,
        ARCHIVED => {
            let (fingerprint, fence) = (digest(row, "fingerprint")?, fence(row)?);
            let mut record = KeyRecord::new(key, fingerprint, fence, KeyState::Archived);
            record.reserved = reserved(row)?;
            return Ok(record);
        }
        other => {
            return Err(damaged(format!(
                "a key has the state {other}, which the store does not write"
            )));
        }
    };
    let mut record = KeyRecord::new(key, digest(row, "fingerprint")?, fence(row)?, state);
    record.caller = column(row, "caller")?;
    record.since = optional_time(row, "since")?;
    // The reservations of an answered key count no longer.
    if !matches!(record.state, KeyState::Answered { .. }) {
        record.reserved = reserved(row)?;
    }
    Ok(record)
}

/// Reads the amounts that a key reserves.
pub(crate) fn reserved(row: &Row) -> Result<Vec<ReservedAmount>, StoreError> {
    let Some(text) = column::<Option<&str>>(row, "reserved")? else { return Ok(Vec::new()) };
    let unreadable = || damaged("a key reserves amounts that are not readable");
    ReservedAmount::from_text(text).ok_or_else(unreadable)
}

/// Reads a record of a tenant from a row with the texts of its key.
pub(crate) fn record_of_tenant(row: &Row, tenant: Uuid) -> Result<KeyRecord, StoreError> {
    let key = ScopedKey {
        tenant,
        principal: column(row, "principal")?,
        tool: column(row, "tool")?,
        key: column(row, "key")?,
    };
    record(row, key)
}

/// Returns the columns `state` and `lease_until` of a key.
pub(crate) fn lease_columns(state: &KeyState) -> (i16, Option<UnixMillis>) {
    match state {
        KeyState::Running { until } => (RUNNING, Some(*until)),
        KeyState::Unknown => (UNKNOWN, None),
        KeyState::Answered { .. } => (ANSWERED, None),
        KeyState::Archived => (ARCHIVED, None),
    }
}

pub(crate) fn fence(row: &Row) -> Result<Fence, StoreError> {
    column::<i64>(row, "fence").map(|fence| Fence::new(fence.unsigned_abs()))
}
