//! Evidence in PostgreSQL: the trait's implementation, and the snapshots.

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_core::store::evidence::{
    EvidenceStore, ListedSnapshot, SealedContents, SnapshotId, SnapshotQuery, StoredFacts,
    StoredSnapshot, TenantKey, WrappedKey,
};
use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::column;
use crate::database::RowScope;
use crate::error::damaged;
use crate::evidence_keys as keys;
use crate::statement::{Statement, must_have_no_nul};

/// A snapshot is stored if it has no sealed contents, or the key of its contents exists. The key's row is
/// locked, so that the key is not destroyed at the same moment. One row: it is stored, now or already.
const PUT: &str = r#"
    WITH stored AS (
        SELECT id FROM "SCHEMA".evidence WHERE tenant = $1 AND id = $2
    ), sealing AS (
        SELECT version FROM "SCHEMA".evidence_keys
        WHERE tenant = $1 AND version = $4 AND wrapped IS NOT NULL FOR SHARE
    ), inserted AS (
        INSERT INTO "SCHEMA".evidence
            (tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
        WHERE $4::bigint IS NULL OR EXISTS (SELECT FROM sealing)
        ON CONFLICT (tenant, id) DO NOTHING
        RETURNING id
    )
    SELECT id FROM stored UNION ALL SELECT id FROM inserted"#;

const FIND: &str = r#"
    SELECT tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum
    FROM "SCHEMA".evidence WHERE tenant = $1 AND id = $2"#;

const LIST: &str = r#"
    SELECT tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum
    FROM "SCHEMA".evidence
    WHERE tenant = $1 AND id >= $2 AND id < $3
    ORDER BY id LIMIT $4"#;

const LIST_OF_TRACE: &str = r#"
    SELECT tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum
    FROM "SCHEMA".evidence
    WHERE tenant = $1 AND hashtextextended(trace, 0) = hashtextextended($5, 0) AND trace = $5 AND id >= $2 AND id < $3
    ORDER BY id LIMIT $4"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT tenant, id FROM "SCHEMA".evidence WHERE id < $1
        ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".evidence USING due
    WHERE evidence.tenant = due.tenant AND evidence.id = due.id
    RETURNING evidence.id"#;

/// Pages follow the order of ids.
const LIST_KEYS: &str = r#"
    SELECT id, key_version, wrapped FROM "SCHEMA".evidence
    WHERE tenant = $1 AND id > $2 AND key_version < $3
    ORDER BY id LIMIT $4"#;

const REWRAP: &str = r#"
    WITH living AS (
        SELECT version FROM "SCHEMA".evidence_keys
        WHERE tenant = $1 AND version IN ($3, $5) AND wrapped IS NOT NULL FOR SHARE
    )
    UPDATE "SCHEMA".evidence SET key_version = $5, wrapped = $6, checksum = $7
    WHERE tenant = $1 AND id = $2 AND key_version = $3 AND wrapped = $4
        AND $3 IN (SELECT version FROM living) AND $5 IN (SELECT version FROM living)
    RETURNING id"#;

#[async_trait]
impl EvidenceStore for PostgresStore {
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        let scope = RowScope::Tenant(snapshot.facts.tenant);
        self.execute(scope, insertion(PUT, snapshot)?).await.map(|rows| rows > 0)
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        let scope = RowScope::Tenant(tenant);
        Ok(self.query(scope, lookup(tenant, id), snapshot).await?.pop())
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        let ids = query.ids(after);
        let sql = if query.trace.is_some() { LIST_OF_TRACE } else { LIST };
        let statement =
            Statement::new(sql).uuid(query.tenant).uuid(ids.start).uuid(ids.end).limit(limit);
        let statement = match &query.trace {
            Some(trace) => statement.text(trace),
            None => statement,
        };
        // The sealed texts of a row are hashed and dropped before the next one is read.
        let read = |row: &Row| snapshot(row).map(ListedSnapshot::from);
        self.query(RowScope::Tenant(query.tenant), statement, read).await
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let end = SnapshotId::least_uuid(before);
        self.execute(RowScope::AllTenants, Statement::new(SWEEP).uuid(end).limit(limit)).await
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        must_have_no_nul(&[&key.ring_key])?;
        let scope = RowScope::Tenant(key.tenant);
        self.execute_all(scope, keys::addition(key)).await.map(|rows| rows > 0)
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        let statement = keys::lookup(tenant, version);
        Ok(self.query(RowScope::Tenant(tenant), statement, keys::key).await?.pop())
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        let statement = keys::newest(tenant);
        Ok(self.query(RowScope::Tenant(tenant), statement, keys::key).await?.pop())
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        let statement = keys::list(not_by, after, limit);
        self.query(RowScope::AllTenants, statement, keys::key).await
    }

    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError> {
        let statement = keys::rewrapping(was, now);
        self.execute(RowScope::Tenant(was.tenant), statement).await.map(|rows| rows > 0)
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.execute_all(RowScope::Tenant(tenant), keys::destruction_of_unused(tenant)).await
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.execute(RowScope::Tenant(tenant), keys::destruction(tenant)).await
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        let after = after.map_or(Uuid::nil(), SnapshotId::uuid);
        let statement = Statement::new(LIST_KEYS)
            .uuid(tenant)
            .uuid(after)
            .number(i64::from(before_version))
            .limit(limit);
        let key = |row: &Row| Ok((id(row)?, wrapped_key(row)?));
        self.query(RowScope::Tenant(tenant), statement, key).await
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let statement = Statement::new(REWRAP)
            .uuid(tenant)
            .uuid(id.uuid())
            .number(i64::from(was.version))
            .bytes(was.wrapped.clone())
            .number(i64::from(now.version))
            .bytes(now.wrapped)
            .bytes(checksum);
        self.execute(RowScope::Tenant(tenant), statement).await.map(|rows| rows > 0)
    }
}

