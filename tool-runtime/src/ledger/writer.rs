//! The one thread that writes the ledger: it describes, chains and stores what has ended, in groups.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::chain::{Checkpoint, Entry, Head};
use super::config::{FIRST_PAUSE, Inputs, LAST_TRIES, LONGEST_PAUSE};
use super::ended::EndedCall;
use super::export::{ExportedCheckpoint, Exporter, Kept};
use super::keys::LedgerKeys;
use super::query::written_ms;
use super::queue::{Batch, Missing, Queue};
use super::record::{Began, Closed, Forgotten, Record, Shed};
use super::resume::{Resting, Resumed, resume};
use super::stats::Stats;
use super::store::{LedgerStore, SCAN};
use crate::call::guard;
use crate::store::{Clock, StoreError, StoreErrorKind};

/// How many calls are written together at most.
const MOST_IN_GROUP: usize = 2_048;

/// How the writer goes about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) checkpoint_every: u64,
    pub(super) inputs: Inputs,
    /// How long contents are kept, if not for ever.
    pub(super) retention: Option<Duration>,
}

/// What the writer works with.
pub(super) struct Desk {
    store: Box<dyn LedgerStore>,
    keys: Arc<LedgerKeys>,
    clock: Arc<dyn Clock>,
    pace: Pace,
    head: Head,
    /// The size of the ledger behind its last checkpoint.
    checked: u64,
    /// All records before this one have been given up.
    forgotten: u64,
    stats: Arc<Stats>,
    /// None without a sink.
    exports: Option<Exports>,
}

/// What the writer exports, and when.
pub(super) struct Exports {
    pub(super) exporter: Exporter,
    pub(super) every: Duration,
    #[cfg(feature = "ed25519")]
    pub(super) signer: Option<super::export::NoteSigner>,
    /// The size of the ledger at the last export, and when that was.
    pub(super) last: Option<(u64, Instant)>,
}

/// Records behind the end of the ledger, and the end that it has with them.
struct Linked {
    head: Head,
    entries: Vec<Entry>,
}

impl Desk {
    /// Finds the end of the ledger, and says that a writer begins.
    pub(super) fn open(
        mut store: Box<dyn LedgerStore>,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        pace: Pace,
        expected: &[Checkpoint],
    ) -> Result<Self, StoreError> {
        store.check(0..0)?;
        let Resumed { head, checked, last } = resume(&mut *store, &keys, expected)?;
        let (stats, exports) = (Arc::default(), None);
        let mut desk =
            Self { store, keys, clock, pace, head, checked, forgotten: 0, stats, exports };
        let torn_bytes = desk.store.torn_bytes();
        let after_crash = last.is_some_and(|last| !matches!(last, Record::Closed(_)));
        desk.note(&Record::Began(Began { at: desk.now(), after_crash, torn_bytes }))?;
        if desk.pace.retention.is_some() {
            desk.tidy_up()?;
        }
        Ok(desk)
    }

    /// Exports checkpoints from now on, at once a first one.
    pub(super) fn export_by(&mut self, exports: Exports) {
        self.exports = Some(exports);
        self.export();
    }

    /// What the sink has, if there is one.
    pub(super) fn kept(&self) -> Option<Kept> {
        self.exports.as_ref().map(|exports| exports.exporter.kept())
    }

    /// Signs the ledger as it stands and hands it to the sink, if there is one and something is new.
    fn export(&mut self) {
        let (size, keys) = (self.head.size(), self.keys.chain());
        let Some(exports) = &mut self.exports else { return };
        if exports.last.is_some_and(|(last, _)| last == size) {
            return;
        }
        let checkpoint = self.head.checkpoint(keys, self.clock.now());
        #[cfg(feature = "ed25519")]
        let note = exports.signer.as_ref().map(|signer| signer.sign(&checkpoint.tree_head()));
        #[cfg(not(feature = "ed25519"))]
        let note = None;
        exports.exporter.offer(ExportedCheckpoint { checkpoint, note });
        exports.last = Some((size, Instant::now()));
    }

    /// Says when the next export is due, if something is new since the last one.
    fn export_due(&self) -> Option<Instant> {
        let exports = self.exports.as_ref()?;
        let (_, at) = exports.last.filter(|(size, _)| *size != self.head.size())?;
        at.checked_add(exports.every)
    }

