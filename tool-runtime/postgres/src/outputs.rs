//! Stored outputs in PostgreSQL.

use async_trait::async_trait;
use tool_runtime_core::store::{OutputSlice, OutputStore, StoreError, StoredOutput, UnixMillis};
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::column;
use crate::database::RowScope;
use crate::statement::{Statement, must_have_no_nul};

/// An id that exists already has the same text: ids are unique.
const PUT: &str = r#"
    INSERT INTO "SCHEMA".outputs (id, tenant, principal, text, expires_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO NOTHING
    RETURNING id"#;

const READ: &str = r#"
    SELECT substring(text FROM $5 FOR $6) AS bytes, octet_length(text)::bigint AS total
    FROM "SCHEMA".outputs WHERE id = $1 AND tenant = $2 AND principal = $3 AND expires_at > $4"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT id FROM "SCHEMA".outputs WHERE expires_at <= $1
        ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".outputs USING due WHERE outputs.id = due.id
    RETURNING outputs.id"#;

#[async_trait]
impl OutputStore for PostgresStore {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError> {
        let scope = RowScope::Tenant(output.tenant);
        self.execute(scope, insertion(output)?).await.map(drop)
    }

    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError> {
        must_have_no_nul(&[principal])?;
        // `substring` counts from one. No value has more bytes than an `int4` counts.
        let first = i32::try_from(offset.saturating_add(1)).unwrap_or(i32::MAX);
        let length = i32::try_from(limit).unwrap_or(i32::MAX).min(i32::MAX - first);
        let statement = Statement::new(READ)
            .uuid(id)
            .uuid(tenant)
            .text(principal)
            .time(now)
            .integer(first)
            .integer(length);
        let slice = |row: &tokio_postgres::Row| {
            let total: i64 = column(row, "total")?;
            Ok(OutputSlice { bytes: column(row, "bytes")?, total: total.unsigned_abs() })
        };
        Ok(self.query(RowScope::Tenant(tenant), statement, slice).await?.pop())
    }

    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.execute(RowScope::AllTenants, Statement::new(SWEEP).time(now).limit(limit)).await
    }
}

/// Inserts an output that the store does not have.
pub(crate) fn insertion(output: StoredOutput) -> Result<Statement, StoreError> {
    must_have_no_nul(&[&output.principal])?;
    Ok(Statement::new(PUT)
        .uuid(output.id)
        .uuid(output.tenant)
        .text(&output.principal)
        .bytes(output.text)
        .time(output.expires_at))
}
