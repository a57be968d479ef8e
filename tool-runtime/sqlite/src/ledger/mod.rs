//! A ledger in a table of SQLite.

mod check;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, TransactionBehavior};
use tool_runtime_core::store::StoreError;
use tool_runtime_core::store::signed::{count, whole};
use tool_runtime_record::ledger::call_kind::KIND_SQL;
use tool_runtime_record::ledger::query::timestamp;
use tool_runtime_record::ledger::stores::{check_order, read_only};
use tool_runtime_record::ledger::{
    ChainEntry, LedgerQuery, LedgerStore, RecordStatus, RecordedCallKind,
};
#[cfg(test)]
use tool_runtime_record::ledger::{ChainHead, ChainKeys};
use tool_runtime_schema::canonical::Digest;

use crate::connection;
use crate::error::store_error;
use crate::reader::open_to_read;
use crate::{SqliteOptions, SqliteStore};

/// The number of rows whose contents are erased in one transaction; others may write in between.
const ERASE_BATCH: u64 = 4_096;

/// The index by tenant and trace.
const PAIR_INDEX: &str = "trace_ledger_of_tenant_trace";

/// The number of rows that are searched at once: few of them are read if a trace or a tenant is
/// given, otherwise all.
const SEARCH_SPAN: u64 = 16_384;

/// Keeps a ledger in the table `trace_ledger` of a SQLite file.
///
/// It opens a separate connection, so it can use the file of a
/// [`SqliteStore`](crate::SqliteStore) or a separate one. Only one process may write the
/// table; if another one does, appends are rejected. Opening and verifying the ledger check that
/// the table and its indexes have this release's definition: do not add indexes, triggers or
/// columns.
///
/// # The table
/// | column | |
/// | --- | --- |
/// | `seq` | the record's number |
/// | `tool_calls` | the record, JSON as the chain links it; null once it was erased |
/// | `leaf`, `key`, `mac` | the record's hash and link in the chain |
/// | `kind`, `trace_id`, `tenant_id`, `tool`, `status`, `latency_ms`, `error`, `at` | members of the record, generated from it, so that they cannot be altered separately; `error` is the code |
///
/// # Erased contents
/// They are overwritten in the file, and in the write-ahead log once no reader uses it.
///
/// # SQLite
/// The linked version is checked as [`SqliteStore`](crate::SqliteStore) does; opening
/// [read-only](Self::read_only) accepts every version.
///
/// # Examples
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainHead, LedgerQuery, LedgerStore, SqliteLedger};
/// use tool_runtime::policy::KeyRing;
///
/// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut ledger = SqliteLedger::open(folder.join("tools.db"))?;
/// ledger.append(&[ChainHead::empty().append(&keys, r#"{"kind":"call"}"#.into())])?;
/// let found = ledger.find(&LedgerQuery::new().tool("send_mail"))?;
/// # Ok(())
/// # }
/// ```
pub struct SqliteLedger {
    connection: Connection,
    writes: bool,
    /// True if the file has the index by tenant and trace. A file of an older format, which can
    /// only be read, lacks it.
    has_pair_index: bool,
}

impl SqliteLedger {
    /// Opens the ledger in a file, or creates it, readable by its owner alone.
    ///
    /// # Errors
    /// See [`SqliteStore::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &SqliteStore::options())
    }

    /// Opens the ledger with other options. The limits of a store's queue do not apply to a
    /// ledger.
    ///
    /// ```
    /// # fn doc(folder: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::SqliteLedger;
    /// use tool_runtime::store::SqliteStore;
    ///
    /// // Faster, but the last records may be lost in a power failure.
    /// let options = SqliteStore::options().sync_commits(false);
    /// let ledger = SqliteLedger::open_with(folder.join("ledger.db"), &options)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`SqliteStore::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &SqliteOptions) -> Result<Self, StoreError> {
        let connection = connection::open(path.as_ref(), options)?;
        connection.pragma_update(None, "secure_delete", true).map_err(|e| store_error(&e))?;
        Ok(Self { connection, writes: true, has_pair_index: true })
    }

    /// Opens an existing ledger read-only; a writer may have it open at the same time.
    ///
    /// Changes fail with [`ReadOnly`](tool_runtime_core::store::StoreErrorKind::ReadOnly).
    ///
    /// ```
    /// # fn doc(file: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::{LedgerStore, SqliteLedger};
    ///
    /// let first = SqliteLedger::read_only(file)?.read(0, 100)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if the file does not exist; `Damaged` if it is not a ledger, or has a newer
    /// format.
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let connection = open_to_read(path.as_ref(), &SqliteStore::options())?;
        let has_pair_index = check::has_index(&connection, PAIR_INDEX)?;
        Ok(Self { connection, writes: false, has_pair_index })
    }

    fn write_transaction(&mut self) -> Result<Transaction<'_>, StoreError> {
        if !self.writes {
            return Err(read_only());
        }
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| store_error(&error))
    }

    fn entries(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<ChainEntry>, StoreError> {
        let read = || -> rusqlite::Result<Vec<ChainEntry>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map(values, entry)?.collect()
        };
        read().map_err(|error| store_error(&error))
    }

    /// Finds the next row with contents, and erases the contents of a group of rows from there on.
    fn erase_some(&mut self, from: u64, before: u64) -> Result<Option<ErasedRows>, StoreError> {
        let transaction = self.write_transaction()?;
        let erase_rows = || {
            let Some(first) = with_contents(&transaction, from, before)? else { return Ok(None) };
            let end = before.min(first.saturating_add(ERASE_BATCH));
            let rows = transaction
                .prepare_cached(
                    "UPDATE trace_ledger SET tool_calls = NULL
                     WHERE seq >= ?1 AND seq < ?2 AND tool_calls IS NOT NULL",
                )?
                .execute([whole(first), whole(end)])?;
            Ok(Some(ErasedRows { rows, end }))
        };
        let erased = erase_rows().map_err(|error| store_error(&error))?;
        transaction.commit().map_err(|error| store_error(&error))?;
        Ok(erased)
    }
}