    pub(super) fn stats(&self) -> &Arc<Stats> {
        &self.stats
    }

    pub(super) fn store(&mut self) -> &mut dyn LedgerStore {
        &mut *self.store
    }

    /// Counts the records: the number that the next one gets.
    pub(super) fn size(&self) -> u64 {
        self.head.size()
    }

    /// Now, as records say it.
    pub(super) fn now(&self) -> String {
        written_ms(self.clock.now().get())
    }

    /// Appends one record.
    pub(super) fn note(&mut self, record: &Record) -> Result<(), StoreError> {
        self.append_one(record.to_text())
    }

    /// Appends records together: all, or none.
    pub(super) fn note_all(
        &mut self,
        bodies: impl IntoIterator<Item = Box<str>>,
    ) -> Result<(), StoreError> {
        self.append(self.link(bodies)).map_err(|(error, _)| error)
    }

    fn append_one(&mut self, body: Box<str>) -> Result<(), StoreError> {
        self.append(self.link([body])).map_err(|(error, _)| error)
    }

    /// Links records to the end of the ledger as it stands.
    fn link(&self, bodies: impl IntoIterator<Item = Box<str>>) -> Linked {
        let mut head = self.head.clone();
        let link = |body| head.append(self.keys.chain(), body);
        let entries = bodies.into_iter().map(link).collect();
        Linked { head, entries }
    }

    /// Appends records: all, or none; then it gives them back.
    fn append(&mut self, linked: Linked) -> Result<(), (StoreError, Vec<Entry>)> {
        let Linked { head, entries } = linked;
        let appended = guard(|| self.store.append(&entries));
        match appended.unwrap_or_else(|text| Err(panicked(&text))) {
            Ok(()) => self.head = head,
            Err(error) => return Err((error, entries)),
        }
        Ok(())
    }

    /// Signs the ledger as it stands, in a record of its own.
    pub(super) fn checkpoint(&mut self) -> Result<Checkpoint, StoreError> {
        let checkpoint = self.head.checkpoint(self.keys.chain(), self.clock.now());
        let resting = Resting { checkpoint: checkpoint.clone(), head: self.head.clone() };
        self.append_one(super::record::text("checkpoint", &resting))?;
        self.checked = self.head.size();
        Ok(checkpoint)
    }

    /// Gives up the contents of all records before this one.
    pub(super) fn forget(&mut self, before: u64) -> Result<u64, StoreError> {
        // Whoever opens the ledger begins at a checkpoint, so one has to stay.
        self.checkpoint()?;
        let at = self.now();
        // Said before it is done: what is gone without a word looks removed.
        self.note(&Record::Forgotten(Forgotten { at, before }))?;
        let forgotten = self.store.forget(before)?;
        self.forgotten = before;
        Ok(forgotten)
    }

    /// Tells whether the contents of all records before this one were given up already.
    pub(super) fn has_forgotten(&self, before: u64) -> bool {
        before <= self.forgotten
    }

    /// Finds the first record that is not older than this, by the time that records carry.
    ///
    /// It goes from the oldest on, since clocks may have been turned back meanwhile.
    pub(super) fn first_since(&mut self, moment: &str) -> Result<u64, StoreError> {
        let mut from = self.forgotten;
        loop {
            let entries = self.store.read(from, SCAN)?;
            if let Some(first) = entries.iter().find(|entry| !is_before(entry, moment)) {
                return Ok(first.seq());
            }
            match entries.last() {
                Some(last) => from = last.seq() + 1,
                None => return Ok(from),
            }
        }
    }

    /// Signs the ledger and gives up what is too old, where it is time to.
    fn tidy(&mut self) -> Result<(), StoreError> {
        if self.head.size() - self.checked < self.pace.checkpoint_every {
            return Ok(());
        }
        let tidied = self.tidy_up();
        self.export();
        tidied
    }

    fn tidy_up(&mut self) -> Result<(), StoreError> {
        let Some(retention) = self.pace.retention else { return self.checkpoint().map(drop) };
        let kept_ms = u64::try_from(retention.as_millis()).unwrap_or(u64::MAX);
        let oldest = written_ms(self.clock.now().get().saturating_sub(kept_ms));
        let before = self.first_since(&oldest)?;
        if self.has_forgotten(before) {
            self.checkpoint().map(drop)
        } else {
            self.forget(before).map(drop)
        }
    }

