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
    failing: Mutex<Option<StoreError>>,
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
    /// Why it cannot be written at the moment, if it cannot.
    pub failing: Option<StoreError>,
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
    }

    pub(super) fn lost(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    pub(super) fn works(&self) {
        *self.lock() = None;
    }

    pub(super) fn fails(&self, error: StoreError) {
        *self.lock() = Some(error);
    }

    pub(super) fn failing(&self) -> Option<StoreError> {
        self.lock().clone()
    }

    pub(super) fn status(&self) -> LedgerStatus {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        // In this order, so that no sum is larger than what it is a part of.
        let (written, shed, lost) = (read(&self.written), read(&self.shed), read(&self.lost));
        let ended = read(&self.ended);
        let failing = self.failing();
        LedgerStatus { opened: read(&self.opened), ended, written, shed, lost, failing }
    }

    fn lock(&self) -> MutexGuard<'_, Option<StoreError>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
