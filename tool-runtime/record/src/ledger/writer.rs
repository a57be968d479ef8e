//! The thread that writes the ledger: it serializes, chains and stores ended calls in groups.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use tool_runtime_core::store::{Clock, StoreError, StoreErrorKind, UnixMillis};
use tool_runtime_core::tool::catch_panic;

use super::appends::LinkedEntries;
use super::call_snapshot::CallSnapshot;
use super::chain::{ChainEntry, ChainHead, Checkpoint};
use super::config::{CLOSE_RETRY_TIME, FIRST_PAUSE, InputCapture, MAX_PAUSE};
use super::export::{ExportedCheckpoint, Exporter, NewestExport, SignNote};
use super::keys::LedgerKeys;
use super::query::{timestamp, timestamp_ms};
use super::queue::{LedgerQueue, QueueBatch, ShedCount};
use super::record::{CallsShed, ContentsErased, Record, WriterBegan, WriterClosed};
use super::recovery::{CheckpointRecord, ResumePoint, first_kept, resume};
use super::shared::checkpoints;
use super::stats::LedgerStats;
use super::store::{LedgerStore, SCAN_ENTRIES};

/// The most calls that are written together.
const MAX_GROUP: usize = 2_048;

/// The writer's settings.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriterOptions {
    pub(super) checkpoint_every: u64,
    pub(super) inputs: InputCapture,
    /// The time for which contents are kept; none without limit.
    pub(super) retention: Option<Duration>,
    /// The time between two checkpoints over all chains of a shared ledger.
    pub(super) cover_every: Duration,
}

/// The state of the writer thread.
pub(super) struct LedgerWriter {
    pub(super) store: Box<dyn LedgerStore>,
    pub(super) keys: Arc<LedgerKeys>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) options: WriterOptions,
    pub(super) head: ChainHead,
    /// The size of the ledger after its last checkpoint.
    checkpointed: u64,
    /// The contents of all records before this one have been erased.
    erased: u64,
    stats: Arc<LedgerStats>,
    /// None without a sink.
    exports: Option<ExportSchedule>,
    /// The time of the next sign of life; none if the store has one writer.
    pub(super) next_beat: Option<Instant>,
    /// The time of the next look for old contents of a shared ledger, and the error of the last one.
    pub(super) next_retention: Option<Instant>,
    pub(super) retention_error: Option<StoreError>,
    /// Entries of an append that failed, and may have been stored.
    pub(super) uncertain: Option<LinkedEntries>,
    /// True if the group of calls that is to be appended again was found to be stored.
    pub(super) is_group_stored: bool,
}

/// The exporter of checkpoints, and the time of the next export.
pub(super) struct ExportSchedule {
    pub(super) exporter: Exporter,
    pub(super) every: Duration,
    pub(super) sign_note: Option<SignNote>,
    /// The size of the ledger at the last export, and when that was.
    pub(super) last: Option<(u64, Instant)>,
}

impl ExportSchedule {
    fn is_due(&self, now: Instant) -> bool {
        self.last.is_none_or(|(_, at)| now.saturating_duration_since(at) >= self.every)
    }
}

impl LedgerWriter {
    /// Returns the writer of an empty chain.
    pub(super) fn new(
        store: Box<dyn LedgerStore>,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        options: WriterOptions,
    ) -> Self {
        Self {
            store,
            keys,
            clock,
            options,
            head: ChainHead::empty(),
            checkpointed: 0,
            erased: 0,
            stats: Arc::default(),
            exports: None,
            next_beat: None,
            next_retention: None,
            retention_error: None,
            uncertain: None,
            is_group_stored: false,
        }
    }

