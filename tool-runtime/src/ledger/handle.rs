//! The ledger's handle: what a host asks of it.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use async_lock::Mutex as Turn;
use chrono::{DateTime, Utc};
use futures::channel::oneshot;
use thiserror::Error;

use super::chain::{Audited, Auditor, ChainKeys, Checkpoint, Fault, TreeHead, Verified, Verifier};
use super::config::{Answering, LedgerBuilder};
use super::export::Kept;
use super::keys::LedgerKeys;
use super::notes::Notes;
use super::query::{LedgerQuery, Page, written};
use super::queue::{Bounds, Queue};
use super::record::Access;
use super::search::Search;
use super::stats::{LedgerStatus, Stats};
use super::store::{LedgerStore, SCAN};
use super::writer::{self, Desk};
use crate::call::guard;
use crate::policy::KeyRing;
use crate::store::{Clock, StoreError, StoreErrorKind};

/// How long the last handle that is dropped waits for what is still to be written.
const FAREWELL: Duration = Duration::from_secs(5);

/// The record of every call: who did what, with which inputs, and what came back.
///
/// Records are described, chained and stored by one thread, in groups, off the calls' way. Give it
/// to [`RuntimeBuilder::ledger`](crate::RuntimeBuilder::ledger). A handle: cloning it is cheap. One
/// process writes a ledger at a time; any may [`verify`] it.
///
/// # When it ends
/// [`close`](Self::close) writes what still waits and says in the ledger that it is whole. Dropping
/// the last handle does the same, and waits up to five seconds for it.
///
/// ```
/// use tool_runtime::ledger::{Ledger, LedgerQuery, MemoryLedger};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::prelude::*;
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let keys = KeyRing::new("2025-07", &[7; 32])?; // 32 random bytes of your own
/// let ledger = Ledger::builder(keys).open(MemoryLedger::new(10_000))?;
/// let runtime = Runtime::builder().tool::<Add>().ledger(&ledger).build()?;
///
/// let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
/// runtime.call("add", r#"{"a":2,"b":40}"#, &cx).execute().await;
/// runtime.call("add", r#"{"a":2}"#, &cx).execute().await;
///
/// ledger.flush().await?;
/// let page = ledger.find(LedgerQuery::new().trace("trace-1")).await?;
/// let ends: Vec<_> = page.records.iter().map(|(_, call)| call.ended).collect();
/// assert_eq!(ends, [CallStatus::Executed, CallStatus::Rejected]);
///
/// let exported = ledger.checkpoint().await?; // keep it where nobody here can write
/// assert!(ledger.verify(&[exported]).await.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Ledger(Arc<Shared>);

struct Shared {
    queue: Arc<Queue>,
    keys: Arc<LedgerKeys>,
    clock: Arc<dyn Clock>,
    stats: Arc<Stats>,
    /// What the sink of checkpoints has; none without a sink.
    kept: Option<Kept>,
    answering: Answering,
    writer: ThreadId,
    /// Access records that wait to be written.
    notes: Notes,
    /// Whose turn it is of those who ask for what anybody may.
    turn: Arc<Turn<()>>,
    /// Hears when the writer has ended.
    ended: Mutex<Receiver<()>>,
}

/// Who waits for what the writer is asked to do.
type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// Why a ledger could not be verified.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It is not as it was written.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A [`Fault`], as an error.
#[derive(Debug, Clone, Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct FaultError(pub Fault);

impl Ledger {
    /// Starts a ledger's configuration; the keys link its records.
    pub fn builder(keys: KeyRing) -> LedgerBuilder {
        LedgerBuilder::new(keys)
    }

