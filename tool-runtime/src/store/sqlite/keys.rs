//! Idempotency keys: everything but the claim itself.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use uuid::Uuid;

use super::Sqlite;
use super::claim::{Held, take};
use super::columns::{count, digest, moment, time, uuid, whole};
use super::writer::Work;
use crate::store::{
    ClaimRequest, Claimed, Fence, IdempotencyStore, KeyRecord, KeyScope, KeyState, Settlement,
    StoreError, StoredAnswer, UnixMillis,
};

/// The numbers of the states, as `migrations` names them.
pub(super) const RUNNING: i64 = 0;
pub(super) const ANSWERED: i64 = 1;
pub(super) const UNKNOWN: i64 = 2;

// A fence is its row's number, so that these find their row at once; the scope is only checked.

const RENEW: &str = "
    UPDATE keys SET until = max(until, :until)
    WHERE fence = :fence AND (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)
        AND state = 0";

const ANSWER: &str = "
    UPDATE keys
    SET state = 1, until = :until, succeeded = :succeeded, body = :body, meta = :meta
    WHERE fence = :fence AND (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)
        AND state IN (0, 2)";

const LOSE: &str = "
    UPDATE keys SET state = 2, until = NULL
    WHERE fence = :fence AND (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)
        AND state IN (0, 2)";

const RELEASE: &str = "
    DELETE FROM keys
    WHERE fence = :fence AND (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)
        AND state IN (0, 2)";

const FIND: &str = "
    SELECT * FROM keys
    WHERE (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)";

const FIRST_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND state = 2
    ORDER BY principal, tool, key LIMIT :most";

const NEXT_UNKNOWN: &str = "
    SELECT * FROM keys WHERE tenant = :tenant AND state = 2
        AND (principal, tool, key) > (:principal, :tool, :key)
    ORDER BY principal, tool, key LIMIT :most";

const SWEEP: &str = "
    DELETE FROM keys WHERE fence IN (
        SELECT fence FROM keys WHERE state = 1 AND until <= :now ORDER BY until LIMIT :most)";

#[async_trait]
impl IdempotencyStore for Sqlite {
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed, StoreError> {
        let queue = self.queue.clone();
        let take = move |connection: &Connection| take(connection, &request);
        let hold = move |taken| Held::new(taken, queue);
        self.queue.ask_and(Work::Claim, take, hold).await.map(Held::receive)
    }

    async fn renew(
        &self,
        key: &KeyScope,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        let key = key.clone();
        let renew = move |connection: &Connection| {
            let changed = connection.prepare_cached(RENEW)?.execute(named_params! {
                ":fence": whole(fence.get()),
                ":tenant": key.tenant.as_bytes(),
                ":principal": key.principal,
                ":tool": key.tool,
                ":key": key.key,
                ":until": moment(until),
            })?;
            Ok(changed > 0)
        };
        self.queue.ask(Work::Write, renew).await
    }

    async fn settle(
        &self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        let key = key.clone();
        let settle = move |connection: &Connection| settle(connection, &key, fence, &settlement);
        self.queue.ask(Work::Write, settle).await
    }

    async fn find(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError> {
        let key = key.clone();
        self.queue.ask(Work::Read, move |connection| find(connection, &key)).await
    }

    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let after = after.cloned();
        let list = move |connection: &Connection| unknown(connection, tenant, after, count(most));
        self.queue.ask(Work::Read, list).await
    }

    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            connection
                .prepare_cached(SWEEP)?
                .execute(named_params! { ":now": moment(now), ":most": count(most) })
        };
        self.queue.ask(Work::Write, sweep).await
    }
}

pub(super) fn find(connection: &Connection, key: &KeyScope) -> rusqlite::Result<Option<KeyRecord>> {
    let parameters = named_params! {
        ":tenant": key.tenant.as_bytes(),
        ":principal": key.principal,
        ":tool": key.tool,
        ":key": key.key,
    };
    connection.prepare_cached(FIND)?.query_row(parameters, record).optional()
}

/// Settles a key; where nothing is held, tells whether it was settled so before.
fn settle(
    connection: &Connection,
    key: &KeyScope,
    fence: Fence,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    let changed = match settlement {
        Settlement::Answered { answer, keep_until } => {
            keep(connection, key, fence, answer, *keep_until)?
        }
        Settlement::Unknown => end(connection, LOSE, key, fence)?,
        Settlement::Released => end(connection, RELEASE, key, fence)?,
    };
    Ok(changed > 0 || is_settled(find(connection, key)?, fence, settlement))
}

fn keep(
    connection: &Connection,
    key: &KeyScope,
    fence: Fence,
    answer: &StoredAnswer,
    keep_until: UnixMillis,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(ANSWER)?.execute(named_params! {
        ":fence": whole(fence.get()),
        ":tenant": key.tenant.as_bytes(),
        ":principal": key.principal,
        ":tool": key.tool,
        ":key": key.key,
        ":until": moment(keep_until),
        ":succeeded": answer.succeeded,
        ":body": answer.body,
        ":meta": answer.meta,
    })
}

fn end(
    connection: &Connection,
    statement: &str,
    key: &KeyScope,
    fence: Fence,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute(named_params! {
        ":fence": whole(fence.get()),
        ":tenant": key.tenant.as_bytes(),
        ":principal": key.principal,
        ":tool": key.tool,
        ":key": key.key,
    })
}

/// Tells whether a key that is not held is as the settlement would leave it.
fn is_settled(record: Option<KeyRecord>, fence: Fence, settlement: &Settlement) -> bool {
    let Some(record) = record else { return *settlement == Settlement::Released };
    match (record.state, settlement) {
        (
            KeyState::Answered { answer, keep_until },
            Settlement::Answered { answer: settled, keep_until: until },
        ) => record.fence == fence && answer == *settled && moment(keep_until) == moment(*until),
        _ => false,
    }
}

fn unknown(
    connection: &Connection,
    tenant: Uuid,
    after: Option<KeyScope>,
    most: i64,
) -> rusqlite::Result<Vec<KeyRecord>> {
    let tenant = tenant.as_bytes();
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

fn record(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    let key = KeyScope {
        tenant: uuid(row, "tenant")?,
        principal: row.get("principal")?,
        tool: row.get("tool")?,
        key: row.get("key")?,
    };
    let fence: i64 = row.get("fence")?;
    let fingerprint = digest(row, "fingerprint")?;
    Ok(KeyRecord { key, fingerprint, fence: Fence::new(fence.unsigned_abs()), state: state(row)? })
}

fn state(row: &Row<'_>) -> rusqlite::Result<KeyState> {
    match row.get("state")? {
        RUNNING => Ok(KeyState::Running { until: time(row, "until")? }),
        ANSWERED => {
            let answer = StoredAnswer {
                succeeded: row.get("succeeded")?,
                body: row.get("body")?,
                meta: row.get("meta")?,
            };
            Ok(KeyState::Answered { answer, keep_until: time(row, "until")? })
        }
        UNKNOWN => Ok(KeyState::Unknown),
        other => Err(rusqlite::Error::IntegralValueOutOfRange(0, other)),
    }
}
