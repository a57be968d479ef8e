//! How values are written into columns, and read.

use rusqlite::Row;
use uuid::Uuid;

use crate::canonical::Digest;
use crate::store::UnixMillis;

/// A moment as it is stored. SQLite's integers are signed: all moments that do not fit are one,
/// the last.
pub(super) fn moment(moment: UnixMillis) -> i64 {
    whole(moment.get())
}

/// Reads a moment; the last one is the last one there is.
pub(super) fn to_moment(stored: i64) -> UnixMillis {
    UnixMillis::new(if stored == i64::MAX { u64::MAX } else { u64::try_from(stored).unwrap_or(0) })
}

/// A length, a position or a fence as it is stored.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of rows, bytes or versions as it is stored.
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
    row.get(column).map(to_moment)
}
