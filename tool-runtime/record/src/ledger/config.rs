//! The configuration of a ledger.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{Clock, StoreError, SystemClock};
use tool_runtime_schema::redact::Patterns;

use super::Ledger;
use super::chain::Checkpoint;
use super::export::{CheckpointSink, Exporter, SignNote};
use super::keys::LedgerKeys;
use super::queue::QueueBounds;
use super::store::LedgerStore;
use super::writer::{ExportSchedule, LedgerWriter, WriterOptions};

/// The handling of calls that end faster than the ledger can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overload {
    /// Calls wait for capacity before they run, and are refused (`UNAVAILABLE`) if none frees up in
    /// time.
    ///
    /// Every call that ran is recorded. The exception is calls that were dropped before they could
    /// wait for capacity: they are left out once twice the capacity is queued, and counted in the
    /// ledger.
    #[default]
    Block,
    /// Calls never wait. A call that ends while the queue is full is left out, and counted in the
    /// ledger.
    Shed,
}

/// The state that a call's record must reach before the call is answered.
///
/// Databases call this synchronous and asynchronous commit. A call that ran nothing (refused,
/// declined, withdrawn) never waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordDurability {
    /// The record is queued in memory. If the process is killed, the records of the calls that
    /// ended in its last 20 ms or so are lost, and some of those calls were answered.
    Queued,
    /// The record is in the store, and as durable as the store's appends are.
    ///
    /// Answers that wait at the same time share one append. The wait ends at the call's deadline
    /// (250 ms later for a call that ended at its deadline), and after five seconds at most. The
    /// effect has happened by then, so the answer is given anyway: with a warning, or with
    /// `details.record = "unconfirmed"` if it is an error. It is counted in
    /// [`LedgerStatus::unconfirmed`](super::LedgerStatus::unconfirmed). The record is written once
    /// the store works again.
    Stored,
}

/// The [`RecordDurability`] that the answers of reads and of writes wait for.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerTiming {
    pub(super) reads: RecordDurability,
    pub(super) writes: RecordDurability,
}

/// The part of a call's arguments that a record holds, in addition to their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputCapture {
    /// Only the hash.
    Hashed,
    /// The redacted arguments: secrets are masked and personal data is hashed. Longer arguments
    /// are left out.
    Redacted {
        /// The longest arguments that are kept, in bytes.
        max_bytes: usize,
    },
}

impl Default for InputCapture {
    /// Redacted, up to 4 KiB.
    fn default() -> Self {
        Self::Redacted { max_bytes: 4 * 1_024 }
    }
}

/// Configures a [`Ledger`].
#[must_use]
pub struct LedgerBuilder {
    keys: KeyRing,
    clock: Arc<dyn Clock>,
    patterns: Patterns,
    inputs: InputCapture,
    bounds: QueueBounds,
    answer_timing: AnswerTiming,
    checkpoint_every: u64,
    retention: Option<Duration>,
    sink: Option<Box<dyn CheckpointSink>>,
    export_every: Duration,
    expected: Vec<Checkpoint>,
    pub(super) sign_note: Option<SignNote>,
}

impl LedgerBuilder {
    pub(super) fn new(keys: KeyRing) -> Self {
        Self {
            keys,
            clock: Arc::new(SystemClock),
            patterns: Patterns::default(),
            inputs: InputCapture::default(),
            bounds: QueueBounds { calls: 8_192, bytes: 64 << 20, overload: Overload::default() },
            answer_timing: AnswerTiming {
                reads: RecordDurability::Queued,
                writes: RecordDurability::Stored,
            },
            checkpoint_every: 1_000,
            retention: None,
            sink: None,
            export_every: Duration::from_secs(60),
            expected: Vec::new(),
            sign_note: None,
        }
    }

    /// Sets what happens when calls end faster than the ledger is written. Default: calls wait.
    pub fn overload(mut self, overload: Overload) -> Self {
        self.bounds.overload = overload;
        self
    }

    /// Sets how many calls may wait to be recorded. Default: 8,192.
    pub fn capacity(mut self, calls: usize) -> Self {
        self.bounds.calls = calls.max(1);
        self
    }

