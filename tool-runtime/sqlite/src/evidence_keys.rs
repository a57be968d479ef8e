//! The tenants' keys, in rows of fixed size that are overwritten in place: see `migrations/1.sql`.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::evidence::TenantKey;
use uuid::Uuid;

use super::columns::uuid;

/// The length of the column for a ring key's id, which is padded with zeros.
const RING_KEY_BYTES: usize = 64;

const ADD: &str = "
    INSERT INTO evidence_keys (tenant, version, lives, ring_key, wrapped)
    SELECT :tenant, :version, 1, :ring_key, :wrapped
    WHERE NOT EXISTS (
        SELECT 1 FROM evidence_keys WHERE tenant = :tenant AND version >= :version)";

const FIND: &str = "SELECT * FROM evidence_keys WHERE tenant = :tenant AND version = :version";

const NEWEST: &str = "
    SELECT * FROM evidence_keys WHERE tenant = :tenant ORDER BY version DESC LIMIT 1";

const LIST: &str = "
    SELECT * FROM evidence_keys
    WHERE (tenant, version) > (:tenant, :version) AND lives = 1 AND ring_key <> :ring_key
    ORDER BY tenant, version LIMIT :limit";

const REWRAP: &str = "
    UPDATE evidence_keys SET ring_key = :ring_key, wrapped = :wrapped
    WHERE tenant = :tenant AND version = :version AND lives = 1
        AND ring_key = :was_ring_key AND wrapped = :was";

const DESTROY: &str = "
    UPDATE evidence_keys SET lives = 0, ring_key = zeroblob(64), wrapped = zeroblob(81)
    WHERE tenant = :tenant AND lives = 1";

const DESTROY_UNUSED: &str = "
    UPDATE evidence_keys SET lives = 0, ring_key = zeroblob(64), wrapped = zeroblob(81)
    WHERE tenant = :tenant AND lives = 1
        AND version < (SELECT max(version) FROM evidence_keys WHERE tenant = :tenant)
        AND version NOT IN (
            SELECT key_version FROM evidence WHERE tenant = :tenant AND key_version IS NOT NULL)";

pub(super) fn add(connection: &Connection, key: &TenantKey) -> rusqlite::Result<bool> {
    let added = connection.prepare_cached(ADD)?.execute(named_params! {
        ":tenant": key.tenant.as_bytes(),
        ":version": key.version,
        ":ring_key": padded(&key.ring_key),
        ":wrapped": key.wrapped,
    })?;
    Ok(added > 0)
}

pub(super) fn find(
    connection: &Connection,
    tenant: Uuid,
    version: u32,
) -> rusqlite::Result<Option<TenantKey>> {
    let parameters = named_params! { ":tenant": tenant.as_bytes(), ":version": version };
    connection.prepare_cached(FIND)?.query_row(parameters, key).optional()
}

pub(super) fn newest(connection: &Connection, tenant: Uuid) -> rusqlite::Result<Option<TenantKey>> {
    let parameters = named_params! { ":tenant": tenant.as_bytes() };
    connection.prepare_cached(NEWEST)?.query_row(parameters, key).optional()
}

pub(super) fn list(
    connection: &Connection,
    not_by: &str,
    after: Option<(Uuid, u32)>,
    limit: i64,
) -> rusqlite::Result<Vec<TenantKey>> {
    let (tenant, version) = after.unwrap_or((Uuid::nil(), 0));
    let parameters = named_params! {
        ":tenant": tenant.as_bytes(),
        ":version": version,
        ":ring_key": padded(not_by),
        ":limit": limit,
    };
    connection.prepare_cached(LIST)?.query_map(parameters, key)?.collect()
}

pub(super) fn rewrap(
    connection: &Connection,
    was: &TenantKey,
    now: &TenantKey,
) -> rusqlite::Result<bool> {
    let changed = connection.prepare_cached(REWRAP)?.execute(named_params! {
        ":tenant": was.tenant.as_bytes(),
        ":version": was.version,
        ":was_ring_key": padded(&was.ring_key),
        ":was": was.wrapped,
        ":ring_key": padded(&now.ring_key),
        ":wrapped": now.wrapped,
    })?;
    Ok(changed > 0)
}

pub(super) fn destroy_unused(connection: &Connection, tenant: Uuid) -> rusqlite::Result<usize> {
    let parameters = named_params! { ":tenant": tenant.as_bytes() };
    connection.prepare_cached(DESTROY_UNUSED)?.execute(parameters)
}

pub(super) fn destroy(connection: &Connection, tenant: Uuid) -> rusqlite::Result<usize> {
    let parameters = named_params! { ":tenant": tenant.as_bytes() };
    connection.prepare_cached(DESTROY)?.execute(parameters)
}

/// Pads an id with zeros. A longer one is unchanged, and the table refuses it.
fn padded(ring_key: &str) -> Vec<u8> {
    let mut padded = ring_key.as_bytes().to_vec();
    padded.resize(padded.len().max(RING_KEY_BYTES), 0);
    padded
}

pub(super) fn key(row: &Row<'_>) -> rusqlite::Result<TenantKey> {
    let (tenant, version) = (uuid(row, "tenant")?, row.get("version")?);
    if row.get::<_, i64>("lives")? == 0 {
        return Ok(TenantKey::destroyed(tenant, version));
    }
    let mut ring_key: Vec<u8> = row.get("ring_key")?;
    ring_key.truncate(ring_key.iter().position(|byte| *byte == 0).unwrap_or(RING_KEY_BYTES));
    let ring_key = String::from_utf8(ring_key)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, error.into()))?;
    Ok(TenantKey::new(tenant, version, ring_key, row.get("wrapped")?))
}
