//! A ledger that is lost with its process.

use std::fmt;

use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::trace_filters::TraceFilters;
use super::{check_order, is_checkpoint};
use crate::ledger::{ChainEntry, LedgerQuery, LedgerStore};

/// Keeps a ledger in memory, up to a number of entries: for tests and tools.
///
/// If it is full, [`append`](LedgerStore::append) fails with [`Full`](StoreErrorKind::Full). An
/// entry whose contents were erased still counts.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainHead, LedgerStore, MemoryLedger};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = ChainHead::empty();
/// let mut ledger = MemoryLedger::new(1);
/// ledger.append(&[head.append(&keys, r#"{"kind":"call"}"#.into())])?;
/// assert_eq!(ledger.count()?, 1);
/// assert!(ledger.append(&[head.append(&keys, "{}".into())]).is_err(), "it is full");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryLedger {
    entries: Vec<ChainEntry>,
    max_entries: usize,
    traces: TraceFilters,
}

impl MemoryLedger {
    /// Makes an empty ledger that holds at most this many entries.
    #[must_use]
    pub fn new(max_entries: usize) -> Self {
        Self { entries: Vec::new(), max_entries, traces: TraceFilters::default() }
    }
}

impl LedgerStore for MemoryLedger {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        check_order(self.count()?, entries)?;
        if entries.len() > self.max_entries - self.entries.len() {
            return Err(StoreError::new(
                StoreErrorKind::Full,
                format!(
                    "the ledger in memory is full: it holds {} entries; raise its limit",
                    self.max_entries
                ),
            ));
        }
        self.entries.extend_from_slice(entries);
        Ok(())
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(self.entries.iter().skip(from).take(limit).cloned().collect())
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        Ok(self.entries.len().try_into().unwrap_or(u64::MAX))
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        Ok(self.entries.iter().rfind(|entry| is_checkpoint(entry)).cloned())
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {
        let mut traces = std::mem::take(&mut self.traces);
        let entries = traces.find(self, query);
        self.traces = traces;
        entries
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        let before = usize::try_from(before).unwrap_or(usize::MAX).min(self.entries.len());
        let unerased_entries =
            self.entries[..before].iter_mut().filter(|entry| entry.body().is_some());
        Ok(unerased_entries.map(ChainEntry::erase).fold(0, |count, ()| count + 1))
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.len();
        let mut builder = f.debug_struct("MemoryLedger");
        builder
            .field("entries", &entries)
            .field("max_entries", &self.max_entries)
            .finish_non_exhaustive()
    }
}