    pub(super) fn start(
        desk: Desk,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        bounds: Bounds,
        answering: Answering,
    ) -> Result<Self, StoreError> {
        let (queue, stats) = (Arc::new(Queue::new(bounds)), desk.stats().clone());
        let kept = desk.kept();
        let (done, ended) = mpsc::channel();
        let (its, counts) = (queue.clone(), stats.clone());
        let work = move || {
            if let Err(text) = guard(|| writer::run(desk, &its)) {
                let text = format!("the ledger's writer panicked: {text}");
                counts.fails(StoreError::new(StoreErrorKind::Unavailable, text));
            }
            // A writer that has ended takes nothing more.
            counts.lost(its.give_up());
            let _ = done.send(());
        };
        let thread = thread::Builder::new().name("tool-ledger".to_owned()).spawn(work);
        let thread = thread.map_err(|error| {
            let text = format!("cannot start the ledger's thread: {error}");
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        let (writer, ended) = (thread.thread().id(), Mutex::new(ended));
        let (turn, notes) = (Arc::default(), Notes::default());
        let shared =
            Shared { queue, keys, clock, stats, kept, answering, writer, notes, turn, ended };
        Ok(Self(Arc::new(shared)))
    }

    /// Tells how the ledger is doing.
    #[must_use]
    pub fn status(&self) -> LedgerStatus {
        self.0.stats.status()
    }

    /// Waits until every call that has ended by now is written and safe.
    ///
    /// # Errors
    /// The ledger cannot be written at the moment, or is closed.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.ask(|desk| desk.stats().failing().map_or(Ok(()), Err)).await
    }

    /// Finds calls, a page at once.
    ///
    /// Calls that have just ended may not be written yet; [`flush`](Self::flush) first. A part of the
    /// ledger is looked through at once, so that calls are recorded in between, and nothing more
    /// once the returned future is dropped. Parts of searches that go on side by side take turns.
    ///
    /// # Errors
    /// The ledger cannot be read, or is closed.
    pub async fn find(&self, query: LedgerQuery) -> Result<Page, StoreError> {
        let mut search = Search::of(query);
        loop {
            let part = self.ask_in_turn(move |desk| {
                let more = search.advance(desk)?;
                Ok((search, more))
            });
            match part.await? {
                (so_far, true) => search = so_far,
                (search, false) => return Ok(search.into_page()),
            }
        }
    }

    /// Signs the ledger as it stands, and writes that down in it too.
    ///
    /// Keep the checkpoint where whoever can write the ledger cannot: it shows that records were cut
    /// off its end, or all of it was written anew.
    ///
    /// # Errors
    /// The ledger cannot be written, or is closed.
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {
        self.ask(Desk::checkpoint).await
    }

    /// Verifies the whole ledger, and that it is the one of which these checkpoints were signed.
    ///
    /// # Errors
    /// The first record that was altered, removed or moved; or the ledger cannot be read.
    pub async fn verify(&self, checkpoints: &[Checkpoint]) -> Result<Verified, VerifyError> {
        let kept = self.0.kept.as_ref().and_then(Kept::newest);
        let mut verifier = expecting(self.0.keys.chain().clone(), checkpoints);
        verifier = kept.into_iter().fold(verifier, Verifier::expecting);
        let mut from = 0;
        loop {
            let part = self.ask_in_turn(move |desk| {
                let part = push(desk.store(), &mut verifier, from)?;
                Ok((verifier, part))
            });
            let (so_far, part) = part.await?;
            match part {
                Part::More(next) => (verifier, from) = (so_far, next),
                Part::Fault(fault) => return Err(FaultError(fault).into()),
                Part::End => return so_far.finish().map_err(|fault| FaultError(fault).into()),
            }
        }
    }

    /// Gives up the contents of all records of before this moment; their hashes stay, so that the
    /// ledger can still be verified. Returns how many there were.
    ///
    /// # Errors
    /// The ledger cannot be written, or is closed.
    pub async fn forget_before(&self, moment: DateTime<Utc>) -> Result<u64, StoreError> {
        self.ask(move |desk| {
            let before = desk.first_since(&written(moment))?;
            if desk.has_forgotten(before) { Ok(0) } else { desk.forget(before) }
        })
        .await
    }

    /// Records what somebody has done with what is kept under lock, and waits until it is safe.
    ///
    /// Records that wait at the same time are written together, so that no reader waits for another;
    /// at most 1,024 wait at once.
    ///
    /// # Errors
    /// The ledger cannot be written, is closed, or too many records wait.
    ///
    /// # Cancellation
    /// The record is written even if the returned future is dropped once it has been polled.
    pub async fn note_access(&self, access: Access) -> Result<(), StoreError> {
        let (written, asks) = self.0.notes.take(access)?;
        if asks {
            self.0.notes.ask(&self.0.queue);
        }
        written.await.unwrap_or_else(|_| {
            let text = "it is closed, or too much is asked of it at once";
            Err(StoreError::new(StoreErrorKind::Unavailable, text))
        })
    }

    /// Writes what still waits, says in the ledger that it is whole, and ends it for all handles.
    ///
    /// Calls that end later are not recorded: end the runtime's calls first.
    ///
    /// # Errors
    /// What waits cannot be written: it is lost.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.queue.close();
        let shared = self.0.clone();
        let (done, ended) = oneshot::channel();
        // A thread that may wait: the writer answers nobody any more.
        let wait = move || {
            shared.wait(None);
            let _ = done.send(());
        };
        if thread::Builder::new().name("tool-ledger-close".to_owned()).spawn(wait).is_ok() {
            let _ = ended.await;
        }
        self.0.stats.failing().map_or(Ok(()), Err)
    }

