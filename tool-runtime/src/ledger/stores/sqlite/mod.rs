//! A ledger in a table of SQLite.

mod check;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, TransactionBehavior};

use super::{check_order, read_only};
use crate::canonical::Digest;
use crate::ledger::query::written;
use crate::ledger::{Entry, LedgerQuery, LedgerStore, RecordStatus};
use crate::store::sqlite::columns::{count, whole};
use crate::store::sqlite::connection;
use crate::store::sqlite::error::of_sqlite;
use crate::store::{Sqlite, SqliteOptions, StoreError};

/// How many rows are given up in one transaction: others may write between two.
const FORGOTTEN_AT_ONCE: u64 = 4_096;

/// The index by tenant and trace.
const PAIR_INDEX: &str = "trace_ledger_of_tenant_trace";

/// Through how many rows is looked at once: few of them are read where a trace or a tenant is asked
/// for, and all where neither is.
const REACH: u64 = 16_384;

/// Keeps a ledger in the table `trace_ledger` of a SQLite file.
///
/// It has a connection of its own, so that it may stand in the file of a
/// [`Sqlite`](crate::store::Sqlite) store or in one by itself. One ledger writes the table; that
/// somebody else does is noticed when entries are appended, and they are refused. Opening and
/// verifying the ledger check that the table and its indexes are defined as this release defines
/// them: add no index, trigger or column of your own.
///
/// # The table
/// | column | |
/// | --- | --- |
/// | `seq` | the record's number |
/// | `tool_calls` | the record, JSON as the chain links it; null once it was given up |
/// | `leaf`, `key`, `mac` | what the chain needs of it |
/// | `kind`, `trace_id`, `tenant_id`, `tool`, `status`, `latency_ms`, `error`, `at` | members of the record, read out of it: they cannot be altered apart from it; `error` is the code |
///
/// # Contents that are given up
/// They are overwritten in the file, and in the write-ahead log once nobody reads it.
///
/// # Compiler
/// The feature `sqlite` needs Rust 1.89, because rusqlite does.
///
/// # Examples
/// ```
/// use tool_runtime::ledger::{ChainKeys, Head, LedgerQuery, LedgerStore, SqliteLedger};
/// use tool_runtime::policy::KeyRing;
///
/// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut ledger = SqliteLedger::open(folder.join("tools.db"))?;
/// ledger.append(&[Head::empty().append(&keys, r#"{"kind":"call"}"#.into())])?;
/// let found = ledger.find(&LedgerQuery::new().tool("send_mail"))?;
/// # Ok(())
/// # }
/// ```
pub struct SqliteLedger {
    connection: Connection,
    writes: bool,
    /// Whether the file has the index by tenant and trace; one of an older format, which is only
    /// read, has not.
    has_pair_index: bool,
}

impl SqliteLedger {
    /// Opens the ledger in a file, or makes it, readable by its owner alone.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &Sqlite::options())
    }

    /// Opens it with settings of one's own; how many may wait is none of a ledger's.
    ///
    /// ```
    /// # fn doc(folder: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::SqliteLedger;
    /// use tool_runtime::store::Sqlite;
    ///
    /// // Faster; the last records may be missing when the machine dies.
    /// let options = Sqlite::options().sync_commits(false);
    /// let ledger = SqliteLedger::open_with(folder.join("ledger.db"), &options)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &SqliteOptions) -> Result<Self, StoreError> {
        let connection = connection::open(path.as_ref(), options)?;
        connection.pragma_update(None, "secure_delete", true).map_err(|e| of_sqlite(&e))?;
        Ok(Self { connection, writes: true, has_pair_index: true })
    }

    /// Opens a ledger that is there, to read it alone; one may be writing it at the same time.
    ///
    /// What would change it fails as [`ReadOnly`](crate::store::StoreErrorKind::ReadOnly).
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
    /// `Unavailable` if it is not there; `Damaged` if it is no ledger, or of a newer format.
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let connection = connection::open_to_read(path.as_ref(), &Sqlite::options())?;
        let has_pair_index = check::has_index(&connection, PAIR_INDEX)?;
        Ok(Self { connection, writes: false, has_pair_index })
    }

    fn writing(&mut self) -> Result<Transaction<'_>, StoreError> {
        if !self.writes {
            return Err(read_only());
        }
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| of_sqlite(&error))
    }

    fn entries(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<Entry>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map(values, entry)?.collect()
        };
        read().map_err(|error| of_sqlite(&error))
    }

    /// Finds the next row that has contents, and gives up those of some rows from there on.
    fn forget_some(&mut self, from: u64, before: u64) -> Result<Option<Given>, StoreError> {
        let transaction = self.writing()?;
        let give_up = || {
            let Some(first) = with_contents(&transaction, from, before)? else { return Ok(None) };
            let end = before.min(first.saturating_add(FORGOTTEN_AT_ONCE));
            let rows = transaction
                .prepare_cached(
                    "UPDATE trace_ledger SET tool_calls = NULL
                     WHERE seq >= ?1 AND seq < ?2 AND tool_calls IS NOT NULL",
                )?
                .execute([whole(first), whole(end)])?;
            Ok(Some(Given { rows, end }))
        };
        let given = give_up().map_err(|error| of_sqlite(&error))?;
        transaction.commit().map_err(|error| of_sqlite(&error))?;
        Ok(given)
    }
}

