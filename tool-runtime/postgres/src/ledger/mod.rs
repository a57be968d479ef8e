//! The ledger in PostgreSQL: a chain for each writer, and one over the heads of all of them.

mod append;
mod columns;
mod connection;
mod read;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use tokio_postgres::Row;
use tool_runtime_core::store::signed::timestamp;
use tool_runtime_core::store::{StoreError, StoreErrorKind, UnixMillis};
use tool_runtime_record::ledger::stores::{is_checkpoint, read_only};
use tool_runtime_record::ledger::{
    ChainEntry, Checkpoint, LedgerQuery, LedgerStore, RecordPosition, SearchedPart, SharedLedger,
    WriterChain, WriterState,
};
use uuid::Uuid;

use self::connection::{LedgerConnection, TimeLimit};
use crate::PostgresStore;
use crate::columns::{column, time};
use crate::error::{damaged, unavailable};
use crate::statement::{Statement, must_have_no_nul};

const BEGIN_CHAIN: &str = r#"
    INSERT INTO "SCHEMA".ledger_chains (id, writer, seen_at) VALUES ($1, $2, "SCHEMA".now_ms())
    RETURNING id"#;

const CHAINS: &str = r#"
    SELECT id, writer, size, head, seen_at,
        CASE WHEN closed THEN 1 WHEN seen_at < "SCHEMA".now_ms() - 60000 THEN 2 ELSE 0 END AS state
    FROM "SCHEMA".ledger_chains
    WHERE id > $1 ORDER BY id LIMIT $2"#;

const UNCOVERED_CHAINS: &str = r#"
    SELECT id, writer, size, head, seen_at,
        CASE WHEN closed THEN 1 WHEN seen_at < "SCHEMA".now_ms() - 60000 THEN 2 ELSE 0 END AS state
    FROM "SCHEMA".ledger_chains
    WHERE id <> '00000000-0000-0000-0000-000000000000'
        AND (size > covered OR NOT closed AND NOT noted_lost AND seen_at < "SCHEMA".now_ms() - 60000)
    ORDER BY id LIMIT $1"#;

const SIZE: &str = r#"SELECT size FROM "SCHEMA".ledger_chains WHERE id = $1"#;

/// It waits for an append of the chain that is still in progress.
const OWN_SIZE: &str = r#"SELECT size FROM "SCHEMA".ledger_chains WHERE id = $1 FOR UPDATE"#;

const BEAT: &str = r#"SELECT "SCHEMA".beat($1, $2, $3) AS flag"#;

/// The end of the days that may be dropped.
const EXPIRY: &str = r#"
    SELECT least($1, "SCHEMA".now_ms() - 86400000) / 86400000 * 86400000 AS number"#;

const EXPIRED: &str = r#"
    SELECT chain, max(seq) + 1 AS before FROM "SCHEMA".ledger_records WHERE at < $1 GROUP BY chain ORDER BY chain"#;

const DROP: &str = r#"SELECT "SCHEMA".drop_ledger_partitions($1, $2) AS number"#;

/// Keeps a ledger in PostgreSQL, in the schema of a [`PostgresStore`]. Any number of replicas write it at the same
/// time.
///
/// Each time a replica opens it, it begins a chain of its own, so that no replica waits for another one. Searches
/// read the records of all chains in the order of time. Once a minute
/// ([`LedgerBuilder::export_every`](tool_runtime_record::ledger::LedgerBuilder::export_every)) one of the replicas
/// appends the signed heads of all chains to the chain of checkpoints, and each exports the signed head of that chain
/// to its own sink; [`Ledger::verify`](tool_runtime_record::ledger::Ledger::verify) covers all of them. A replica that
/// ends closes its chain. One that was killed is named in the log and in the chain of checkpoints a minute later, and
/// [`Ledger::writers`](tool_runtime_record::ledger::Ledger::writers) lists it as
/// [`Lost`](WriterState::Lost).
///
/// All replicas need the same `KeyRing`. Appends have a connection and a thread of their own, beside the store's
/// pool.
///
/// # Order
/// A record is placed by its replica's clock, at most a day from the server's, and not before the record before it in
/// its chain. This time, and the name of a writer in the list of chains, are not covered by the chain's links. [`LedgerQuery::since`] and [`until`](LedgerQuery::until) compare the times in the records; they do
/// not find a record that is placed more than a day from its time.
///
/// # Retention
/// Contents are in one partition for each day (UTC), and are erased by dropping partitions: those of whole days, and
/// not of the last 24 hours. The links stay, about 200 bytes for each record. Dropping a partition waits for
/// statements that read the ledger, such as a dump, for 200 ms; it is tried again an hour later.
///
/// # Example
/// ```no_run
/// # async fn doc(keys: tool_runtime::policy::KeyRing) -> Result<(), Box<dyn std::error::Error>> {
/// use tool_runtime::ledger::{Ledger, PostgresLedger};
/// use tool_runtime::store::PostgresStore;
///
/// let store = PostgresStore::connect("postgres://tools@db.example/tools").await?;
/// let ledger = Ledger::builder(keys).open(PostgresLedger::open(&store, "replica-a")?)?;
/// for chain in ledger.verify(&[]).await?.writers() {
///     println!("{} {} {} records", chain.writer, chain.state, chain.size);
/// }
/// # Ok(())
/// # }
/// ```
pub struct PostgresLedger {
    connection: LedgerConnection,
    /// None if the ledger is open read-only.
    chain: Option<Uuid>,
    writer: Box<str>,
    /// The end of the days that [`SharedLedger::erase_expired`] drops.
    expiry: Option<i64>,
}