    /// Sets how many bytes the waiting calls may hold. Default: 64 MiB.
    pub fn capacity_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes = bytes.max(1);
        self
    }

    /// Sets when calls of writing and destructive tools are answered. Default:
    /// [`Stored`](RecordDurability::Stored).
    ///
    /// A dry run has no effect, so it is answered like a read.
    pub fn answer_writes_after(mut self, after: RecordDurability) -> Self {
        self.answer_timing.writes = after;
        self
    }

    /// Sets when calls of reading tools are answered. Default: [`Queued`](RecordDurability::Queued).
    ///
    /// ```
    /// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    /// use tool_runtime::ledger::{RecordDurability, JsonLinesLedger, Ledger};
    /// use tool_runtime::policy::KeyRing;
    ///
    /// // No answer is given before its record is stored, not even that of a read.
    /// let ledger = Ledger::builder(KeyRing::new("2026-11", &[7; 32])?)
    ///     .answer_reads_after(RecordDurability::Stored)
    ///     .open(JsonLinesLedger::open(folder.join("calls.jsonl"))?)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer_reads_after(mut self, after: RecordDurability) -> Self {
        self.answer_timing.reads = after;
        self
    }

    /// Sets how much of the arguments a record holds. Default: redacted, up to 4 KiB.
    pub fn inputs(mut self, inputs: InputCapture) -> Self {
        self.inputs = inputs;
        self
    }

    /// Sets the patterns that find personal data and secrets in free text, in addition to what
    /// schemas mark.
    pub fn patterns(mut self, patterns: Patterns) -> Self {
        self.patterns = patterns;
        self
    }

    /// Sets the number of records between two checkpoints. Default: 1,000.
    pub fn checkpoint_every(mut self, records: u64) -> Self {
        self.checkpoint_every = records.max(1);
        self
    }

    /// Sets how long the contents of records are kept. Default: without limit.
    ///
    /// Older contents are erased when the ledger is opened, and whenever a checkpoint is due.
    /// Their hashes stay. A ledger that several writers share may keep them for up to two more days.
    pub fn retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Sets the sink to which checkpoints are exported. When the ledger is opened, it is checked
    /// against the newest checkpoint in the sink. Default: checkpoints are not exported.
    ///
    /// Without a sink, a ledger that was truncated, emptied, or replaced by an older copy opens as
    /// if it were whole. Put the sink where a process that can write the ledger's files cannot
    /// write. See [`CheckpointSink`].
    pub fn checkpoint_sink(mut self, sink: impl CheckpointSink) -> Self {
        self.sink = Some(Box::new(sink));
        self
    }

    /// Sets the longest time between two exports while there are new records. Default: one minute.
    /// A checkpoint is also exported every [`checkpoint_every`](Self::checkpoint_every) records,
    /// and when the ledger is opened and closed.
    ///
    /// If several writers share the ledger, it is also the longest time between two checkpoints over all chains, of
    /// which one of them writes the next.
    pub fn export_every(mut self, time: Duration) -> Self {
        self.export_every = time;
        self
    }

    /// Requires the opened ledger to contain the records that this checkpoint signed. May be
    /// called several times, for checkpoints that the sink cannot return by itself.
    pub fn expecting(mut self, checkpoint: Checkpoint) -> Self {
        self.expected.push(checkpoint);
        self
    }

    /// Sets the clock that dates the records. Default: the system's clock.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Opens the ledger in a store, and starts the writer thread. It waits for the store; in asynchronous code, open
    /// it before the first call is served.
    ///
    /// Reads the records behind the last checkpoint before it returns. If the last writer did not
    /// close the ledger, a record says so.
    ///
    /// # Errors
    /// The store or the sink cannot be read or written, the records behind the last checkpoint are
    /// not a valid chain, or the ledger does not contain the newest exported checkpoint. In the
    /// last case the error gives the size and root of both.
    pub fn open(mut self, store: impl LedgerStore) -> Result<Ledger, StoreError> {
        let keys = Arc::new(LedgerKeys::new(&self.keys, self.patterns));
        let pace = WriterOptions {
            checkpoint_every: self.checkpoint_every,
            inputs: self.inputs,
            retention: self.retention,
            cover_every: self.export_every,
        };
        let newest = match &mut self.sink {
            Some(sink) => sink.newest()?,
            None => None,
        };
        self.expected.extend(newest);
        let store = Box::new(store);
        let mut writer =
            LedgerWriter::open(store, keys.clone(), self.clock.clone(), pace, &self.expected)?;
        if let Some(sink) = self.sink {
            let largest_checkpoint = self.expected.into_iter().max_by_key(Checkpoint::size);
            writer.start_exports(ExportSchedule {
                exporter: Exporter::start(sink, largest_checkpoint, writer.stats().clone())?,
                every: self.export_every,
                sign_note: self.sign_note,
                last: None,
            });
        }
        Ledger::start(writer, keys, self.clock, self.bounds, self.answer_timing)
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

/// The time for which a ledger that is being closed keeps retrying a failed write.
pub(super) const CLOSE_RETRY_TIME: Duration = Duration::from_secs(3);

/// The first and the longest pause between two tries to write.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(20);
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(2);
