//! A ledger that is gone with its process.

use std::fmt;

use super::traces::TraceBlocks;
use super::{check_order, is_checkpoint};
use crate::ledger::{Entry, LedgerQuery, LedgerStore};
use crate::store::{StoreError, StoreErrorKind};

/// Keeps a ledger in memory, up to a number of entries: for tests and tools.
///
/// A full one takes nothing more: [`append`](LedgerStore::append) answers
/// [`Full`](StoreErrorKind::Full). An entry whose contents were given up still counts.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, Head, LedgerStore, MemoryLedger};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = Head::empty();
/// let mut ledger = MemoryLedger::new(1);
/// ledger.append(&[head.append(&keys, r#"{"kind":"call"}"#.into())])?;
/// assert_eq!(ledger.count()?, 1);
/// assert!(ledger.append(&[head.append(&keys, "{}".into())]).is_err(), "it is full");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryLedger {
    entries: Vec<Entry>,
    most: usize,
    traces: TraceBlocks,
}

impl MemoryLedger {
    /// Makes an empty ledger that holds at most so many entries.
    #[must_use]
    pub fn new(most_entries: usize) -> Self {
        Self { entries: Vec::new(), most: most_entries, traces: TraceBlocks::default() }
    }
}

impl LedgerStore for MemoryLedger {
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        check_order(self.count()?, entries)?;
        if entries.len() > self.most - self.entries.len() {
            return Err(StoreError::new(
                StoreErrorKind::Full,
                format!("a ledger in memory holds {} entries: give it more room", self.most),
            ));
        }
        self.entries.extend_from_slice(entries);
        Ok(())
    }

    fn read(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(self.entries.iter().skip(from).take(most).cloned().collect())
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        Ok(self.entries.len().try_into().unwrap_or(u64::MAX))
    }

    fn last_checkpoint(&mut self) -> Result<Option<Entry>, StoreError> {
        Ok(self.entries.iter().rfind(|entry| is_checkpoint(entry)).cloned())
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<Entry>, StoreError> {
        let mut traces = std::mem::take(&mut self.traces);
        let found = traces.find(self, query);
        self.traces = traces;
        found
    }

    fn forget(&mut self, before: u64) -> Result<u64, StoreError> {
        let before = usize::try_from(before).unwrap_or(usize::MAX).min(self.entries.len());
        let whole = self.entries[..before].iter_mut().filter(|entry| entry.body().is_some());
        Ok(whole.map(Entry::forget).fold(0, |count, ()| count + 1))
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.len();
        let mut shown = f.debug_struct("MemoryLedger");
        shown.field("entries", &entries).field("most", &self.most).finish_non_exhaustive()
    }
}
