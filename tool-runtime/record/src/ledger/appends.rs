//! The appends of a writer: linked, stored, and settled later if the store's answer was lost.

use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_core::tool::catch_panic;

use super::chain::{ChainEntry, ChainHead};
use super::record::Record;
use super::writer::{LedgerWriter, panicked};

/// Entries that extend the ledger, and the head that it has with them.
pub(super) struct LinkedEntries {
    pub(super) head: ChainHead,
    pub(super) entries: Vec<ChainEntry>,
    /// True for the records of ended calls, which are appended again if it fails.
    pub(super) is_group: bool,
}

impl LinkedEntries {
    /// Returns whether the last of the entries closes the chain.
    pub(super) fn closes(&self) -> bool {
        let last = self.entries.last().and_then(ChainEntry::body);
        last.is_some_and(|body| matches!(Record::read(body), Ok(Record::Closed(_))))
    }
}

impl LedgerWriter {
    /// Appends one record.
    pub(super) fn append_record(&mut self, record: &Record) -> Result<(), StoreError> {
        self.append_all([record.to_text()])
    }

    /// Appends records: all of them or none.
    pub(super) fn append_all(
        &mut self,
        bodies: impl IntoIterator<Item = Box<str>>,
    ) -> Result<(), StoreError> {
        self.append(bodies.into_iter().collect(), false).map_err(|(error, _)| error)
    }

    /// Appends the records of ended calls. If it fails, their texts are returned with the error, and are to be
    /// appended again: they are not stored twice.
    pub(super) fn append_group(
        &mut self,
        bodies: Vec<Box<str>>,
    ) -> Result<(), (StoreError, Vec<Box<str>>)> {
        self.append(bodies, true)
    }

    fn append(
        &mut self,
        bodies: Vec<Box<str>>,
        is_group: bool,
    ) -> Result<(), (StoreError, Vec<Box<str>>)> {
        if let Err(error) = self.settle_uncertain() {
            return Err((error, bodies));
        }
        if is_group && std::mem::take(&mut self.is_group_stored) {
            return Ok(());
        }
        let linked = self.link(bodies, is_group);
        let appended = catch_panic(|| self.store_entries(&linked));
        match appended.unwrap_or_else(|text| Err(panicked(&text))) {
            Ok(()) => {
                self.head = linked.head;
                Ok(())
            }
            Err(error) => {
                let bodies = linked.entries.iter().filter_map(|it| it.body().map(Into::into));
                let bodies = bodies.collect();
                self.uncertain = Some(linked);
                Err((error, bodies))
            }
        }
    }

    /// Links records to the current end of the ledger.
    fn link(&self, bodies: Vec<Box<str>>, is_group: bool) -> LinkedEntries {
        let mut head = self.head.clone();
        let link = |body| head.append(self.keys.chain(), body);
        let entries = bodies.into_iter().map(link).collect();
        LinkedEntries { head, entries, is_group }
    }

    fn store_entries(&mut self, linked: &LinkedEntries) -> Result<(), StoreError> {
        let LinkedEntries { head, entries, .. } = linked;
        let now = self.clock.now();
        match self.store.shared() {
            None => self.store.append(entries),
            Some(shared) => {
                let signed = head.checkpoint(self.keys.chain(), now);
                shared.append_signed(entries, &signed, linked.closes())
            }
        }
    }

    /// Finds out if the entries of an append that failed were stored: a server may have stored them although its
    /// answer was lost.
    fn settle_uncertain(&mut self) -> Result<(), StoreError> {
        let Some(uncertain) = &self.uncertain else { return Ok(()) };
        let (size, with_them) = (self.head.size(), uncertain.head.size());
        let count = catch_panic(|| self.store.count());
        let count = count.unwrap_or_else(|text| Err(panicked(&text)))?;
        if count == size {
            self.uncertain = None;
            return Ok(());
        }
        let last = uncertain.entries.last();
        let stored = self.store.read(with_them.saturating_sub(1), 1)?;
        if count != with_them || stored.first().map(ChainEntry::mac) != last.map(ChainEntry::mac) {
            return Err(StoreError::new(
                StoreErrorKind::Damaged,
                format!(
                    "the ledger has {count} records, and this writer has stored {size}: another process writes it; \
                     let one process write it, and verify it"
                ),
            ));
        }
        if let Some(stored) = self.uncertain.take() {
            self.head = stored.head;
            self.is_group_stored |= stored.is_group;
        }
        Ok(())
    }
}