/// The number of rows that were erased, and the end of the range.
struct ErasedRows {
    rows: usize,
    end: u64,
}

impl LedgerStore for SqliteLedger {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        let transaction = self.write_transaction()?;
        check_order(next(&transaction).map_err(|error| store_error(&error))?, entries)?;
        insert(&transaction, entries)
            .and_then(|()| transaction.commit())
            .map_err(|error| store_error(&error))
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger
                   WHERE seq >= ?1 ORDER BY seq LIMIT ?2";
        self.entries(sql, &[&whole(from), &count(limit)])
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        next(&self.connection).map_err(|error| store_error(&error))
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger
                   WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1";
        self.entries(sql, &[]).map(|mut found| found.pop())
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {
        let FindStatement { sql, values } = FindStatement::new(query, self.has_pair_index);
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        self.entries(&sql, &values)
    }

    fn search_span(&self, query: &LedgerQuery) -> u64 {
        let LedgerQuery { trace_id, request_id, tool, status, kind, since, until, .. } = query;
        let filters = request_id.is_some()
            || tool.is_some()
            || status.is_some()
            || kind.is_some()
            || since.is_some()
            || until.is_some();
        // Each row that the index leads to matches, so the limit bounds the search.
        if trace_id.is_some() && !filters { u64::MAX } else { SEARCH_SPAN }
    }

    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {
        check::table(&self.connection, range)
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        let (mut from, mut rows) = (0, 0);
        while let Some(erased_rows) = self.erase_some(from, before)? {
            rows += erased_rows.rows as u64;
            from = erased_rows.end;
        }
        if rows > 0 {
            // Removes the erased contents from the write-ahead log now. If a reader prevents it, a
            // later checkpoint does it.
            let _ = self.connection.pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()));
        }
        Ok(rows)
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger").field("writes", &self.writes).finish_non_exhaustive()
    }
}

/// The statement for a query, and its parameters in order.
struct FindStatement {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl FindStatement {
    fn new(query: &LedgerQuery, has_pair_index: bool) -> Self {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger";
        let mut statement = Self { sql: sql.to_owned(), values: Vec::new() };
        let LedgerQuery {
            trace_id,
            request_id,
            tenant_id,
            tool,
            status,
            kind,
            since,
            until,
            after,
            before,
            limit,
        } = query;
        // Named, since SQLite's planner prefers the tenant's index and reads all of its rows.
        if has_pair_index && tenant_id.is_some() && trace_id.is_some() {
            statement.sql.push_str(" INDEXED BY ");
            statement.sql.push_str(PAIR_INDEX);
        }
        statement.sql.push_str(" WHERE kind = 'call' AND seq >= 0");
        statement.add_condition("trace_id =", trace_id.clone());
        // Read from the record: a further generated column would change the table's format.
        statement.add_condition("tool_calls ->> '$.request_id' =", request_id.clone());
        statement.add_condition("tenant_id =", tenant_id.map(|id| id.to_string()));
        statement.add_condition("tool =", tool.clone());
        statement.add_condition("status =", status.map(status_text));
        statement.add_condition(&format!("{KIND_SQL} ="), kind.map(RecordedCallKind::as_str));
        statement.add_condition("at >=", since.map(timestamp));
        statement.add_condition("at <", until.map(timestamp));
        statement.add_condition("seq >", after.map(|position| whole(position.seq())));
        statement.add_condition("seq <", before.map(whole));
        statement.sql.push_str(" ORDER BY seq LIMIT ?");
        statement.values.push(Box::new(count(*limit)));
        statement
    }

    fn add_condition(&mut self, condition: &str, value: Option<impl ToSql + 'static>) {
        if let Some(value) = value {
            self.sql.push_str(" AND ");
            self.sql.push_str(condition);
            self.sql.push_str(" ?");
            self.values.push(Box::new(value));
        }
    }
}

fn status_text(status: RecordStatus) -> &'static str {
    match status {
        RecordStatus::Success => "success",
        RecordStatus::Error => "error",
    }
}

fn insert(connection: &Connection, entries: &[ChainEntry]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO trace_ledger (seq, tool_calls, leaf, key, mac) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for entry in entries {
        let (seq, leaf) = (whole(entry.seq()), entry.leaf().as_bytes());
        statement.execute((seq, entry.body(), leaf, entry.key(), entry.mac()))?;
    }
    Ok(())
}

fn next(connection: &Connection) -> rusqlite::Result<u64> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(seq) FROM trace_ledger")?
        .query_row([], |row| row.get(0))?;
    Ok(last.map_or(0, |last| number(last) + 1))
}

/// Finds the first row in a range of numbers that has contents.
fn with_contents(connection: &Connection, from: u64, before: u64) -> rusqlite::Result<Option<u64>> {
    connection
        .prepare_cached(
            "SELECT seq FROM trace_ledger
             WHERE seq >= ?1 AND seq < ?2 AND tool_calls IS NOT NULL ORDER BY seq LIMIT 1",
        )?
        .query_row([whole(from), whole(before)], |row| row.get(0).map(number))
        .optional()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<ChainEntry> {
    let body: Option<String> = row.get(1)?;
    let (leaf, key) = (Digest::from_bytes(row.get(2)?), row.get::<_, String>(3)?);
    Ok(ChainEntry::from_parts(number(row.get(0)?), body, leaf, key, row.get(4)?))
}

/// Converts a row's number; the table holds none below 0.
fn number(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
