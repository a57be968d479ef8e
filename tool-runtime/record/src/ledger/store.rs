//! The trait of stores that keep a ledger's entries.

use std::ops::Range;

use tool_runtime_core::store::StoreError;

use super::chain::ChainEntry;
use super::query::LedgerQuery;
use super::record::Record;
use super::shared::SharedLedger;

/// Keeps the entries of one ledger, in their order.
///
/// It has one chain, and one process writes it; a store that several writers share has [`SharedLedger`] too.
///
/// Only the ledger's own thread uses the store, one operation after another, so it may block and
/// needs no lock. Entries are numbered from 0 without gaps. A stored entry never changes, except
/// that [`erase`](Self::erase) erases its contents.
pub trait LedgerStore: Send + 'static {
    /// Appends entries: all of them or none. They are durable when this returns.
    ///
    /// # Errors
    /// No entry was stored; the append is retried with the same entries. An entry whose number is
    /// taken, or would leave a gap, is [`Damaged`](tool_runtime_core::store::StoreErrorKind::Damaged): another
    /// process writes this ledger.
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError>;

    /// Reads up to `limit` entries in their order, starting with number `from`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError>;

    /// Returns the number of entries, which is the next entry's number.
    ///
    /// # Errors
    /// The store cannot be read.
    fn count(&mut self) -> Result<u64, StoreError>;

    /// Finds the last entry whose record is a checkpoint.
    ///
    /// # Errors
    /// The store cannot be read.
    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError>;

    /// Finds entries of calls that match a query, after its `after`, at most its `limit`.
    ///
    /// The default reads all entries; override it if the store has an index. A
    /// [`Ledger`](super::Ledger) searches one [part](Self::search_span) at a time.
    ///
    /// # Errors
    /// The store cannot be read.
    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {
        let mut matching_entries = Vec::new();
        let mut from = query.first_seq();
        let end = query.before.unwrap_or(u64::MAX);
        while from < end && matching_entries.len() < query.limit {
            let limit =
                usize::try_from(end - from).map_or(SCAN_ENTRIES, |limit| limit.min(SCAN_ENTRIES));
            let entries = self.read(from, limit)?;
            let Some(last) = entries.last() else { break };
            from = last.seq().saturating_add(1);
            matching_entries
                .extend(entries.into_iter().filter(|entry| matches_query(entry, query)));
        }
        matching_entries.truncate(query.limit);
        Ok(matching_entries)
    }

    /// Returns how many entries one [`find`](Self::find) may search while appends wait. The
    /// default is 1,024, for a search that reads them; return more where an index serves the
    /// query.
    fn search_span(&self, query: &LedgerQuery) -> u64 {
        let _ = query;
        SCAN_ENTRIES as u64
    }

    /// Checks what reading these entries does not show: that the store holds only the chain, and
    /// that the indexes used by [`find`](Self::find) lead to them.
    ///
    /// It is called for each part of a ledger that is verified, and with an empty range when a
    /// ledger is opened. A range from 0 includes the store as a whole. The default does nothing:
    /// it suits a store without indexes.
    ///
    /// # Errors
    /// [`Damaged`](tool_runtime_core::store::StoreErrorKind::Damaged) with the damage and its position, or the
    /// store cannot be read.
    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {
        let _ = range;
        Ok(())
    }

    /// Erases the contents of all entries before this number, and keeps their hashes.
    ///
    /// Returns how many entries had contents.
    ///
    /// # Errors
    /// The store failed, possibly after some contents were erased; the operation may be repeated.
    fn erase(&mut self, before: u64) -> Result<u64, StoreError>;

    /// Returns the part that reads all chains, if several writers share the store. Default: none, the store has one
    /// chain.
    ///
    /// The other methods are then those of this writer's chain.
    fn shared(&mut self) -> Option<&mut dyn SharedLedger> {
        None
    }

    /// Returns the size of a half-written entry that was set aside when the store was opened, in bytes.
    fn torn_bytes(&self) -> u64 {
        0
    }
}

/// The number of entries that are read at once.
pub(super) const SCAN_ENTRIES: usize = 1_024;

pub(super) fn matches_query(entry: &ChainEntry, query: &LedgerQuery) -> bool {
    let record = entry.body().map(Record::read);
    matches!(record, Some(Ok(Record::Call(call))) if query.matches(&call))
}