/// Returns the statement that inserts a snapshot, with its columns as parameters.
pub(crate) fn insertion(
    sql: &'static str,
    snapshot: StoredSnapshot,
) -> Result<Statement, StoreError> {
    let StoredSnapshot { facts, sealed, checksum } = snapshot;
    must_have_no_nul(&[&facts.trace])?;
    let (key, arguments, output) = match sealed {
        Some(sealed) => (Some(sealed.key), sealed.arguments, sealed.output),
        None => (None, None, None),
    };
    Ok(Statement::new(sql)
        .uuid(facts.tenant)
        .uuid(facts.id.uuid())
        .text(&facts.trace)
        .optional_number(key.as_ref().map(|key| i64::from(key.version)))
        .optional_bytes(key.map(|key| key.wrapped))
        .bytes(facts.facts)
        .optional_bytes(arguments)
        .optional_bytes(output)
        .bytes(checksum))
}

pub(crate) fn lookup(tenant: Uuid, id: SnapshotId) -> Statement {
    Statement::new(FIND).uuid(tenant).uuid(id.uuid())
}

pub(crate) fn snapshot(row: &Row) -> Result<StoredSnapshot, StoreError> {
    let (arguments, output): (Option<Vec<u8>>, _) =
        (column(row, "arguments")?, column(row, "output")?);
    let sealed = match (column::<Option<i64>>(row, "key_version")?, &arguments, &output) {
        (None, None, None) => None,
        // The store never writes sealed texts without a key: no checksum is valid for version 0.
        (None, _, _) => {
            Some(SealedContents { key: WrappedKey::new(0, Vec::new()), arguments, output })
        }
        (Some(_), _, _) => Some(SealedContents { key: wrapped_key(row)?, arguments, output }),
    };
    let facts = StoredFacts {
        tenant: column(row, "tenant")?,
        id: id(row)?,
        trace: column(row, "trace")?,
        facts: column(row, "facts")?,
    };
    Ok(StoredSnapshot { facts, sealed, checksum: column(row, "checksum")? })
}

fn id(row: &Row) -> Result<SnapshotId, StoreError> {
    let id = SnapshotId::from_uuid(column(row, "id")?);
    id.ok_or_else(|| damaged("a snapshot has an id that the store did not write"))
}

fn wrapped_key(row: &Row) -> Result<WrappedKey, StoreError> {
    let version = keys::version(row, "key_version")?;
    Ok(WrappedKey { version, wrapped: column(row, "wrapped")? })
}
