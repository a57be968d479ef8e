//! The ledger's counters and last errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tool_runtime_core::store::StoreError;

/// Counts since the ledger was opened.
#[derive(Debug, Default)]
pub(super) struct LedgerStats {
    opened: AtomicU64,
    ended: AtomicU64,
    written: AtomicU64,
    shed: AtomicU64,
    lost: AtomicU64,
    unconfirmed: AtomicU64,
    exported: AtomicU64,
    export_failures: AtomicU64,
    export_error: Mutex<Option<StoreError>>,
    write_error: Mutex<Option<StoreError>>,
    maintenance_error: Mutex<Option<StoreError>>,
}

/// The state of a ledger: counts since this process opened it, and the last errors.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerStatus {
    /// Calls that were opened.
    pub opened: u64,
    /// Calls that have ended; the other opened calls are pending or running.
    pub ended: u64,
    /// Calls whose records are stored.
    pub written: u64,
    /// Calls that were not recorded because the writer was behind; a record of the ledger counts them.
    pub shed: u64,
    /// Calls that were lost because the ledger was closed while its store failed.
    pub lost: u64,
    /// Answers that were given before their records were stored, although they waited for them
    /// ([`RecordDurability::Stored`](super::RecordDurability::Stored)).
    pub unconfirmed: u64,
    /// Records that the sink's newest checkpoint covers; 0 without a sink.
    pub exported: u64,
    /// Exports of checkpoints that failed.
    pub export_failures: u64,
    /// The error of the last export, if it failed; the export is retried.
    pub export_error: Option<StoreError>,
    /// The error of the last write, if it failed; the write is retried.
    pub write_error: Option<StoreError>,
    /// The error of the last checkpoint or erasure, if it failed; it is retried when the next
    /// checkpoint is due.
    pub maintenance_error: Option<StoreError>,
}

impl LedgerStatus {
    /// Returns how many ended calls wait to be written.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.ended.saturating_sub(self.written + self.shed + self.lost)
    }
}

impl LedgerStats {
    pub(super) fn count_opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_ended(&self, fits: bool) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        if !fits {
            self.shed.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn count_written(&self, calls: u64) {
        self.written.fetch_add(calls, Ordering::Relaxed);
        *lock(&self.write_error) = None;
    }

    pub(super) fn count_lost(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    pub(super) fn count_unconfirmed(&self) {
        self.unconfirmed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_exported(&self, records: u64) {
        self.exported.store(records, Ordering::Relaxed);
        *lock(&self.export_error) = None;
    }

    pub(super) fn count_export_failure(&self, error: StoreError) {
        self.export_failures.fetch_add(1, Ordering::Relaxed);
        *lock(&self.export_error) = Some(error);
    }

    pub(super) fn set_write_error(&self, error: StoreError) {
        *lock(&self.write_error) = Some(error);
    }

    pub(super) fn set_maintenance_error(&self, error: Option<StoreError>) {
        *lock(&self.maintenance_error) = error;
    }

    pub(super) fn write_error(&self) -> Option<StoreError> {
        lock(&self.write_error).clone()
    }

    pub(super) fn status(&self) -> LedgerStatus {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        // Parts are read before their sums, so that no part is larger than its sum.
        let (written, shed, lost) = (read(&self.written), read(&self.shed), read(&self.lost));
        LedgerStatus {
            ended: read(&self.ended),
            opened: read(&self.opened),
            written,
            shed,
            lost,
            unconfirmed: read(&self.unconfirmed),
            exported: read(&self.exported),
            export_failures: read(&self.export_failures),
            export_error: lock(&self.export_error).clone(),
            write_error: self.write_error(),
            maintenance_error: lock(&self.maintenance_error).clone(),
        }
    }
}

fn lock(error: &Mutex<Option<StoreError>>) -> MutexGuard<'_, Option<StoreError>> {
    error.lock().unwrap_or_else(PoisonError::into_inner)
}
