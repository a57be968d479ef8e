//! Evidence in SQLite: the trait's implementation, and the snapshots.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::evidence::{
    EvidenceStore, ListedSnapshot, SealedContents, SnapshotId, SnapshotQuery, StoredFacts,
    StoredSnapshot, TenantKey, WrappedKey,
};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use super::SqliteStore;
use super::columns::uuid;
use super::evidence_keys as keys;
use super::writer::JobKind;

/// A snapshot is stored if it has no sealed contents, or the key of its contents exists.
const PUT: &str = "
    INSERT INTO evidence
        (tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum)
    SELECT :tenant, :id, :trace, :key_version, :wrapped, :facts, :arguments, :output, :checksum
    WHERE :key_version IS NULL OR EXISTS (
        SELECT 1 FROM evidence_keys
        WHERE tenant = :tenant AND version = :key_version AND lives = 1)
    ON CONFLICT (tenant, id) DO NOTHING";

const IS_KEPT: &str = "SELECT EXISTS (SELECT 1 FROM evidence WHERE tenant = :tenant AND id = :id)";

const FIND: &str = "SELECT * FROM evidence WHERE tenant = :tenant AND id = :id";

const LIST: &str = "
    SELECT * FROM evidence
    WHERE tenant = :tenant AND id >= :start AND id < :end
    ORDER BY id LIMIT :limit";

const LIST_OF_TRACE: &str = "
    SELECT * FROM evidence
    WHERE tenant = :tenant AND trace = :trace AND id >= :start AND id < :end
    ORDER BY id LIMIT :limit";

const SWEEP: &str = "
    DELETE FROM evidence WHERE rowid IN (
        SELECT rowid FROM evidence WHERE id < :end ORDER BY id LIMIT :limit)";

/// Pages follow the order of ids. By versions, each page would sort all remaining rows.
const LIST_KEYS: &str = "
    SELECT id, key_version, wrapped FROM evidence
    WHERE tenant = :tenant AND id > :after AND +key_version < :version
    ORDER BY id LIMIT :limit";

const REWRAP: &str = "
    UPDATE evidence SET key_version = :version, wrapped = :wrapped, checksum = :checksum
    WHERE tenant = :tenant AND id = :id AND key_version = :was_version AND wrapped = :was
        AND EXISTS (
            SELECT 1 FROM evidence_keys
            WHERE tenant = :tenant AND version = :was_version AND lives = 1)
        AND EXISTS (
            SELECT 1 FROM evidence_keys
            WHERE tenant = :tenant AND version = :version AND lives = 1)";

#[async_trait]
impl EvidenceStore for SqliteStore {
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        self.queue.run(JobKind::Write, move |connection| put(connection, &snapshot)).await
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        let find = move |connection: &Connection| {
            let id = id.uuid();
            let parameters = named_params! { ":tenant": tenant.as_bytes(), ":id": id.as_bytes() };
            connection.prepare_cached(FIND)?.query_row(parameters, snapshot).optional()
        };
        self.queue.run(JobKind::Read, find).await
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        let query = query.clone();
        let list = move |connection: &Connection| list(connection, &query, after, count(limit));
        self.queue.run(JobKind::Read, list).await
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            let end = SnapshotId::least_uuid(before);
            connection
                .prepare_cached(SWEEP)?
                .execute(named_params! { ":end": end.as_bytes(), ":limit": count(limit) })
        };
        self.queue.run(JobKind::Write, sweep).await
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        self.queue.run(JobKind::Write, move |connection| keys::add(connection, &key)).await
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        self.queue
            .run(JobKind::Read, move |connection| keys::find(connection, tenant, version))
            .await
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        self.queue.run(JobKind::Read, move |connection| keys::newest(connection, tenant)).await
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        let not_by: Box<str> = not_by.into();
        let list =
            move |connection: &Connection| keys::list(connection, &not_by, after, count(limit));
        self.queue.run(JobKind::Read, list).await
    }

    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError> {
        let was = was.clone();
        self.queue.run(JobKind::Write, move |connection| keys::rewrap(connection, &was, &now)).await
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        let destroy = move |connection: &Connection| keys::destroy_unused(connection, tenant);
        self.queue.run(JobKind::Erase, destroy).await
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.queue.run(JobKind::Erase, move |connection| keys::destroy(connection, tenant)).await
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        let list = move |connection: &Connection| {
            let after = after.map_or(Uuid::nil(), SnapshotId::uuid);
            let parameters = named_params! {
                ":tenant": tenant.as_bytes(),
                ":after": after.as_bytes(),
                ":version": before_version,
                ":limit": count(limit),
            };
            let key = |row: &Row<'_>| Ok((id(row)?, wrapped_key(row)?));
            connection.prepare_cached(LIST_KEYS)?.query_map(parameters, key)?.collect()
        };
        self.queue.run(JobKind::Read, list).await
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let was = was.clone();
        let rewrap = move |connection: &Connection| {
            let changed = connection.prepare_cached(REWRAP)?.execute(named_params! {
                ":tenant": tenant.as_bytes(),
                ":id": id.uuid().as_bytes(),
                ":was_version": was.version,
                ":was": was.wrapped,
                ":version": now.version,
                ":wrapped": now.wrapped,
                ":checksum": checksum,
            })?;
            Ok(changed > 0)
        };
        self.queue.run(JobKind::Write, rewrap).await
    }
}