impl PostgresLedger {
    /// Opens the ledger in the schema of a store, and begins a chain for this writer.
    ///
    /// The name says which replica it is, such as its host's name; two writers may have the same. It waits for the
    /// server.
    ///
    /// # Errors
    /// The server cannot be reached, or the name has more than 255 bytes or the character U+0000.
    pub fn open(store: &PostgresStore, writer: impl Into<String>) -> Result<Self, StoreError> {
        let writer: Box<str> = writer.into().into();
        must_have_no_nul(&[&writer])?;
        if writer.len() > 255 {
            return Err(unavailable("the name of a writer: expected at most 255 bytes"));
        }
        let (connection, chain) = (LedgerConnection::start(store)?, Uuid::now_v7());
        let begin = Statement::new(BEGIN_CHAIN).uuid(chain).text(&writer);
        connection.rows(begin, TimeLimit::Usual, |_| Ok(()))?;
        Ok(Self { connection, chain: Some(chain), writer, expiry: None })
    }

    /// Opens the ledger to read and verify it; appends fail as
    /// [`ReadOnly`](tool_runtime_core::store::StoreErrorKind::ReadOnly).
    ///
    /// # Errors
    /// The connection's thread cannot be started.
    pub fn read_only(store: &PostgresStore) -> Result<Self, StoreError> {
        let connection = LedgerConnection::start(store)?;
        Ok(Self { connection, chain: None, writer: "".into(), expiry: None })
    }

    fn own_chain(&self) -> Result<Uuid, StoreError> {
        self.chain.ok_or_else(read_only)
    }

    fn size(&self, sql: &'static str, chain: Uuid) -> Result<u64, StoreError> {
        let size = |row: &Row| column::<i64>(row, "size").map(number);
        let sizes =
            self.connection.rows(Statement::new(sql).uuid(chain), TimeLimit::Usual, size)?;
        sizes.first().copied().ok_or_else(|| {
            damaged(format!("the ledger has no chain {chain}: the store was emptied or replaced"))
        })
    }

    fn list(&self, statement: Statement) -> Result<Vec<WriterChain>, StoreError> {
        self.connection.rows(statement, TimeLimit::Usual, writer_chain)
    }
}

/// The writer's own chain.
impl LedgerStore for PostgresLedger {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        self.append_own(entries, None, false)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        self.entries(self.own_chain()?, from, limit)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.size(OWN_SIZE, self.own_chain()?)
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        const PART: u64 = 1_000;
        let mut end = self.count()?;
        while end > 0 {
            let from = end.saturating_sub(PART);
            let entries = self.read(from, usize::try_from(end - from).unwrap_or(1))?;
            if let Some(last) = entries.into_iter().rfind(is_checkpoint) {
                return Ok(Some(last));
            }
            end = from;
        }
        Ok(None)
    }

    /// Not supported: the contents of all chains are erased together, by their time.
    fn erase(&mut self, _: u64) -> Result<u64, StoreError> {
        let text = "the contents of a shared ledger are erased by their time, not by their number";
        Err(StoreError::for_settings(StoreErrorKind::ReadOnly, text))
    }

    fn shared(&mut self) -> Option<&mut dyn SharedLedger> {
        Some(self)
    }
}

impl SharedLedger for PostgresLedger {
    fn writer(&self) -> (Uuid, &str) {
        (self.chain.unwrap_or_default(), &self.writer)
    }

