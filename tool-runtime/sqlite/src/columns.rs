//! Converts values to columns and back.

use rusqlite::Row;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

/// Converts a timestamp to a column. SQLite's integers are signed: a larger value becomes the
/// greatest.
pub(super) fn timestamp(timestamp: UnixMillis) -> i64 {
    whole(timestamp.get())
}

/// Converts a column to a timestamp; the greatest integer becomes the last timestamp.
pub(super) fn to_unix_millis(stored: i64) -> UnixMillis {
    UnixMillis::new(if stored == i64::MAX { u64::MAX } else { u64::try_from(stored).unwrap_or(0) })
}

/// Converts a length, an offset or a fence to a column.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number of rows, bytes or versions to a column.
pub(crate) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn uuid(row: &Row<'_>, column: &str) -> rusqlite::Result<Uuid> {
    row.get(column).map(Uuid::from_bytes)
}

pub(super) fn digest(row: &Row<'_>, column: &str) -> rusqlite::Result<Digest> {
    row.get(column).map(Digest::from_bytes)
}

pub(super) fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<UnixMillis> {
    row.get(column).map(to_unix_millis)
}