fn put(connection: &Connection, snapshot: &StoredSnapshot) -> rusqlite::Result<bool> {
    let StoredSnapshot { facts, sealed, checksum } = snapshot;
    let (tenant, id) = (facts.tenant, facts.id.uuid());
    let sealed = sealed.as_ref();
    let put = connection.prepare_cached(PUT)?.execute(named_params! {
        ":tenant": tenant.as_bytes(),
        ":id": id.as_bytes(),
        ":trace": facts.trace,
        ":key_version": sealed.map(|sealed| sealed.key.version),
        ":wrapped": sealed.map(|sealed| &sealed.key.wrapped),
        ":facts": facts.facts,
        ":arguments": sealed.and_then(|sealed| sealed.arguments.as_ref()),
        ":output": sealed.and_then(|sealed| sealed.output.as_ref()),
        ":checksum": checksum,
    })?;
    if put > 0 {
        return Ok(true);
    }
    let parameters = named_params! { ":tenant": tenant.as_bytes(), ":id": id.as_bytes() };
    connection.prepare_cached(IS_KEPT)?.query_row(parameters, |row| row.get(0))
}

fn list(
    connection: &Connection,
    query: &SnapshotQuery,
    after: Option<SnapshotId>,
    limit: i64,
) -> rusqlite::Result<Vec<ListedSnapshot>> {
    let ids = query.ids(after);
    let (tenant, start, end) = (query.tenant.as_bytes(), ids.start.as_bytes(), ids.end.as_bytes());
    let Some(trace) = &query.trace else {
        let parameters =
            named_params! { ":tenant": tenant, ":start": start, ":end": end, ":limit": limit };
        return connection.prepare_cached(LIST)?.query_map(parameters, listed)?.collect();
    };
    let parameters = named_params! {
        ":tenant": tenant,
        ":trace": trace,
        ":start": start,
        ":end": end,
        ":limit": limit,
    };
    connection.prepare_cached(LIST_OF_TRACE)?.query_map(parameters, listed)?.collect()
}

pub(super) fn snapshot(row: &Row<'_>) -> rusqlite::Result<StoredSnapshot> {
    let (arguments, output) = (row.get("arguments")?, row.get("output")?);
    let sealed = match row.get::<_, Option<u32>>("key_version")? {
        None if (&arguments, &output) == (&None::<Vec<u8>>, &None::<Vec<u8>>) => None,
        // The store never writes sealed texts without a key: no checksum is valid for version 0.
        None => Some(SealedContents { key: WrappedKey::new(0, Vec::new()), arguments, output }),
        Some(_) => Some(SealedContents { key: wrapped_key(row)?, arguments, output }),
    };
    Ok(StoredSnapshot { facts: facts(row)?, sealed, checksum: row.get("checksum")? })
}

/// Reads a row of a list; its sealed texts are hashed and dropped.
fn listed(row: &Row<'_>) -> rusqlite::Result<ListedSnapshot> {
    snapshot(row).map(ListedSnapshot::from)
}

fn facts(row: &Row<'_>) -> rusqlite::Result<StoredFacts> {
    Ok(StoredFacts {
        tenant: uuid(row, "tenant")?,
        id: id(row)?,
        trace: row.get("trace")?,
        facts: row.get("facts")?,
    })
}

fn id(row: &Row<'_>) -> rusqlite::Result<SnapshotId> {
    let version = rusqlite::Error::IntegralValueOutOfRange(0, 7);
    SnapshotId::from_uuid(uuid(row, "id")?).ok_or(version)
}

fn wrapped_key(row: &Row<'_>) -> rusqlite::Result<WrappedKey> {
    Ok(WrappedKey { version: row.get("key_version")?, wrapped: row.get("wrapped")? })
}