    fn append_signed(
        &mut self,
        entries: &[ChainEntry],
        head: &Checkpoint,
        closes: bool,
    ) -> Result<(), StoreError> {
        self.append_own(entries, Some(head), closes)
    }

    fn append_checkpoint(
        &mut self,
        entry: &ChainEntry,
        head: &Checkpoint,
        covered: &[WriterChain],
    ) -> Result<bool, StoreError> {
        self.append_over_heads(entry, head, covered)
    }

    fn read_chain(
        &mut self,
        chain: Uuid,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        self.entries(chain, from, limit)
    }

    fn count_chain(&mut self, chain: Uuid) -> Result<u64, StoreError> {
        self.size(SIZE, chain)
    }

    fn chains(
        &mut self,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<WriterChain>, StoreError> {
        self.list(Statement::new(CHAINS).uuid(after.unwrap_or_default()).limit(limit))
    }

    fn uncovered_chains(&mut self, limit: usize) -> Result<Vec<WriterChain>, StoreError> {
        self.list(Statement::new(UNCOVERED_CHAINS).limit(limit))
    }

    fn beat(&mut self, checkpoint_every: Duration) -> Result<bool, StoreError> {
        let every = i64::try_from(checkpoint_every.as_millis()).unwrap_or(i64::MAX);
        let lock_timeout = self.connection.settings().lock_timeout.as_millis().to_string();
        let beat = Statement::new(BEAT).text(&lock_timeout).uuid(self.own_chain()?).number(every);
        let flags = self.connection.call(beat, |row| column(row, "flag"))?;
        Ok(flags.first().copied().unwrap_or(false))
    }

    fn last_position(&mut self) -> Result<Option<RecordPosition>, StoreError> {
        self.last_record()
    }

    fn search(
        &mut self,
        query: &LedgerQuery,
        end: RecordPosition,
    ) -> Result<SearchedPart, StoreError> {
        self.search_part(query, end)
    }

    fn check_all(&mut self, from: Option<UnixMillis>) -> Result<Option<UnixMillis>, StoreError> {
        self.check_links(from)
    }

    fn check_chain(&mut self, chain: Uuid, range: Range<u64>) -> Result<(), StoreError> {
        self.check_columns(chain, range)
    }

    fn expired(&mut self, before: UnixMillis) -> Result<Vec<(Uuid, u64)>, StoreError> {
        let expiry = Statement::new(EXPIRY).number(timestamp(before));
        let expiry = self.connection.rows(expiry, TimeLimit::Usual, the_number)?;
        self.expiry = expiry.first().copied();
        let Some(expiry) = self.expiry else { return Ok(Vec::new()) };
        let part = |row: &Row| Ok((column(row, "chain")?, number(column(row, "before")?)));
        self.connection.rows(Statement::new(EXPIRED).number(expiry), TimeLimit::Long, part)
    }

    fn erase_expired(&mut self, before: UnixMillis) -> Result<u64, StoreError> {
        self.own_chain()?;
        // The days that were counted, although another one may have ended since.
        let expiry = self.expiry.take().unwrap_or(0).min(timestamp(before));
        // Short, since all reads and appends wait behind it meanwhile.
        let drop = Statement::new(DROP).text("200").number(expiry);
        let dropped = self.connection.rows(drop, TimeLimit::Long, the_number)?;
        Ok(dropped.first().copied().map_or(0, number))
    }
}

fn the_number(row: &Row) -> Result<i64, StoreError> {
    column(row, "number")
}

fn writer_chain(row: &Row) -> Result<WriterChain, StoreError> {
    let state = match column(row, "state")? {
        1 => WriterState::Closed,
        2 => WriterState::Lost,
        0_i32 => WriterState::Writing,
        other => return Err(damaged(format!("a chain of the ledger has the state {other}"))),
    };
    let (id, writer): (Uuid, String) = (column(row, "id")?, column(row, "writer")?);
    let mut chain = WriterChain::new(id, writer, number(column(row, "size")?), state);
    chain.seen_at = time(row, "seen_at")?;
    // A head that is not as it was written is none; the chain's other records show that it is missing.
    let head: Option<&[u8]> = column(row, "head")?;
    chain.head = head.and_then(|head| serde_json::from_slice(head).ok());
    Ok(chain)
}

/// Converts a stored number; the tables hold none below 0.
fn number(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

impl fmt::Debug for PostgresLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLedger")
            .field("writer", &self.writer)
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}
