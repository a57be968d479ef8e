//! How a ledger is kept.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Ledger;
use super::keys::LedgerKeys;
use super::queue::Bounds;
use super::store::LedgerStore;
use super::writer::{Desk, Pace};
use crate::policy::KeyRing;
use crate::redact::Patterns;
use crate::store::{Clock, StoreError, SystemClock};

/// What happens to calls while the ledger cannot be written as fast as they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overload {
    /// A call waits for room before it runs, and is refused (`UNAVAILABLE`) if none comes in time.
    ///
    /// Nothing that ran is left out. Only calls that were dropped before anybody could wait for
    /// them may be, once twice the capacity waits; they are counted in the ledger.
    #[default]
    Block,
    /// Calls run; those that end without room are left out, and counted in the ledger.
    Shed,
}

/// What a record holds of a call's arguments, beside their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inputs {
    /// Nothing.
    Hashed,
    /// The arguments with everything replaced that no log may hold; nothing, if they are longer.
    Redacted {
        /// The most bytes that are kept.
        most_bytes: usize,
    },
}

impl Default for Inputs {
    /// Redacted, up to 4 KiB.
    fn default() -> Self {
        Self::Redacted { most_bytes: 4 * 1_024 }
    }
}

/// Configures a [`Ledger`].
#[must_use]
pub struct LedgerBuilder {
    keys: KeyRing,
    clock: Arc<dyn Clock>,
    patterns: Patterns,
    inputs: Inputs,
    bounds: Bounds,
    checkpoint_every: u64,
    retention: Option<Duration>,
}

impl LedgerBuilder {
    pub(super) fn new(keys: KeyRing) -> Self {
        Self {
            keys,
            clock: Arc::new(SystemClock),
            patterns: Patterns::default(),
            inputs: Inputs::default(),
            bounds: Bounds { calls: 8_192, bytes: 64 << 20, overload: Overload::default() },
            checkpoint_every: 1_000,
            retention: None,
        }
    }

    /// Sets what happens while the ledger is behind; calls wait if it is not set.
    pub fn overload(mut self, overload: Overload) -> Self {
        self.bounds.overload = overload;
        self
    }

    /// Sets how many calls may wait to be recorded; 8,192 if it is not set.
    pub fn capacity(mut self, calls: usize) -> Self {
        self.bounds.calls = calls.max(1);
        self
    }

    /// Sets how many bytes the calls that wait may hold; 64 MiB if it is not set.
    pub fn capacity_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes = bytes.max(1);
        self
    }

    /// Sets what a record holds of the arguments; redacted and up to 4 KiB if it is not set.
    pub fn inputs(mut self, inputs: Inputs) -> Self {
        self.inputs = inputs;
        self
    }

    /// Sets what is taken for personal or secret in free text, beside what schemas say.
    pub fn patterns(mut self, patterns: Patterns) -> Self {
        self.patterns = patterns;
        self
    }

    /// Sets after how many records a checkpoint is written; 1,000 if it is not set.
    pub fn checkpoint_every(mut self, records: u64) -> Self {
        self.checkpoint_every = records.max(1);
        self
    }

    /// Sets how long the contents of records are kept; for ever if it is not set.
    ///
    /// Older ones are given up when the ledger is opened, and whenever a checkpoint is due. Their
    /// hashes stay.
    pub fn retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Sets the clock that dates the records.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Opens the ledger in a store, and starts to write it.
    ///
    /// It reads what lies behind the last checkpoint before it returns. A ledger whose last writer
    /// did not close it says so in a record of its own.
    ///
    /// # Errors
    /// The store cannot be read or written, or what lies behind the last checkpoint does not hang
    /// together.
    pub fn open(self, store: impl LedgerStore) -> Result<Ledger, StoreError> {
        let keys = Arc::new(LedgerKeys::new(&self.keys, self.patterns));
        let pace = Pace {
            checkpoint_every: self.checkpoint_every,
            inputs: self.inputs,
            retention: self.retention,
        };
        let desk = Desk::open(Box::new(store), keys.clone(), self.clock.clone(), pace)?;
        Ledger::start(desk, keys, self.clock, self.bounds)
    }
}

impl fmt::Debug for LedgerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerBuilder")
            .field("keys", &self.keys)
            .field("inputs", &self.inputs)
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

/// How long a ledger that is closed is still tried to be written.
pub(super) const LAST_TRIES: Duration = Duration::from_secs(3);

/// How long a writer that cannot write waits before it tries again, at first and at most.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(20);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(2);
