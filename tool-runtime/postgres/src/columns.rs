//! Converts the values of columns and parameters.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use tool_runtime_core::store::signed::to_unix_millis;
use tool_runtime_core::store::{StoreError, UnixMillis};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::error::damaged;

/// Reads a column by its name.
pub(crate) fn column<'r, T: FromSql<'r>>(row: &'r Row, name: &str) -> Result<T, StoreError> {
    row.try_get(name).map_err(|_| {
        damaged(format!("the column `{name}` has a value that the store did not write"))
    })
}

pub(crate) fn time(row: &Row, name: &str) -> Result<UnixMillis, StoreError> {
    column(row, name).map(to_unix_millis)
}

pub(crate) fn digest(row: &Row, name: &str) -> Result<Digest, StoreError> {
    let bytes: &[u8] = column(row, name)?;
    let bytes = <[u8; 32]>::try_from(bytes);
    bytes
        .map(Digest::from_bytes)
        .map_err(|_| damaged(format!("the column `{name}` is not a digest")))
}

/// Returns the digest of a session, which is equal only for equal tenants, principals and sessions.
pub(crate) fn session_digest(tenant: Uuid, principal: &str, session: &str) -> Digest {
    let parts = serde_json::json!([tenant.to_string(), principal, session]);
    Digest::compute("tool-runtime/postgres/session/v1", parts.to_string().as_bytes())
}

pub(crate) fn optional_time(row: &Row, name: &str) -> Result<Option<UnixMillis>, StoreError> {
    column::<Option<i64>>(row, name).map(|time| time.map(to_unix_millis))
}
