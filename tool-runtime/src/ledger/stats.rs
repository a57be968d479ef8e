//! How the ledger is doing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::StoreError;

/// What has been counted since the ledger was opened.
#[derive(Debug, Default)]
pub(super) struct Stats {
    opened: AtomicU64,
    ended: AtomicU64,
    written: AtomicU64,
    shed: AtomicU64,
    lost: AtomicU64,
    unconfirmed: AtomicU64,
    exported: AtomicU64,
    export_failures: AtomicU64,
    not_exported: Mutex<Option<StoreError>>,
    failing: Mutex<Option<StoreError>>,
    untidy: Mutex<Option<StoreError>>,
}

/// How a ledger is doing, since it was opened by this process.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerStatus {
    /// How many calls were opened.
    pub opened: u64,
    /// How many of them have ended: those that have not are pending, or run.
    pub ended: u64,
    /// How many are written, and safe.
    pub written: u64,
    /// How many were left out because the writer was behind; the ledger says so too.
    pub shed: u64,
    /// How many were given up when the ledger was closed while it could not be written.
    pub lost: u64,
    /// How many answers were given before their records were safe, although they had to wait for
    /// them ([`AnswerAfter::Recorded`](super::AnswerAfter::Recorded)).
    pub unconfirmed: u64,
    /// How many records the newest checkpoint covers that the sink has taken; 0 without a sink.
    pub exported: u64,
    /// How often the sink did not take a checkpoint.
    pub export_failures: u64,
    /// Why the sink did not take the last one, if it did not: it is tried again.
    pub not_exported: Option<StoreError>,
    /// Why it cannot be written at the moment, if it cannot.
    pub failing: Option<StoreError>,
    /// Why the last checkpoint was not written, or old contents not given up, if so: it is tried
    /// again when the next one is due.
    pub untidy: Option<StoreError>,
}

impl LedgerStatus {
    /// How many calls wait to be written.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.ended.saturating_sub(self.written + self.shed + self.lost)
    }
}

impl Stats {
    pub(super) fn opens(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ends(&self, fits: bool) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        if !fits {
            self.shed.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn wrote(&self, calls: u64) {
        self.written.fetch_add(calls, Ordering::Relaxed);
        *lock(&self.failing) = None;
    }

    pub(super) fn lost(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    pub(super) fn leaves_unconfirmed(&self) {
        self.unconfirmed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn exported(&self, records: u64) {
        self.exported.store(records, Ordering::Relaxed);
        *lock(&self.not_exported) = None;
    }

    pub(super) fn export_fails(&self, error: StoreError) {
        self.export_failures.fetch_add(1, Ordering::Relaxed);
        *lock(&self.not_exported) = Some(error);
    }

    pub(super) fn fails(&self, error: StoreError) {
        *lock(&self.failing) = Some(error);
    }

    pub(super) fn tidied(&self, error: Option<StoreError>) {
        *lock(&self.untidy) = error;
    }

    pub(super) fn failing(&self) -> Option<StoreError> {
        lock(&self.failing).clone()
    }

    pub(super) fn status(&self) -> LedgerStatus {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        // In this order, so that no sum is larger than what it is a part of.
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
            not_exported: lock(&self.not_exported).clone(),
            failing: self.failing(),
            untidy: lock(&self.untidy).clone(),
        }
    }
}

fn lock(error: &Mutex<Option<StoreError>>) -> MutexGuard<'_, Option<StoreError>> {
    error.lock().unwrap_or_else(PoisonError::into_inner)
}
