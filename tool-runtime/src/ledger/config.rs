//! How a ledger is kept.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Ledger;
use super::chain::Checkpoint;
#[cfg(feature = "ed25519")]
use super::export::NoteSigner;
use super::export::{CheckpointSink, Exporter};
use super::keys::LedgerKeys;
use super::queue::Bounds;
use super::store::LedgerStore;
use super::writer::{Desk, Exports, Pace};
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

/// When the answer of a call that ran is given, as far as its record is concerned.
///
/// Databases call this synchronous and asynchronous commit. A call that ran nothing (refused,
/// declined, withdrawn) never waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerAfter {
    /// Once its record waits in memory to be written. A process that is killed loses the records of
    /// the calls that ended in its last 20 ms or so, some of which were answered.
    Queued,
    /// Once its record is in the store, and durable as far as the store's appends are.
    ///
    /// Answers that wait at the same time share one append. The wait ends with the call's deadline
    /// (250 ms later for a call that ended at its deadline), and after five seconds at most. The
    /// effect has happened by then, so the answer is given even so: with a warning, or with
    /// `details.record = "unconfirmed"` where it is an error, and counted in
    /// [`LedgerStatus::unconfirmed`](super::LedgerStatus::unconfirmed). The record follows once it
    /// can be written.
    Recorded,
}

/// What the answers of calls wait for, by what the calls do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answering {
    pub(super) reads: AnswerAfter,
    pub(super) writes: AnswerAfter,
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
    answering: Answering,
    checkpoint_every: u64,
    retention: Option<Duration>,
    sink: Option<Box<dyn CheckpointSink>>,
    export_every: Duration,
    expected: Vec<Checkpoint>,
    #[cfg(feature = "ed25519")]
    signer: Option<NoteSigner>,
}

impl LedgerBuilder {
    pub(super) fn new(keys: KeyRing) -> Self {
        Self {
            keys,
            clock: Arc::new(SystemClock),
            patterns: Patterns::default(),
            inputs: Inputs::default(),
            bounds: Bounds { calls: 8_192, bytes: 64 << 20, overload: Overload::default() },
            answering: Answering { reads: AnswerAfter::Queued, writes: AnswerAfter::Recorded },
            checkpoint_every: 1_000,
            retention: None,
            sink: None,
            export_every: Duration::from_secs(60),
            expected: Vec::new(),
            #[cfg(feature = "ed25519")]
            signer: None,
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

    /// Sets when calls of tools that write, or destroy, are answered:
    /// [`Recorded`](AnswerAfter::Recorded) if it is not set.
    ///
    /// A dry run has no effect, and is answered as a read is.
    pub fn answer_writes_after(mut self, after: AnswerAfter) -> Self {
        self.answering.writes = after;
        self
    }

    /// Sets when calls of tools that read are answered: [`Queued`](AnswerAfter::Queued) if it is not
    /// set.
    ///
    /// ```
    /// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    /// use tool_runtime::ledger::{AnswerAfter, JsonLines, Ledger};
    /// use tool_runtime::policy::KeyRing;
    ///
    /// // Every answer has its record, those of reads too.
    /// let ledger = Ledger::builder(KeyRing::new("2026-11", &[7; 32])?)
    ///     .answer_reads_after(AnswerAfter::Recorded)
    ///     .open(JsonLines::open(folder.join("calls.jsonl"))?)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer_reads_after(mut self, after: AnswerAfter) -> Self {
        self.answering.reads = after;
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

    /// Exports checkpoints to this sink by itself, and holds the ledger against the newest one in it
    /// when it is opened; none are exported if it is not set.
    ///
    /// Without it a ledger that was cut off, emptied, or replaced by an older copy opens as if it
    /// were whole. It is to be where the ledger's files cannot be written from. See
    /// [`CheckpointSink`].
    pub fn checkpoint_sink(mut self, sink: impl CheckpointSink) -> Self {
        self.sink = Some(Box::new(sink));
        self
    }

    /// Sets after how long a checkpoint is exported, if there are new records; a minute if it is not
    /// set. One is exported after [`checkpoint_every`](Self::checkpoint_every) records too, and when
    /// the ledger is opened and closed.
    pub fn export_every(mut self, time: Duration) -> Self {
        self.export_every = time;
        self
    }

    /// Expects the ledger to be the one of which this checkpoint was signed, and to reach to it; any
    /// number of times. For checkpoints that a sink cannot give back by itself.
    pub fn expecting(mut self, checkpoint: Checkpoint) -> Self {
        self.expected.push(checkpoint);
        self
    }

    /// Signs each exported checkpoint with Ed25519 as well, as a note that an auditor can verify
    /// without the ledger's key; none is signed if it is not set.
    #[cfg(feature = "ed25519")]
    pub fn note_signer(mut self, signer: NoteSigner) -> Self {
        self.signer = Some(signer);
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
    /// The store or the sink cannot be read or written, what lies behind the last checkpoint does
    /// not hang together, or the ledger does not reach to, or agree with, the newest exported
    /// checkpoint: then the error names both by size and root.
    pub fn open(mut self, store: impl LedgerStore) -> Result<Ledger, StoreError> {
        let keys = Arc::new(LedgerKeys::new(&self.keys, self.patterns));
        let pace = Pace {
            checkpoint_every: self.checkpoint_every,
            inputs: self.inputs,
            retention: self.retention,
        };
        let newest = match &mut self.sink {
            Some(sink) => sink.newest()?,
            None => None,
        };
        self.expected.extend(newest);
        let store = Box::new(store);
        let mut desk = Desk::open(store, keys.clone(), self.clock.clone(), pace, &self.expected)?;
        if let Some(sink) = self.sink {
            let kept = self.expected.into_iter().max_by_key(Checkpoint::size);
            desk.export_by(Exports {
                exporter: Exporter::start(sink, kept, desk.stats().clone())?,
                every: self.export_every,
                #[cfg(feature = "ed25519")]
                signer: self.signer,
                last: None,
            });
        }
        Ledger::start(desk, keys, self.clock, self.bounds, self.answering)
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
