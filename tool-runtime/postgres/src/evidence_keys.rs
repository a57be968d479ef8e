//! The tenants' keys in PostgreSQL. A destroyed key leaves its version.

use tokio_postgres::Row;
use tool_runtime_core::store::StoreError;
use tool_runtime_core::store::evidence::TenantKey;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::columns::column;
use crate::error::damaged;
use crate::statement::Statement;

const ADD: &str = r#"
    INSERT INTO "SCHEMA".evidence_keys (tenant, version, ring_key, wrapped)
    SELECT $1, $2, $3, $4
    WHERE NOT EXISTS (SELECT FROM "SCHEMA".evidence_keys WHERE tenant = $1 AND version >= $2)
    ON CONFLICT (tenant, version) DO NOTHING
    RETURNING version"#;

const FIND: &str = r#"
    SELECT tenant, version, ring_key, wrapped
    FROM "SCHEMA".evidence_keys WHERE tenant = $1 AND version = $2"#;

const NEWEST: &str = r#"
    SELECT tenant, version, ring_key, wrapped
    FROM "SCHEMA".evidence_keys WHERE tenant = $1 ORDER BY version DESC LIMIT 1"#;

const LIST: &str = r#"
    SELECT tenant, version, ring_key, wrapped
    FROM "SCHEMA".evidence_keys
    WHERE (tenant, version) > ($1, $2) AND wrapped IS NOT NULL AND ring_key <> $3
    ORDER BY tenant, version LIMIT $4"#;

const REWRAP: &str = r#"
    UPDATE "SCHEMA".evidence_keys SET ring_key = $5, wrapped = $6
    WHERE tenant = $1 AND version = $2 AND ring_key = $3 AND wrapped = $4
    RETURNING version"#;

const DESTROY: &str = r#"
    UPDATE "SCHEMA".evidence_keys SET ring_key = '', wrapped = NULL
    WHERE tenant = $1 AND wrapped IS NOT NULL
    RETURNING version"#;

/// Waits for the snapshots that are being stored, which have locked the rows of their keys. The next statement
/// sees them; the one that waits does not.
const LOCK_KEYS: &str = r#"
    SELECT version FROM "SCHEMA".evidence_keys
    WHERE tenant = $1 AND wrapped IS NOT NULL ORDER BY version FOR UPDATE"#;

const DESTROY_UNUSED: &str = r#"
    UPDATE "SCHEMA".evidence_keys SET ring_key = '', wrapped = NULL
    WHERE tenant = $1 AND wrapped IS NOT NULL
        AND version < (SELECT max(version) FROM "SCHEMA".evidence_keys WHERE tenant = $1)
        AND NOT EXISTS (
            SELECT FROM "SCHEMA".evidence
            WHERE evidence.tenant = $1 AND evidence.key_version = evidence_keys.version)
    RETURNING version"#;

/// Adds a key after all earlier additions of the tenant, so that it is compared with each of them.
pub(crate) fn addition(key: TenantKey) -> Vec<Statement> {
    let scope = Digest::compute("tool-runtime/postgres/tenant-keys", key.tenant.as_bytes());
    let add = Statement::new(ADD)
        .uuid(key.tenant)
        .number(i64::from(key.version))
        .text(&key.ring_key)
        .optional_bytes(key.wrapped);
    vec![Statement::lock(&scope), add]
}

pub(crate) fn lookup(tenant: Uuid, version: u32) -> Statement {
    Statement::new(FIND).uuid(tenant).number(i64::from(version))
}

pub(crate) fn newest(tenant: Uuid) -> Statement {
    Statement::new(NEWEST).uuid(tenant)
}

pub(crate) fn list(not_by: &str, after: Option<(Uuid, u32)>, limit: usize) -> Statement {
    let (tenant, version) = after.unwrap_or((Uuid::nil(), 0));
    Statement::new(LIST).uuid(tenant).number(i64::from(version)).text(not_by).limit(limit)
}

pub(crate) fn rewrapping(was: &TenantKey, now: TenantKey) -> Statement {
    Statement::new(REWRAP)
        .uuid(was.tenant)
        .number(i64::from(was.version))
        .text(&was.ring_key)
        .optional_bytes(was.wrapped.clone())
        .text(&now.ring_key)
        .optional_bytes(now.wrapped)
}

pub(crate) fn destruction(tenant: Uuid) -> Statement {
    Statement::new(DESTROY).uuid(tenant)
}

pub(crate) fn destruction_of_unused(tenant: Uuid) -> Vec<Statement> {
    [LOCK_KEYS, DESTROY_UNUSED].map(|sql| Statement::new(sql).uuid(tenant)).into()
}

pub(crate) fn key(row: &Row) -> Result<TenantKey, StoreError> {
    let (tenant, version) = (column(row, "tenant")?, version(row, "version")?);
    match column::<Option<Vec<u8>>>(row, "wrapped")? {
        None => Ok(TenantKey::destroyed(tenant, version)),
        Some(wrapped) => {
            Ok(TenantKey::new(tenant, version, column::<Box<str>>(row, "ring_key")?, wrapped))
        }
    }
}

pub(crate) fn version(row: &Row, name: &str) -> Result<u32, StoreError> {
    let version: i64 = column(row, name)?;
    u32::try_from(version)
        .map_err(|_| damaged(format!("`{name}` has a version that the store did not write")))
}