    /// Finds the end of the ledger, and appends a record that a writer began.
    pub(super) fn open(
        mut store: Box<dyn LedgerStore>,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        options: WriterOptions,
        expected: &[Checkpoint],
    ) -> Result<Self, StoreError> {
        store.check(0..0)?;
        if store.shared().is_some() {
            return Self::open_shared(store, keys, clock, options, expected);
        }
        let ResumePoint { head, checkpointed, last } = resume(&mut *store, &keys, expected)?;
        let erased = first_kept(&mut *store, head.size())?;
        let mut writer = Self::new(store, keys, clock, options);
        (writer.head, writer.checkpointed, writer.erased) = (head, checkpointed, erased);
        let torn_bytes = writer.store.torn_bytes();
        let after_crash = last.is_some_and(|last| !matches!(last, Record::Closed(_)));
        let at = writer.now();
        let began = WriterBegan { at, writer: None, after_crash, torn_bytes };
        writer.append_record(&Record::Began(began))?;
        if writer.options.retention.is_some() {
            writer.checkpoint_and_erase()?;
        }
        Ok(writer)
    }

    /// Sets the export of checkpoints, and exports the first one at once.
    pub(super) fn start_exports(&mut self, exports: ExportSchedule) {
        self.exports = Some(exports);
        self.export();
    }

    /// Returns the newest checkpoint of the sink, if there is a sink.
    pub(super) fn kept(&self) -> Option<NewestExport> {
        self.exports.as_ref().map(|exports| exports.exporter.newest_export())
    }

    /// Signs the current state and hands it to the sink, if there is one and there are new
    /// records.
    fn export(&mut self) {
        if self.exports.is_none() {
            return;
        }
        let (head, now) = (self.exported_head(), self.clock.now());
        let Some(exports) = &mut self.exports else { return };
        let head = match head {
            Ok(head) => head,
            Err(error) => return self.stats.count_export_failure(error),
        };
        let size = head.size();
        if exports.last.is_some_and(|(last, _)| last == size) {
            return;
        }
        let checkpoint = head.checkpoint(self.keys.chain(), now);
        let note = exports.sign_note.as_ref().map(|sign| sign(&checkpoint.tree_head()));
        exports.exporter.offer(ExportedCheckpoint { checkpoint, note });
        exports.last = Some((size, Instant::now()));
    }

    /// Returns the head that is exported: that of the chain of checkpoints, if several writers share the ledger.
    fn exported_head(&mut self) -> Result<ChainHead, StoreError> {
        match self.store.shared() {
            Some(shared) => checkpoints::end(shared, &self.keys),
            None => Ok(self.head.clone()),
        }
    }

    /// Does what is due: a sign of life in a shared ledger, an export.
    fn run_due(&mut self) {
        let now = Instant::now();
        if self.next_beat.is_some_and(|due| due <= now) {
            let beat = catch_panic(|| self.beat(self.options.cover_every));
            let beat = beat.unwrap_or_else(|text| Err(panicked(&text)));
            self.erase_if_due();
            self.set_maintenance_error(beat.err());
        }
        let is_due = match self.next_beat {
            // The other writers append checkpoints too, so this writer's own records do not tell.
            Some(_) => self.exports.as_ref().is_some_and(|exports| exports.is_due(now)),
            None => self.next_export().is_some_and(|due| due <= now),
        };
        if is_due {
            self.export();
        }
    }

    /// Sets the error of the last maintenance; that of a shared ledger's retention stays until it succeeds.
    fn set_maintenance_error(&self, error: Option<StoreError>) {
        self.stats.set_maintenance_error(error.or_else(|| self.retention_error.clone()));
    }

    /// Returns when the writer has something to do without new records.
    fn next_wake(&self) -> Option<Instant> {
        self.next_beat.or_else(|| self.next_export())
    }

    /// Returns when the next export is due, if there are new records since the last one.
    fn next_export(&self) -> Option<Instant> {
        let exports = self.exports.as_ref()?;
        let (_, at) = exports.last.filter(|(size, _)| *size != self.head.size())?;
        at.checked_add(exports.every)
    }

    pub(super) fn stats(&self) -> &Arc<LedgerStats> {
        &self.stats
    }

    pub(super) fn store(&mut self) -> &mut dyn LedgerStore {
        &mut *self.store
    }

