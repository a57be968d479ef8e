//! Ledgers that several writers share: a chain for each writer, and a chain of checkpoints over all of them.

pub(super) mod checkpoints;
pub(super) mod verification;
mod writer;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use super::chain::{ChainEntry, Checkpoint};
use super::position::RecordPosition;
use super::query::LedgerQuery;

/// The chain of the records over the heads of all other chains. Its records are appended by any writer, one at a
/// time.
pub const CHECKPOINT_CHAIN: Uuid = Uuid::nil();

/// A store that several writers share, each with a chain of its own: the part of a
/// [`LedgerStore`](super::LedgerStore) that reads all chains.
///
/// A writer begins a new chain each time it opens the ledger, and no other writer appends to it. Once a minute one of
/// the writers appends a record with the signed heads of all chains that changed to the [`CHECKPOINT_CHAIN`]; an
/// exported checkpoint of that chain covers them all.
pub trait SharedLedger {
    /// Returns the id and the name of this writer's chain.
    fn writer(&self) -> (Uuid, &str);

    /// Appends entries to this writer's chain: all of them or none. They are durable when this returns.
    ///
    /// `head` signs the chain with these entries. `closes` says that they are the chain's last.
    ///
    /// # Errors
    /// As those of [`LedgerStore::append`](super::LedgerStore::append).
    fn append_signed(
        &mut self,
        entries: &[ChainEntry],
        head: &Checkpoint,
        closes: bool,
    ) -> Result<(), StoreError>;

    /// Appends an entry to the [`CHECKPOINT_CHAIN`], which covers these chains as they were listed; false if another
    /// writer has appended one meanwhile. The contents of these entries are never erased.
    ///
    /// # Errors
    /// The store cannot be written; the entry may have been appended.
    fn append_checkpoint(
        &mut self,
        entry: &ChainEntry,
        head: &Checkpoint,
        covered: &[WriterChain],
    ) -> Result<bool, StoreError>;

    /// Reads up to `limit` entries of a chain in their order, starting with number `from`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn read_chain(
        &mut self,
        chain: Uuid,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ChainEntry>, StoreError>;

    /// Returns the number of entries of a chain.
    ///
    /// # Errors
    /// The store cannot be read.
    fn count_chain(&mut self, chain: Uuid) -> Result<u64, StoreError>;

    /// Lists the writers' chains in the order of their ids, after the one given.
    ///
    /// # Errors
    /// The store cannot be read.
    fn chains(&mut self, after: Option<Uuid>, limit: usize)
    -> Result<Vec<WriterChain>, StoreError>;

    /// Lists chains that no checkpoint covers as they are, or whose writer was lost since.
    ///
    /// # Errors
    /// The store cannot be read.
    fn uncovered_chains(&mut self, limit: usize) -> Result<Vec<WriterChain>, StoreError>;

    /// Says that this writer is alive. True if the last checkpoint is older than this time: the caller is the one
    /// to write the next.
    ///
    /// # Errors
    /// The store cannot be written.
    fn beat(&mut self, checkpoint_every: Duration) -> Result<bool, StoreError>;

    /// Returns the position of the last record of all chains in the order of searches.
    ///
    /// # Errors
    /// The store cannot be read.
    fn last_position(&mut self) -> Result<Option<RecordPosition>, StoreError>;

    /// Searches the next part of the records of all chains, in the order of time, chain and number: after the
    /// query's `after`, up to `end`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn search(
        &mut self,
        query: &LedgerQuery,
        end: RecordPosition,
    ) -> Result<SearchedPart, StoreError>;

    /// Checks what reading the chains does not show: that no record is outside of them. It checks a part of the
    /// records, from this time on or from the first one, and returns the time at which the next part begins.
    ///
    /// # Errors
    /// [`Damaged`](tool_runtime_core::store::StoreErrorKind::Damaged) with the damage and its position, or the store
    /// cannot be read.
    fn check_all(&mut self, from: Option<UnixMillis>) -> Result<Option<UnixMillis>, StoreError>;

    /// Checks that the columns by which these records are searched agree with the records.
    ///
    /// # Errors
    /// As those of [`check_all`](Self::check_all).
    fn check_chain(&mut self, chain: Uuid, range: Range<u64>) -> Result<(), StoreError>;

    /// Returns the chains with records whose contents [`erase_expired`](Self::erase_expired) would erase, each with
    /// the number before which they are.
    ///
    /// # Errors
    /// The store cannot be read.
    fn expired(&mut self, before: UnixMillis) -> Result<Vec<(Uuid, u64)>, StoreError>;

    /// Erases the contents of records from before this moment, and returns how many records had contents. A store
    /// may keep those of up to two more days.
    ///
    /// # Errors
    /// The store failed, possibly after some contents were erased; the operation may be repeated.
    fn erase_expired(&mut self, before: UnixMillis) -> Result<u64, StoreError>;
}

/// A part of a search.
#[derive(Debug)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct SearchedPart {
    /// The texts of the records that match, with their positions, at most the query's limit.
    pub records: Vec<(RecordPosition, Box<str>)>,
    /// The position after which the next part begins; none if this was the last.
    pub next: Option<RecordPosition>,
}

/// The chain of one writer of a shared ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriterChain {
    /// The id of the chain, a new one each time the writer opens the ledger.
    pub id: Uuid,
    /// The name that the writer gave itself.
    pub writer: Box<str>,
    /// The number of records.
    pub size: u64,
    /// The writer's state.
    pub state: WriterState,
    /// The time at which the writer was last seen.
    pub seen_at: UnixMillis,
    /// The last signed head; none if the chain has none.
    pub head: Option<Checkpoint>,
}

impl WriterChain {
    /// Returns a chain as a store has it.
    #[must_use]
    pub fn new(id: Uuid, writer: impl Into<Box<str>>, size: u64, state: WriterState) -> Self {
        let seen_at = UnixMillis::new(0);
        Self { id, writer: writer.into(), size, state, seen_at, head: None }
    }
}

/// The state of a writer of a shared ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriterState {
    /// It has the ledger open.
    Writing,
    /// It closed its chain, and every record that it had taken is stored.
    Closed,
    /// It has not been seen for a minute, and has not closed its chain: its last records may be missing.
    Lost,
}

impl fmt::Display for WriterState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Writing => "writing",
            Self::Closed => "closed",
            Self::Lost => "lost",
        })
    }
}