    /// Has the writer do something, after what has ended by now is written.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask_with(|desk, answer| drop(answer.send(work(desk)))).await
    }

    /// Has the writer do something that anybody may ask for, however often: one such thing between
    /// two groups of records, so that these wait for no more; and none for an asker who has gone.
    async fn ask_in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = self.0.turn.lock_arc().await;
        let work = move |desk: &mut Desk, answer: Answer<T>| {
            if !answer.is_canceled() {
                let done = work(desk);
                // Before its asker hears of it, so that who has waited comes before them.
                drop(turn);
                let _ = answer.send(done);
            }
        };
        self.ask_with(work).await
    }

    async fn ask_with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk, Answer<T>) + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let ask = Box::new(move |desk: &mut Desk| work(desk, answer));
        self.0.queue.ask(ask).map_err(|_| {
            let text = "it is closed, or too much is asked of it at once";
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        answered.await.unwrap_or_else(|_| {
            let text = "the ledger was closed before it could answer";
            Err(StoreError::new(StoreErrorKind::Unavailable, text))
        })
    }

    #[cfg(feature = "evidence")]
    pub(crate) fn keys(&self) -> &Arc<LedgerKeys> {
        &self.0.keys
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    pub(super) fn answering(&self) -> Answering {
        self.0.answering
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(super) fn stats(&self) -> &Stats {
        &self.0.stats
    }
}

/// Verifies a ledger that nobody writes, or a copy of one, and that it is the one of which these
/// checkpoints were signed.
///
/// # Errors
/// The first record that was altered, removed or moved; or the store cannot be read.
pub fn verify(
    store: &mut dyn LedgerStore,
    keys: &KeyRing,
    checkpoints: &[Checkpoint],
) -> Result<Verified, VerifyError> {
    let mut verifier = expecting(ChainKeys::new(keys), checkpoints);
    let mut from = 0;
    loop {
        match push(store, &mut verifier, from)? {
            Part::More(next) => from = next,
            Part::Fault(fault) => return Err(FaultError(fault).into()),
            Part::End => return verifier.finish().map_err(|fault| FaultError(fault).into()),
        }
    }
}

/// Holds a ledger, or a copy of one, against tree heads that were signed of it, without its key.
///
/// The heads come from notes ([`ExportedCheckpoint::note`](super::ExportedCheckpoint::note)) that a
/// `NoteVerifier` (feature `ed25519`) has verified. It proves the records up to the largest head,
/// and says how many there are behind it ([`Audited`]). What was given up is proven by its hash.
///
/// # Errors
/// The first record that was altered, removed or moved; or the store cannot be read.
pub fn audit(store: &mut dyn LedgerStore, heads: &[TreeHead]) -> Result<Audited, VerifyError> {
    let mut auditor = Auditor::new(heads.iter().copied());
    let mut from = 0;
    loop {
        let entries = store.read(from, SCAN)?;
        let next = entries.last().map_or(from, |last| last.seq().saturating_add(1)).max(from);
        store.check(from..next)?;
        entries.iter().try_for_each(|entry| auditor.push(entry)).map_err(FaultError)?;
        if entries.is_empty() {
            return Ok(auditor.finish().map_err(FaultError)?);
        }
        from = next;
    }
}

fn expecting(keys: ChainKeys, checkpoints: &[Checkpoint]) -> Verifier {
    let expecting = |verifier: Verifier, it: &Checkpoint| verifier.expecting(it.clone());
    checkpoints.iter().fold(Verifier::new(keys), expecting)
}

/// What came of verifying a part.
enum Part {
    More(u64),
    Fault(Fault),
    End,
}

fn push(
    store: &mut dyn LedgerStore,
    verifier: &mut Verifier,
    from: u64,
) -> Result<Part, StoreError> {
    let entries = store.read(from, SCAN)?;
    let next = entries.last().map_or(from, |last| last.seq().saturating_add(1));
    // First, since a fault of the chain may come from what is wrong with the store.
    store.check(from..next.max(from))?;
    if entries.is_empty() {
        return Ok(Part::End);
    }
    let fault = entries.iter().find_map(|entry| verifier.push(entry).err());
    Ok(fault.map_or(Part::More(next), Part::Fault))
}

impl Shared {
    /// Waits until the writer has ended; no longer than this, if there is a limit.
    fn wait(&self, limit: Option<Duration>) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // It hangs up when it has ended, however it did.
        match limit {
            None => drop(ended.recv()),
            Some(limit) => drop(ended.recv_timeout(limit)),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
        // The last call's record may be what held the last handle.
        if thread::current().id() != self.writer {
            self.wait(Some(FAREWELL));
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("status", &self.status()).finish_non_exhaustive()
    }
}
