//! Stored outputs in SQLite.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{count, timestamp, whole};
use tool_runtime_core::store::{OutputSlice, OutputStore, StoreError, StoredOutput, UnixMillis};
use uuid::Uuid;

use super::SqliteStore;
use super::writer::JobKind;

/// An id that exists already has the same text: ids are unique.
const PUT: &str = "
    INSERT INTO outputs (id, tenant, principal, text, expires_at)
    VALUES (:id, :tenant, :principal, :text, :expires_at)
    ON CONFLICT (id) DO NOTHING";

const READ: &str = "
    SELECT substr(text, :first, :limit) AS bytes, length(text) AS total FROM outputs
    WHERE id = :id AND tenant = :tenant AND principal = :principal AND expires_at > :now";

/// The most bytes that a value can have. SQLite 3.46 truncates greater arguments of `substr` to 32 bits.
const LONGEST: i64 = i32::MAX as i64;

const SWEEP: &str = "
    DELETE FROM outputs WHERE rowid IN (
        SELECT rowid FROM outputs WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)";

#[async_trait]
impl OutputStore for SqliteStore {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError> {
        self.queue.run(JobKind::Write, move |connection| put(connection, &output)).await
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
        let principal: Box<str> = principal.into();
        let read = move |connection: &Connection| {
            let parameters = named_params! {
                ":id": id.as_bytes(),
                ":tenant": tenant.as_bytes(),
                ":principal": principal,
                ":first": whole(offset).saturating_add(1).min(LONGEST), // SQL counts from one
                ":limit": count(limit).min(LONGEST),
                ":now": timestamp(now),
            };
            connection.prepare_cached(READ)?.query_row(parameters, slice).optional()
        };
        self.queue.run(JobKind::Read, read).await
    }

    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            connection
                .prepare_cached(SWEEP)?
                .execute(named_params! { ":now": timestamp(now), ":limit": count(limit) })
        };
        self.queue.run(JobKind::Write, sweep).await
    }
}

fn put(connection: &Connection, output: &StoredOutput) -> rusqlite::Result<()> {
    let put = connection.prepare_cached(PUT)?.execute(named_params! {
        ":id": output.id.as_bytes(),
        ":tenant": output.tenant.as_bytes(),
        ":principal": output.principal,
        ":text": output.text,
        ":expires_at": timestamp(output.expires_at),
    });
    put.map(drop)
}

fn slice(row: &Row<'_>) -> rusqlite::Result<OutputSlice> {
    // `substr` of an empty blob is NULL.
    let bytes: Option<Vec<u8>> = row.get("bytes")?;
    let total: i64 = row.get("total")?;
    Ok(OutputSlice { bytes: bytes.unwrap_or_default(), total: total.unsigned_abs() })
}