    /// Returns the number of records, which is the next record's number.
    pub(super) fn size(&self) -> u64 {
        self.head.size()
    }

    /// Returns the current time in the format of records.
    pub(super) fn now(&self) -> String {
        timestamp_ms(self.clock.now().get())
    }

    /// Signs the current state, in a separate record.
    pub(super) fn checkpoint(&mut self) -> Result<Checkpoint, StoreError> {
        let checkpoint = self.head.checkpoint(self.keys.chain(), self.clock.now());
        let read_checkpoint =
            CheckpointRecord { checkpoint: checkpoint.clone(), head: self.head.clone() };
        self.append_all([super::record::text("checkpoint", &read_checkpoint)])?;
        self.checkpointed = self.head.size();
        Ok(checkpoint)
    }

    /// Erases the contents of all records before this one.
    pub(super) fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        // An opened ledger resumes from a checkpoint, so one has to stay.
        self.checkpoint()?;
        let at = self.now();
        // Recorded first: contents that are missing without a record count as removed.
        self.append_record(&Record::Erased(ContentsErased { at, before }))?;
        let erased = self.store.erase(before)?;
        self.erased = before;
        Ok(erased)
    }

    /// Returns whether the contents of all records before this one have been erased.
    pub(super) fn is_erased(&self, before: u64) -> bool {
        before <= self.erased
    }

    /// Finds the first record that is not older than `moment`, by the time in the records.
    ///
    /// Searches from the oldest on, since the clock may have been set back in between.
    pub(super) fn first_since(&mut self, moment: &str) -> Result<u64, StoreError> {
        let mut from = self.erased;
        loop {
            let entries = self.store.read(from, SCAN_ENTRIES)?;
            if let Some(first) = entries.iter().find(|entry| !is_before(entry, moment)) {
                return Ok(first.seq());
            }
            match entries.last() {
                Some(last) => from = last.seq() + 1,
                None => return Ok(from),
            }
        }
    }

    /// Writes a checkpoint and erases old contents, if a checkpoint is due.
    fn checkpoint_if_due(&mut self) -> Result<(), StoreError> {
        if self.head.size() - self.checkpointed < self.options.checkpoint_every {
            return Ok(());
        }
        let result = self.checkpoint_and_erase();
        self.export();
        result
    }

    pub(super) fn checkpoint_and_erase(&mut self) -> Result<(), StoreError> {
        let Some(retention) = self.options.retention else { return self.checkpoint().map(drop) };
        let oldest = self.clock.now().before(retention);
        if self.store.shared().is_some() {
            // Its old contents are erased by time.
            return self.checkpoint().map(drop);
        }
        let before = self.first_since(&timestamp_ms(oldest.get()))?;
        if self.is_erased(before) {
            self.checkpoint().map(drop)
        } else {
            self.erase(before).map(drop)
        }
    }

    /// Erases the contents of all records from before this moment.
    pub(super) fn erase_before(&mut self, moment: DateTime<Utc>) -> Result<u64, StoreError> {
        if self.store.shared().is_some() {
            let moment = u64::try_from(moment.timestamp_millis()).unwrap_or(0);
            return self.erase_shared(UnixMillis::new(moment));
        }
        let before = self.first_since(&timestamp(moment))?;
        if self.is_erased(before) { Ok(0) } else { self.erase(before) }
    }

    /// Serializes a call's record, and drops the call.
    fn serialize_call(&self, ended: CallSnapshot) -> Box<str> {
        let call = ended.to_record(&self.keys, self.options.inputs);
        // This may drop the last reference to the host's values, whose `Drop` may panic.
        drop(catch_panic(|| drop(ended)));
        super::record::text("call", &call)
    }

    fn serialize_shed(&self, shed: ShedCount) -> Box<str> {
        let since = timestamp_ms(shed.since_ms);
        Record::Shed(CallsShed { at: self.now(), calls: shed.calls, since }).to_text()
    }
}

