//! Converts values to columns and back.

use rusqlite::Row;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_core::store::signed::to_unix_millis;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

pub(super) fn uuid(row: &Row<'_>, column: &str) -> rusqlite::Result<Uuid> {
    row.get(column).map(Uuid::from_bytes)
}

pub(super) fn digest(row: &Row<'_>, column: &str) -> rusqlite::Result<Digest> {
    row.get(column).map(Digest::from_bytes)
}

pub(super) fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<UnixMillis> {
    row.get(column).map(to_unix_millis)
}
