//! Checking the file when it is opened: SQLite's own structure, and the checksums of rows.

use rusqlite::{Connection, named_params};

use super::checksum::RowKeys;
use super::columns::count;
use super::error::of_sqlite;
use super::row::Found;
use crate::store::{KeyRecord, StoreError, StoreErrorKind};

/// How many rows are checked when the file is opened, the newest first.
const MOST_ROWS: usize = 10_000;

/// How many problems SQLite looks for.
const MOST_PROBLEMS: usize = 100;

const NEWEST: &str = "SELECT * FROM keys ORDER BY fence DESC LIMIT :most";

const DAMAGED: &str = "SELECT * FROM keys WHERE damaged = 1 ORDER BY fence LIMIT :most";

/// Says what opening a [`Sqlite`](super::Sqlite) store found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCheck {
    /// How many rows of idempotency keys were checked.
    pub rows: usize,
    /// How many of them failed their checksum.
    pub damaged: usize,
}

/// Has SQLite check the file's structure.
///
/// Problems inside rows of `keys` are left to their checksums, which tell row from row.
pub(super) fn check_file(connection: &Connection) -> Result<(), StoreError> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut check = connection.prepare(&format!("PRAGMA quick_check({MOST_PROBLEMS})"))?;
        check.query_map([], |row| row.get(0))?.collect()
    };
    let problems = check().map_err(|error| of_sqlite(&error))?;
    let is_of_a_row = |problem: &&String| {
        problem.ends_with("CHECK constraint failed in keys") || problem.contains(" value in keys.")
    };
    match problems.iter().find(|problem| *problem != "ok" && !is_of_a_row(problem)) {
        None => Ok(()),
        Some(problem) => {
            let log = format!("the file is damaged: {problem}; restore it from a backup");
            Err(StoreError::new(StoreErrorKind::Damaged, log))
        }
    }
}

/// Checks the checksums of the newest rows, and marks those that fail.
pub(super) fn check_rows(
    connection: &Connection,
    keys: &RowKeys,
    checks: bool,
) -> Result<FileCheck, StoreError> {
    if !checks {
        return Ok(FileCheck::default());
    }
    let check = || -> rusqlite::Result<FileCheck> {
        let mut found = FileCheck::default();
        let mut damaged = Vec::new();
        let mut newest = connection.prepare(NEWEST)?;
        let mut rows = newest.query(named_params! { ":most": count(MOST_ROWS) })?;
        while let Some(row) = rows.next()? {
            found.rows += 1;
            if let Found::Damaged(row) = Found::read(row, keys)? {
                damaged.push(row);
            }
        }
        found.damaged = damaged.len();
        damaged.iter().try_for_each(|row| row.mark(connection)).map(|()| found)
    };
    check().map_err(|error| of_sqlite(&error))
}

/// Lists rows that were found damaged.
pub(super) fn damaged(
    connection: &Connection,
    keys: &RowKeys,
    most: usize,
) -> rusqlite::Result<Vec<KeyRecord>> {
    connection
        .prepare_cached(DAMAGED)?
        .query_map(named_params! { ":most": count(most) }, |row| {
            Found::read(row, keys).map(Found::into_record)
        })?
        .collect()
}