/// Returns whether a record is older than this moment; an erased one is.
fn is_before(entry: &ChainEntry, moment: &str) -> bool {
    #[derive(Deserialize)]
    struct Dated {
        at: serde_json::Value,
    }
    let Some(body) = entry.body() else { return true };
    match serde_json::from_str::<Dated>(body).map(|dated| dated.at) {
        Ok(serde_json::Value::String(at)) => *at < *moment,
        // A checkpoint's time is a number.
        Ok(at) => at.as_u64().is_some_and(|at| *timestamp_ms(at) < *moment),
        Err(_) => false,
    }
}

pub(super) fn panicked(text: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, format!("the ledger's store panicked: {text}"))
}

/// Runs the writer until the ledger is closed.
pub(super) fn run(mut writer: LedgerWriter, queue: &LedgerQueue) {
    let mut spare = VecDeque::new();
    loop {
        let QueueBatch { mut ended, mut requests, shed, is_last } =
            queue.take(MAX_GROUP, spare, writer.next_wake());
        let calls = u64::try_from(ended.len()).unwrap_or(u64::MAX);
        let missing = (shed.calls > 0).then(|| writer.serialize_shed(shed));
        // One call at a time from start to finish, which keeps it in the CPU's cache.
        let described = ended.drain(..).map(|call| writer.serialize_call(call));
        let bodies = described.chain(missing).collect();
        ended.shrink_to(MAX_GROUP);
        spare = ended;
        if !write_group(&mut writer, queue, bodies, calls, &mut requests) {
            return;
        }
        run_requests(&mut writer, requests);
        writer.run_due();
        if is_last {
            return write_final_records(&mut writer);
        }
    }
}

/// Writes a group, with retries; false if the ledger was closed and the store still fails.
fn write_group(
    writer: &mut LedgerWriter,
    queue: &LedgerQueue,
    mut bodies: Vec<Box<str>>,
    calls: u64,
    requests: &mut VecDeque<super::queue::WriterRequest>,
) -> bool {
    let (mut pause, mut closed_at) = (FIRST_PAUSE, None);
    while !bodies.is_empty() {
        let (error, left) = match writer.append_group(bodies) {
            Ok(()) => break,
            Err(unwritten) => unwritten,
        };
        writer.stats.set_write_error(error);
        // Waiting operations get the error now; they do not wait for the store to work again.
        run_requests(writer, std::mem::take(requests));
        let (later, closed) = queue.take_requests(pause);
        run_requests(writer, later);
        if closed && closed_at.get_or_insert_with(Instant::now).elapsed() >= CLOSE_RETRY_TIME {
            writer.stats.count_lost(calls);
            return false;
        }
        bodies = left;
        pause = (pause * 2).min(MAX_PAUSE);
    }
    writer.stats.count_written(calls);
    queue.mark_written();
    let maintained =
        catch_panic(|| writer.checkpoint_if_due()).unwrap_or_else(|text| Err(panicked(&text)));
    writer.set_maintenance_error(maintained.err());
    true
}

fn run_requests(writer: &mut LedgerWriter, requests: VecDeque<super::queue::WriterRequest>) {
    for request in requests {
        drop(catch_panic(|| request(writer)));
    }
}

/// Writes the final records: the ledger is complete.
fn write_final_records(writer: &mut LedgerWriter) {
    let status = writer.stats.status();
    let closed = WriterClosed { at: writer.now(), calls: status.written, shed: status.shed };
    let write_result =
        writer.checkpoint().and_then(|_| writer.append_record(&Record::Closed(closed)));
    if let Err(error) = write_result {
        writer.stats.set_write_error(error);
    }
    if let Err(error) = writer.beat(Duration::ZERO) {
        writer.stats.set_maintenance_error(Some(error));
    }
    // Covers all records, so that cutting any of them off the end is detected.
    writer.export();
}

impl fmt::Debug for LedgerWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerWriter").field("size", &self.head.size()).finish_non_exhaustive()
    }
}
