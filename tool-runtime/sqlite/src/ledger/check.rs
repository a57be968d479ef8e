//! Checks that reading the rows in order does not make: the table's definition, range and indexes.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};
use tool_runtime_core::store::StoreError;

use super::{PAIR_INDEX, whole};
use crate::error::{damaged, store_error};
use crate::format;

const TABLE: &str = "trace_ledger";

/// Checks that the indexes lead to the rows of a range; if it begins at 0, also the table as a
/// whole.
pub(super) fn table(connection: &Connection, range: Range<u64>) -> Result<(), StoreError> {
    let defined = definition(connection)?;
    if range.start == 0 {
        if defined != definition(&reference(connection)?)? {
            return Err(damaged(
                "the definition of `trace_ledger`, or of an index or trigger on it, was changed: \
                 compare the file's schema with a new ledger's",
            ));
        }
        // No verification of the chain reads a row outside of it.
        row_before_the_first(connection)?;
    }
    let indexes = defined.iter().filter(|object| object.kind == "index");
    indexes.into_iter().try_for_each(|index| lists(connection, &index.name, &range))
}

/// Creates an empty database in memory with the schema of the file's version, for comparison.
fn reference(connection: &Connection) -> Result<Connection, StoreError> {
    let version = format::version(connection)?;
    let make = || -> rusqlite::Result<Connection> {
        let reference = Connection::open_in_memory()?;
        format::MIGRATIONS.iter().take(version).try_for_each(|sql| reference.execute_batch(sql))?;
        Ok(reference)
    };
    make().map_err(|error| store_error(&error))
}

/// Returns whether the table has this index.
pub(super) fn has_index(connection: &Connection, index: &str) -> Result<bool, StoreError> {
    definition(connection).map(|defined| defined.iter().any(|object| object.name == index))
}

/// An object of the schema that belongs to the table.
#[derive(Debug, PartialEq, Eq)]
struct SchemaObject {
    kind: String,
    name: String,
    sql: Option<String>,
}

fn definition(connection: &Connection) -> Result<Vec<SchemaObject>, StoreError> {
    let read = || -> rusqlite::Result<Vec<SchemaObject>> {
        let mut statement = connection.prepare_cached(
            "SELECT type, name, sql FROM sqlite_schema WHERE lower(tbl_name) = ?1 ORDER BY 1, 2",
        )?;
        let object = |row: &rusqlite::Row<'_>| {
            Ok(SchemaObject { kind: row.get(0)?, name: row.get(1)?, sql: row.get(2)? })
        };
        statement.query_map([TABLE], object)?.collect()
    };
    read().map_err(|error| store_error(&error))
}

fn row_before_the_first(connection: &Connection) -> Result<(), StoreError> {
    let first: Option<i64> = connection
        .query_row("SELECT min(seq) FROM trace_ledger", [], |row| row.get(0))
        .map_err(|error| store_error(&error))?;
    match first {
        Some(seq) if seq < 0 => Err(damaged(format!(
            "row {seq} is not part of the ledger, whose rows begin at 0: keep the file as it is, \
             and find out what else writes to it"
        ))),
        _ => Ok(()),
    }
}

/// Checks that an index lists each call of a range under its record's values.
fn lists(connection: &Connection, index: &str, range: &Range<u64>) -> Result<(), StoreError> {
    let columns = match index {
        "trace_ledger_of_trace" => "i.trace_id = t.trace_id",
        "trace_ledger_of_tenant" => "i.tenant_id = t.tenant_id",
        PAIR_INDEX => "i.tenant_id = t.tenant_id AND i.trace_id = t.trace_id",
        // The definition was checked, so there is no other index.
        _ => return Ok(()),
    };
    let sql = format!(
        "SELECT t.seq FROM trace_ledger AS t NOT INDEXED
         WHERE t.seq >= ?1 AND t.seq < ?2 AND t.kind = 'call'
           AND t.trace_id IS NOT NULL AND t.tenant_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM trace_ledger AS i INDEXED BY {index}
                           WHERE {columns} AND i.seq = t.seq)
         LIMIT 1"
    );
    let unlisted = || -> rusqlite::Result<Option<i64>> {
        let mut statement = connection.prepare_cached(&sql)?;
        statement.query_row([whole(range.start), whole(range.end)], |row| row.get(0)).optional()
    };
    match unlisted().map_err(|error| store_error(&error))? {
        None => Ok(()),
        Some(seq) => Err(damaged(format!(
            "the index `{index}` does not list record {seq}, so that searches miss it: rebuild it \
             (`REINDEX trace_ledger`), and find out what else writes to the file"
        ))),
    }
}