/// The contents of how many rows were given up, and up to which.
struct Given {
    rows: usize,
    end: u64,
}

impl LedgerStore for SqliteLedger {
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let transaction = self.writing()?;
        check_order(next(&transaction).map_err(|error| of_sqlite(&error))?, entries)?;
        insert(&transaction, entries)
            .and_then(|()| transaction.commit())
            .map_err(|error| of_sqlite(&error))
    }

    fn read(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger
                   WHERE seq >= ?1 ORDER BY seq LIMIT ?2";
        self.entries(sql, &[&whole(from), &count(most)])
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        next(&self.connection).map_err(|error| of_sqlite(&error))
    }

    fn last_checkpoint(&mut self) -> Result<Option<Entry>, StoreError> {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger
                   WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1";
        self.entries(sql, &[]).map(|mut found| found.pop())
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<Entry>, StoreError> {
        let Wanted { sql, values } = Wanted::of(query, self.has_pair_index);
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        self.entries(&sql, &values)
    }

    fn reach(&self, query: &LedgerQuery) -> u64 {
        let LedgerQuery { trace_id, tool, status, since, until, .. } = query;
        let filters = tool.is_some() || status.is_some() || since.is_some() || until.is_some();
        // Then each row that the index leads to is one of the page's.
        if trace_id.is_some() && !filters { u64::MAX } else { REACH }
    }

    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {
        check::table(&self.connection, range)
    }

    fn forget(&mut self, before: u64) -> Result<u64, StoreError> {
        let (mut from, mut rows) = (0, 0);
        while let Some(given) = self.forget_some(from, before)? {
            rows += given.rows as u64;
            from = given.end;
        }
        if rows > 0 {
            // Else what was given up would stand in the log until it is written over. Whoever reads
            // at the moment keeps it there; the next checkpoint comes.
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

/// The statement for a query, and its values in the order of their marks.
struct Wanted {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Wanted {
    fn of(query: &LedgerQuery, has_pair_index: bool) -> Self {
        let sql = "SELECT seq, tool_calls, leaf, key, mac FROM trace_ledger";
        let mut wanted = Self { sql: sql.to_owned(), values: Vec::new() };
        let LedgerQuery { trace_id, tenant_id, tool, status, since, until, after, before, limit } =
            query;
        // Named, since SQLite's planner prefers the tenant's and reads all of its rows.
        if has_pair_index && tenant_id.is_some() && trace_id.is_some() {
            wanted.sql.push_str(" INDEXED BY ");
            wanted.sql.push_str(PAIR_INDEX);
        }
        wanted.sql.push_str(" WHERE kind = 'call' AND seq >= 0");
        wanted.only("trace_id =", trace_id.clone());
        wanted.only("tenant_id =", tenant_id.map(|id| id.to_string()));
        wanted.only("tool =", tool.clone());
        wanted.only("status =", status.map(status_text));
        wanted.only("at >=", since.map(written));
        wanted.only("at <", until.map(written));
        wanted.only("seq >", after.map(whole));
        wanted.only("seq <", before.map(whole));
        wanted.sql.push_str(" ORDER BY seq LIMIT ?");
        wanted.values.push(Box::new(count(*limit)));
        wanted
    }

    fn only(&mut self, condition: &str, value: Option<impl ToSql + 'static>) {
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

fn insert(connection: &Connection, entries: &[Entry]) -> rusqlite::Result<()> {
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

/// The first row of these numbers that has contents.
fn with_contents(connection: &Connection, from: u64, before: u64) -> rusqlite::Result<Option<u64>> {
    connection
        .prepare_cached(
            "SELECT seq FROM trace_ledger
             WHERE seq >= ?1 AND seq < ?2 AND tool_calls IS NOT NULL ORDER BY seq LIMIT 1",
        )?
        .query_row([whole(from), whole(before)], |row| row.get(0).map(number))
        .optional()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let body: Option<String> = row.get(1)?;
    let (leaf, key) = (Digest::from_bytes(row.get(2)?), row.get::<_, String>(3)?);
    Ok(Entry::from_parts(number(row.get(0)?), body, leaf, key, row.get(4)?))
}

/// A row's number: the table holds none below 0.
fn number(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
