//! Where records are kept.

use std::ops::Range;

use super::chain::Entry;
use super::query::LedgerQuery;
use super::record::Record;
use crate::store::StoreError;

/// Keeps the entries of one ledger, in their order.
///
/// The ledger's own thread alone uses it, one operation after another, so it may block and needs no
/// lock. Entries are numbered from 0 without gaps; what was appended is never changed, but for the
/// contents that [`forget`](Self::forget) gives up.
pub trait LedgerStore: Send + 'static {
    /// Appends entries: all of them or none, durable when it returns.
    ///
    /// # Errors
    /// They are not kept; it is tried again with the same ones. An entry whose number is taken, or
    /// would leave a gap, is [`Damaged`](crate::store::StoreErrorKind::Damaged): somebody else
    /// writes this ledger.
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError>;

    /// Reads entries in their order, from this number on, at most so many.
    ///
    /// # Errors
    /// They cannot be read.
    fn read(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError>;

    /// Counts the entries: the number that the next one gets.
    ///
    /// # Errors
    /// They cannot be read.
    fn count(&mut self) -> Result<u64, StoreError>;

    /// Finds the last entry whose record is a checkpoint.
    ///
    /// # Errors
    /// They cannot be read.
    fn last_checkpoint(&mut self) -> Result<Option<Entry>, StoreError>;

    /// Finds entries of calls that a query asks for, behind its `after`, at most its `limit`.
    ///
    /// A store that has no index need not write it: this reads all entries. A
    /// [`Ledger`](super::Ledger) asks for a [part](Self::reach) at once.
    ///
    /// # Errors
    /// They cannot be read.
    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<Entry>, StoreError> {
        let mut found = Vec::new();
        let mut from = query.after.map_or(0, |seq| seq.saturating_add(1));
        let end = query.before.unwrap_or(u64::MAX);
        while from < end && found.len() < query.limit {
            let most = usize::try_from(end - from).map_or(SCAN, |most| most.min(SCAN));
            let entries = self.read(from, most)?;
            let Some(last) = entries.last() else { break };
            from = last.seq().saturating_add(1);
            found.extend(entries.into_iter().filter(|entry| is_asked_for(entry, query)));
        }
        found.truncate(query.limit);
        Ok(found)
    }

    /// Returns through how many entries a [`find`](Self::find) may look while others wait to be
    /// appended: 1,024 where it reads them, more where an index serves the query.
    fn reach(&self, query: &LedgerQuery) -> u64 {
        let _ = query;
        SCAN as u64
    }

    /// Checks what reading these entries does not show: that the store holds nothing but the chain,
    /// and that what [`find`](Self::find) goes by leads to them.
    ///
    /// It is called for each part of a ledger that is verified, and with an empty range when a
    /// ledger is opened; a range from 0 includes what belongs to the store as a whole. A store
    /// without indexes has nothing to check, and need not write it.
    ///
    /// # Errors
    /// [`Damaged`](crate::store::StoreErrorKind::Damaged) with what is wrong and where; or it cannot
    /// be read.
    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {
        let _ = range;
        Ok(())
    }

    /// Gives up the contents of all entries before this number, and keeps their hashes.
    ///
    /// Returns how many had contents.
    ///
    /// # Errors
    /// Some may be given up, and some not; it may be repeated.
    fn forget(&mut self, before: u64) -> Result<u64, StoreError>;

    /// Tells how many bytes of a half written entry were set aside when the store was opened.
    fn torn_bytes(&self) -> u64 {
        0
    }
}

/// How many entries are read at once.
pub(super) const SCAN: usize = 1_024;

pub(super) fn is_asked_for(entry: &Entry, query: &LedgerQuery) -> bool {
    let record = entry.body().map(Record::read);
    matches!(record, Some(Ok(Record::Call(call))) if query.admits(&call))
}