    /// Writes a call's record, and gives up what it held.
    fn describe(&self, ended: EndedCall) -> Box<str> {
        let call = ended.describe(&self.keys, self.pace.inputs);
        // The host's values may go with their last call, and may panic as they do.
        drop(guard(|| drop(ended)));
        super::record::text("call", &call)
    }

    fn describe_missing(&self, shed: Missing) -> Box<str> {
        let since = written_ms(shed.since_ms);
        Record::Shed(Shed { at: self.now(), calls: shed.calls, since }).to_text()
    }
}

/// Is a record older than this moment? What is forgotten already is.
fn is_before(entry: &Entry, moment: &str) -> bool {
    #[derive(Deserialize)]
    struct Dated {
        at: serde_json::Value,
    }
    let Some(body) = entry.body() else { return true };
    match serde_json::from_str::<Dated>(body).map(|dated| dated.at) {
        Ok(serde_json::Value::String(at)) => *at < *moment,
        // A checkpoint's time is a number.
        Ok(at) => at.as_u64().is_some_and(|at| *written_ms(at) < *moment),
        Err(_) => false,
    }
}

fn panicked(text: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, format!("the ledger's store panicked: {text}"))
}

/// The thread's work, until the ledger is closed.
pub(super) fn run(mut desk: Desk, queue: &Queue) {
    let mut spare = VecDeque::new();
    loop {
        let Batch { mut ended, mut asks, shed, last } =
            queue.take(MOST_IN_GROUP, spare, desk.export_due());
        let calls = u64::try_from(ended.len()).unwrap_or(u64::MAX);
        let missing = (shed.calls > 0).then(|| desk.describe_missing(shed));
        // One after another from end to end, while it is at hand.
        let described = ended.drain(..).map(|call| desk.describe(call));
        let linked = desk.link(described.chain(missing));
        ended.shrink_to(MOST_IN_GROUP);
        spare = ended;
        if !write(&mut desk, queue, linked, calls, &mut asks) {
            return;
        }
        serve(&mut desk, asks);
        if desk.export_due().is_some_and(|due| due <= Instant::now()) {
            desk.export();
        }
        if last {
            return end(&mut desk);
        }
    }
}

/// Writes a group, however often it takes; false if the ledger was closed and it still cannot.
fn write(
    desk: &mut Desk,
    queue: &Queue,
    mut linked: Linked,
    calls: u64,
    asks: &mut VecDeque<super::queue::Ask>,
) -> bool {
    let (mut pause, mut closed_at) = (FIRST_PAUSE, None);
    while !linked.entries.is_empty() {
        let (error, left) = match desk.append(linked) {
            Ok(()) => break,
            Err(unwritten) => unwritten,
        };
        desk.stats.fails(error);
        // Whoever asks is told that it fails, and does not wait until it works.
        serve(desk, std::mem::take(asks));
        let (later, closed) = queue.take_asks(pause);
        serve(desk, later);
        if closed && closed_at.get_or_insert_with(Instant::now).elapsed() >= LAST_TRIES {
            desk.stats.lost(calls);
            return false;
        }
        // What was asked may have appended something, so that they are linked anew.
        linked = desk.link(left.iter().filter_map(|entry| entry.body().map(Into::into)));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    desk.stats.wrote(calls);
    queue.confirm();
    let tidied = guard(|| desk.tidy()).unwrap_or_else(|text| Err(panicked(&text)));
    desk.stats.tidied(tidied.err());
    true
}

fn serve(desk: &mut Desk, asks: VecDeque<super::queue::Ask>) {
    for ask in asks {
        drop(guard(|| ask(desk)));
    }
}

/// Says that everything is written.
fn end(desk: &mut Desk) {
    let status = desk.stats.status();
    let closed = Closed { at: desk.now(), calls: status.written, shed: status.shed };
    let ended = desk.checkpoint().and_then(|_| desk.note(&Record::Closed(closed)));
    if let Err(error) = ended {
        desk.stats.fails(error);
    }
    // Of all that was written, so that nothing can be cut off its end.
    desk.export();
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("size", &self.head.size()).finish_non_exhaustive()
    }
}
