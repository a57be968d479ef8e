//! Integrity checks at opening: SQLite's structure, and the checksums of rows.

use rusqlite::{Connection, named_params};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{KeyRecord, StoreError};

use super::checksum::RowKeys;
use super::error::{self, store_error};
use super::row::FoundRow;

/// The number of rows that are checked at opening, the newest first.
const MAX_ROWS: usize = 10_000;

/// The number of problems after which SQLite stops.
const MAX_PROBLEMS: usize = 100;

const NEWEST: &str = "SELECT * FROM keys ORDER BY fence DESC LIMIT :limit";

const DAMAGED: &str = "SELECT * FROM keys WHERE damaged = 1 ORDER BY fence LIMIT :limit";

/// The result of the check at opening a [`SqliteStore`](super::SqliteStore).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCheck {
    /// The number of rows of idempotency keys that were checked.
    pub rows: usize,
    /// The number of them that failed their checksum.
    pub damaged: usize,
}

/// Checks the file's structure with SQLite.
///
/// Problems inside rows of `keys` are ignored: the rows' checksums detect them.
pub(super) fn check_file(connection: &Connection) -> Result<(), StoreError> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut check = connection.prepare(&format!("PRAGMA quick_check({MAX_PROBLEMS})"))?;
        check.query_map([], |row| row.get(0))?.collect()
    };
    let problems = check().map_err(|error| store_error(&error))?;
    let is_in_a_row = |problem: &&String| {
        problem.ends_with("CHECK constraint failed in keys") || problem.contains(" value in keys.")
    };
    match problems.iter().find(|problem| *problem != "ok" && !is_in_a_row(problem)) {
        None => Ok(()),
        Some(problem) => {
            let log = format!("the file is damaged: {problem}; restore it from a backup");
            Err(error::damaged(log))
        }
    }
}

/// Verifies the checksums of the newest rows, and marks those that fail.
pub(super) fn check_rows(
    connection: &Connection,
    keys: &RowKeys,
    checks: bool,
) -> Result<FileCheck, StoreError> {
    if !checks {
        return Ok(FileCheck::default());
    }
    mark_damaged(connection, keys, MAX_ROWS).map_err(|error| store_error(&error))
}

/// Verifies the checksums of all rows and marks those that fail; an error if there are any.
pub(super) fn must_have_no_damaged_row(
    connection: &Connection,
    keys: &RowKeys,
) -> Result<(), StoreError> {
    let check = mark_damaged(connection, keys, usize::MAX).map_err(|error| store_error(&error))?;
    if check.damaged == 0 {
        return Ok(());
    }
    // The key in such a row may be wrong: a copy would be found by it, and not by the call's own key.
    let log = format!(
        "{} keys fail their checksums: list them with `SqliteStore::damaged_keys`, and resolve their outcomes first",
        check.damaged
    );
    Err(error::damaged(log))
}

fn mark_damaged(
    connection: &Connection,
    keys: &RowKeys,
    max_rows: usize,
) -> rusqlite::Result<FileCheck> {
    let mut file_check = FileCheck::default();
    let mut damaged = Vec::new();
    let mut newest = connection.prepare(NEWEST)?;
    let mut rows = newest.query(named_params! { ":limit": count(max_rows) })?;
    while let Some(row) = rows.next()? {
        file_check.rows += 1;
        if let FoundRow::Damaged(row) = FoundRow::read(row, keys)? {
            damaged.push(row);
            if damaged.len() == MAX_ROWS {
                break;
            }
        }
    }
    file_check.damaged = damaged.len();
    damaged.iter().try_for_each(|row| row.mark(connection)).map(|()| file_check)
}

/// Lists the rows that are marked as damaged.
pub(super) fn damaged(
    connection: &Connection,
    keys: &RowKeys,
    limit: usize,
) -> rusqlite::Result<Vec<KeyRecord>> {
    connection
        .prepare_cached(DAMAGED)?
        .query_map(named_params! { ":limit": count(limit) }, |row| {
            FoundRow::read(row, keys).map(FoundRow::into_record)
        })?
        .collect()
}
