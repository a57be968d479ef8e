//! Idempotency keys: the trait, on the store's handle.

use async_trait::async_trait;
use rusqlite::{Connection, named_params};
use uuid::Uuid;

use super::checksum::RowKeys;
use super::claim::{Held, take};
use super::columns::{count, moment};
use super::row::{self, Found};
use super::timeline::advance;
use super::writer::Work;
use super::{Sqlite, archive, settling};
use crate::store::{
    ClaimRequest, Claimed, ClockReading, Fence, IdempotencyStore, KeyRecord, KeyScope, Settlement,
    StoreError, UnixMillis,
};

const FIRST_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND (state = 2 OR damaged = 1)
    ORDER BY principal, tool, key LIMIT :most";

const NEXT_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND (state = 2 OR damaged = 1)
        AND (principal, tool, key) > (:principal, :tool, :key)
    ORDER BY principal, tool, key LIMIT :most";

const DUE: &str = "
    SELECT * FROM keys WHERE state = 1 AND until <= :now AND damaged = 0
    ORDER BY until LIMIT :most";

#[async_trait]
impl IdempotencyStore for Sqlite {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.queue.ask(Work::Write, move |connection| advance(connection, reading)).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed, StoreError> {
        let (queue, keys) = (self.queue.clone(), self.row_keys.clone());
        let take = move |connection: &Connection| take(connection, &keys, &request);
        let hold = move |taken| Held::new(taken, queue);
        self.queue.ask_and(Work::Claim, take, hold).await.map(Held::receive)
    }

    async fn renew(
        &self,
        key: &KeyScope,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let renew =
            move |connection: &Connection| settling::renew(connection, &keys, &key, fence, until);
        self.queue.ask(Work::Write, renew).await
    }

    async fn settle(
        &self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let settle = move |connection: &Connection| {
            settling::settle(connection, &keys, &key, fence, &settlement)
        };
        self.queue.ask(Work::Write, settle).await
    }

    async fn find(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        self.queue.ask(Work::Read, move |connection| find(connection, &keys, &key)).await
    }

    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let (keys, after) = (self.row_keys.clone(), after.cloned());
        let list =
            move |connection: &Connection| unknown(connection, &keys, tenant, after, count(most));
        self.queue.ask(Work::Read, list).await
    }

    async fn unknown_of_fence(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let keys = self.row_keys.clone();
        let find = move |connection: &Connection| row::by_fence(connection, &keys, fence);
        let found = self.queue.ask(Work::Read, find).await?.map(Found::into_record);
        Ok(found.filter(|record| record.key.tenant == tenant && record.is_unknown()))
    }

    async fn distrust(&self, key: &KeyScope) -> Result<bool, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let distrust = move |connection: &Connection| settling::distrust(connection, &keys, &key);
        self.queue.ask(Work::Write, distrust).await
    }

    async fn archive_unknown(&self, before: UnixMillis, most: usize) -> Result<usize, StoreError> {
        let keys = self.row_keys.clone();
        let archive =
            move |connection: &Connection| archive::archive(connection, &keys, before, most);
        self.queue.ask(Work::Write, archive).await
    }

    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        let keys = self.row_keys.clone();
        let sweep = move |connection: &Connection| sweep(connection, &keys, now, most);
        self.queue.ask(Work::Write, sweep).await
    }
}

fn find(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
) -> rusqlite::Result<Option<KeyRecord>> {
    match row::look_up(connection, keys, key)? {
        // The columns may name another key by now; it is this one that is asked for.
        Some(Found::Damaged(row)) => Ok(Some(KeyRecord { key: key.clone(), ..row.record })),
        Some(found) => Ok(Some(found.into_record())),
        None => archive::find(connection, key),
    }
}

fn unknown(
    connection: &Connection,
    keys: &RowKeys,
    tenant: Uuid,
    after: Option<KeyScope>,
    most: i64,
) -> rusqlite::Result<Vec<KeyRecord>> {
    let tenant = tenant.as_bytes();
    let record = |row: &rusqlite::Row<'_>| Found::read(row, keys).map(Found::into_record);
    let Some(after) = after else {
        let mut first = connection.prepare_cached(FIRST_UNKNOWN)?;
        return first
            .query_map(named_params! { ":tenant": tenant, ":most": most }, record)?
            .collect();
    };
    let parameters = named_params! {
        ":tenant": tenant,
        ":principal": after.principal,
        ":tool": after.tool,
        ":key": after.key,
        ":most": most,
    };
    connection.prepare_cached(NEXT_UNKNOWN)?.query_map(parameters, record)?.collect()
}

/// Forgets answers whose time is over. What a damaged row says of its time is not believed.
fn sweep(
    connection: &Connection,
    keys: &RowKeys,
    now: UnixMillis,
    most: usize,
) -> rusqlite::Result<usize> {
    let mut forgotten = 0;
    let mut due = connection.prepare_cached(DUE)?;
    let due =
        due.query_map(named_params! { ":now": moment(now), ":most": count(most) }, |row| {
            match Found::read(row, keys)? {
                // The answers themselves are not kept in memory.
                Found::Sound(row) => Ok((row.fence, None)),
                Found::Damaged(row) => Ok((row.fence, Some(row))),
            }
        })?;
    for (fence, damaged) in due.collect::<rusqlite::Result<Vec<_>>>()? {
        if let Some(row) = damaged {
            row.mark(connection)?;
        } else {
            row::delete(connection, fence)?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}
