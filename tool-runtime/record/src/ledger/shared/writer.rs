//! The part of a writer for a ledger that several writers share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_runtime_core::store::{Clock, StoreError, UnixMillis};
use tool_runtime_core::tool::catch_panic;

use super::{WriterChain, checkpoints};
use crate::ledger::chain::Checkpoint;
use crate::ledger::keys::LedgerKeys;
use crate::ledger::record::{Record, WriterBegan};
use crate::ledger::store::{LedgerStore, SCAN_ENTRIES};
use crate::ledger::writer::{LedgerWriter, WriterOptions, panicked};

/// The time between two signs of life of a writer of a shared ledger.
const BEAT_EVERY: Duration = Duration::from_secs(10);

/// The time between two looks for contents that are older than the retention.
const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);

impl LedgerWriter {
    /// Begins a new chain in a shared store.
    pub(in crate::ledger) fn open_shared(
        mut store: Box<dyn LedgerStore>,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        options: WriterOptions,
        expected: &[Checkpoint],
    ) -> Result<Self, StoreError> {
        let mut name = None;
        if let Some(shared) = store.shared() {
            checkpoints::check_expected(shared, &keys, expected)?;
            name = Some(shared.writer().1.into());
        }
        let mut writer = Self::new(store, keys, clock, options);
        writer.next_beat = Some(Instant::now());
        let at = writer.now();
        let began = WriterBegan { at, writer: name, after_crash: false, torn_bytes: 0 };
        writer.append_record(&Record::Began(began))?;
        writer.beat(Duration::ZERO)?;
        writer.next_retention = writer.options.retention.map(|_| Instant::now());
        Ok(writer)
    }

    /// Says in a shared ledger that this writer is alive, and covers the heads of all chains with a checkpoint if the
    /// last one is older than this time.
    pub(in crate::ledger) fn beat(&mut self, cover_every: Duration) -> Result<(), StoreError> {
        let now = self.clock.now();
        let Some(shared) = self.store.shared() else { return Ok(()) };
        self.next_beat = Instant::now().checked_add(BEAT_EVERY.min(self.options.cover_every));
        if shared.beat(cover_every)? {
            checkpoints::cover_heads(shared, &self.keys, now)?;
        }
        Ok(())
    }

    /// Signs the current state: in a shared ledger that of the chain of checkpoints, over all chains.
    pub(in crate::ledger) fn sign(&mut self) -> Result<Checkpoint, StoreError> {
        let now = self.clock.now();
        match self.store.shared() {
            Some(shared) => checkpoints::cover_heads(shared, &self.keys, now),
            None => self.checkpoint(),
        }
    }

    /// Lists the chains of all writers of a shared ledger.
    pub(in crate::ledger) fn list_writers(&mut self) -> Result<Vec<WriterChain>, StoreError> {
        let Some(shared) = self.store.shared() else { return Ok(Vec::new()) };
        let mut writers: Vec<WriterChain> = Vec::new();
        loop {
            let page = shared.chains(writers.last().map(|last| last.id), SCAN_ENTRIES)?;
            if page.is_empty() {
                return Ok(writers);
            }
            writers.extend(page);
        }
    }

    /// Erases the contents of the records of all chains from before this moment.
    pub(in crate::ledger) fn erase_shared(
        &mut self,
        before: UnixMillis,
    ) -> Result<u64, StoreError> {
        let now = self.clock.now();
        let Some(shared) = self.store.shared() else { return Ok(0) };
        let expired = shared.expired(before)?;
        if expired.is_empty() {
            return Ok(0);
        }
        // Recorded first: contents that are missing without a record count as removed.
        checkpoints::record_erasure(shared, &self.keys, &expired, now)?;
        shared.erase_expired(before)
    }

    /// Erases what is older than the retention, if it is time to look.
    pub(in crate::ledger) fn erase_if_due(&mut self) {
        let now = Instant::now();
        let Some(retention) = self.options.retention else { return };
        if self.next_retention.is_none_or(|due| due > now) {
            return;
        }
        self.next_retention = now.checked_add(RETENTION_EVERY);
        let oldest = self.clock.now().before(retention);
        let erased = catch_panic(|| self.erase_shared(oldest));
        self.retention_error = erased.unwrap_or_else(|text| Err(panicked(&text))).err();
    }
}
