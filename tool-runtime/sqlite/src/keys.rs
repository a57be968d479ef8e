//! Idempotency keys in SQLite: the trait's implementation.

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::{Connection, named_params};
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{
    BudgetStore, Charge, ClaimOutcome, ClaimRequest, ClockReading, Fence, IdempotencyStore,
    KeyRecord, ReserveOutcome, ScopedKey, Settlement, StoreError, StoreTransaction,
    TransactionScope, UnixMillis,
};
use uuid::Uuid;

use super::checksum::RowKeys;
use super::error::damaged;
use super::row::{self, FoundRow};
use super::store_clock::advance;
use super::writer::JobKind;
use super::{SqliteStore, SqliteTransaction, archive, budgets, settle};

const FIRST_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND (state = 2 OR damaged = 1)
    ORDER BY principal, tool, key LIMIT :limit";

const NEXT_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND (state = 2 OR damaged = 1)
        AND (principal, tool, key) > (:principal, :tool, :key)
    ORDER BY principal, tool, key LIMIT :limit";

const DUE: &str = "
    SELECT * FROM keys WHERE state = 1 AND until <= :now AND damaged = 0
    ORDER BY until LIMIT :limit";

#[async_trait]
impl IdempotencyStore for SqliteStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.queue.run(JobKind::Write, move |connection| advance(connection, reading)).await
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
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let renew =
            move |connection: &Connection| settle::renew(connection, &keys, &key, fence, until);
        self.queue.run(JobKind::Write, renew).await
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
        let (keys, key) = (self.row_keys.clone(), key.clone());
        self.queue.run(JobKind::Read, move |connection| find(connection, &keys, &key)).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let (keys, after) = (self.row_keys.clone(), after.cloned());
        let list =
            move |connection: &Connection| unknown(connection, &keys, tenant, after, count(limit));
        self.queue.run(JobKind::Read, list).await
    }

    async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let keys = self.row_keys.clone();
        let find = move |connection: &Connection| row::by_fence(connection, &keys, fence);
        let key_record = self.queue.run(JobKind::Read, find).await?.map(FoundRow::into_record);
        Ok(key_record.filter(|record| record.key.tenant == tenant && record.is_unknown()))
    }

    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let invalidate_answer =
            move |connection: &Connection| settle::invalidate_answer(connection, &keys, &key);
        self.queue.run(JobKind::Write, invalidate_answer).await
    }

    async fn archive_unknown(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let keys = self.row_keys.clone();
        let archive =
            move |connection: &Connection| archive::archive(connection, &keys, before, limit);
        self.queue.run(JobKind::Write, archive).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let keys = self.row_keys.clone();
        let sweep = move |connection: &Connection| {
            let swept = sweep(connection, &keys, now, limit)?;
            Ok(swept + budgets::sweep(connection, now, limit - swept.min(limit))?)
        };
        self.queue.run(JobKind::Write, sweep).await
    }

    fn transaction(&self, _: TransactionScope) -> Option<Arc<dyn StoreTransaction>> {
        Some(Arc::new(SqliteTransaction::new(&self.queue, &self.row_keys)))
    }

    fn budgets(&self) -> Option<&dyn BudgetStore> {
        Some(self)
    }
}

pub(super) fn find(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
) -> rusqlite::Result<Option<KeyRecord>> {
    match row::look_up(connection, keys, key)? {
        // The columns of a damaged row may name another key; the caller's key is the right one.
        Some(FoundRow::Damaged(row)) => Ok(Some(KeyRecord { key: key.clone(), ..row.record })),
        Some(found) => Ok(Some(found.into_record())),
        None => archive::find(connection, key),
    }
}

fn unknown(
    connection: &Connection,
    keys: &RowKeys,
    tenant: Uuid,
    after: Option<ScopedKey>,
    limit: i64,
) -> rusqlite::Result<Vec<KeyRecord>> {
    let tenant = tenant.as_bytes();
    let record = |row: &rusqlite::Row<'_>| FoundRow::read(row, keys).map(FoundRow::into_record);
    let Some(after) = after else {
        let mut first = connection.prepare_cached(FIRST_UNKNOWN)?;
        return first
            .query_map(named_params! { ":tenant": tenant, ":limit": limit }, record)?
            .collect();
    };
    let parameters = named_params! {
        ":tenant": tenant,
        ":principal": after.principal,
        ":tool": after.tool,
        ":key": after.key,
        ":limit": limit,
    };
    connection.prepare_cached(NEXT_UNKNOWN)?.query_map(parameters, record)?.collect()
}

/// Deletes expired answers. The expiry in a damaged row is not trusted.
fn sweep(
    connection: &Connection,
    keys: &RowKeys,
    now: UnixMillis,
    limit: usize,
) -> rusqlite::Result<usize> {
    let mut deleted = 0;
    let mut due = connection.prepare_cached(DUE)?;
    let due =
        due.query_map(named_params! { ":now": timestamp(now), ":limit": count(limit) }, |row| {
            match FoundRow::read(row, keys)? {
                // The answers are not collected in memory.
                FoundRow::Valid(row) => Ok((row.record.fence, None)),
                FoundRow::Damaged(row) => Ok((row.fence, Some(row))),
            }
        })?;
    for (fence, damaged) in due.collect::<rusqlite::Result<Vec<_>>>()? {
        if let Some(row) = damaged {
            row.mark(connection)?;
        } else {
            row::delete(connection, fence)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}
