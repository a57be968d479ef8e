//! The ledger's handle, which a host holds.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use async_lock::Mutex as AsyncMutex;
use chrono::{DateTime, Utc};
use futures::channel::oneshot;
use thiserror::Error;
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{Clock, StoreError, StoreErrorKind};
use tool_runtime_core::tool::catch_panic;
use uuid::Uuid;

use super::access_queue::AccessQueue;
use super::chain::{AuditedChain, ChainFault, ChainKeys, Checkpoint, TreeHead, VerifiedChain};
use super::config::{AnswerTiming, LedgerBuilder};
use super::export::NewestExport;
use super::keys::LedgerKeys;
use super::query::{LedgerPage, LedgerQuery};
use super::queue::{LedgerQueue, QueueBounds};
use super::record::RecordedAccess;
use super::search::LedgerSearch;
use super::shared::verification::{self, LedgerVerification};
use super::shared::{CHECKPOINT_CHAIN, WriterChain};
use super::stats::{LedgerStats, LedgerStatus};
use super::store::{LedgerStore, SCAN_ENTRIES};
use super::writer::{self, LedgerWriter};

/// The time for which dropping the last handle waits for the queued records to be written.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// The record of every call: who did what, with which inputs, and what came back.
///
/// One thread serializes, chains and stores records in groups, while the calls go on. Pass the ledger
/// to [`RuntimeBuilder::ledger`](tool_runtime_core::RuntimeBuilder::ledger). This is a handle, so cloning it
/// is cheap. Only one process may write a ledger at a time, unless its store is one that several share, as
/// `PostgresLedger` is; any process may [`verify`] it.
///
/// # Shutdown
/// [`close`](Self::close) writes the queued records and a final record that the ledger is
/// complete. Dropping the last handle does the same, and waits up to five seconds for it.
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
/// let runtime = Runtime::builder().tool::<AddTool>().ledger(&ledger).build()?;
///
/// let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
/// runtime.call("add", r#"{"a":2,"b":40}"#, &cx).execute().await;
/// runtime.call("add", r#"{"a":2}"#, &cx).execute().await;
///
/// ledger.flush().await?;
/// let page = ledger.find(LedgerQuery::new().trace("trace-1")).await?;
/// let ends: Vec<_> = page.records.iter().map(|(_, call)| call.final_status).collect();
/// assert_eq!(ends, [CallStatus::Executed, CallStatus::Rejected]);
///
/// let exported = ledger.checkpoint().await?; // keep it where this process cannot write
/// assert!(ledger.verify(&[exported]).await.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Ledger(Arc<LedgerInner>);

struct LedgerInner {
    queue: Arc<LedgerQueue>,
    keys: Arc<LedgerKeys>,
    clock: Arc<dyn Clock>,
    stats: Arc<LedgerStats>,
    /// The newest checkpoint in the sink; none without a sink.
    kept: Option<NewestExport>,
    answer_timing: AnswerTiming,
    writer: ThreadId,
    /// Access records that wait to be written.
    accesses: AccessQueue,
    /// Held by the one search or verification that the writer works on.
    turn: Arc<AsyncMutex<()>>,
    /// Disconnects when the writer has ended.
    ended: Mutex<Receiver<()>>,
}

/// Sends the writer's result to the caller that waits for it.
type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// The reason why a ledger could not be verified.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A record was altered, removed or moved.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A [`ChainFault`] as an error.
#[derive(Debug, Clone, Error)]
#[error("{}{fault}", in_chain(*chain))]
#[non_exhaustive]
pub struct FaultError {
    /// The fault.
    pub fault: ChainFault,
    /// The chain with the fault, if several writers share the ledger; the nil id is that of the chain of checkpoints.
    pub chain: Option<Uuid>,
}

impl FaultError {
    pub(super) const fn new(fault: ChainFault) -> Self {
        Self { fault, chain: None }
    }

    pub(super) const fn in_chain(fault: ChainFault, chain: Uuid) -> Self {
        Self { fault, chain: Some(chain) }
    }
}

fn in_chain(chain: Option<Uuid>) -> String {
    match chain {
        None => String::new(),
        Some(CHECKPOINT_CHAIN) => "in the chain of checkpoints: ".to_owned(),
        Some(chain) => format!("in the chain {chain}: "),
    }
}

impl Ledger {
    /// Starts the configuration of a ledger; the keys link its records.
    pub fn builder(keys: KeyRing) -> LedgerBuilder {
        LedgerBuilder::new(keys)
    }

    pub(super) fn start(
        writer: LedgerWriter,
        keys: Arc<LedgerKeys>,
        clock: Arc<dyn Clock>,
        bounds: QueueBounds,
        answer_timing: AnswerTiming,
    ) -> Result<Self, StoreError> {
        let (queue, stats) = (Arc::new(LedgerQueue::new(bounds)), writer.stats().clone());
        let newest_export = writer.kept();
        let (done, ended) = mpsc::channel();
        let (worker_queue, counts) = (queue.clone(), stats.clone());
        let work = move || {
            if let Err(text) = catch_panic(|| writer::run(writer, &worker_queue)) {
                let text = format!("the ledger's writer panicked: {text}");
                counts.set_write_error(StoreError::new(StoreErrorKind::Unavailable, text));
            }
            // From now on the queue takes nothing more.
            counts.count_lost(worker_queue.close_and_discard());
            let _ = done.send(());
        };
        let thread = thread::Builder::new().name("tool-ledger".to_owned()).spawn(work);
        let thread = thread.map_err(|error| {
            let text = format!("cannot start the ledger's thread: {error}");
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        let (writer, ended) = (thread.thread().id(), Mutex::new(ended));
        let (turn, accesses) = (Arc::default(), AccessQueue::default());
        let shared = LedgerInner {
            queue,
            keys,
            clock,
            stats,
            kept: newest_export,
            answer_timing,
            writer,
            accesses,
            turn,
            ended,
        };
        Ok(Self(Arc::new(shared)))
    }

    /// Returns the ledger's counters and its last errors.
    #[must_use]
    pub fn status(&self) -> LedgerStatus {
        self.0.stats.status()
    }

    /// Waits until all calls that have ended so far are stored.
    ///
    /// # Errors
    /// The store fails at the moment, or the ledger is closed.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.run_on_writer(|writer| writer.stats().write_error().map_or(Ok(()), Err)).await
    }

    /// Finds calls, one page at a time.
    ///
    /// Calls that have just ended may not be written yet; call [`flush`](Self::flush) first. The
    /// ledger is searched in parts, with records written in between. Concurrent searches take
    /// turns, and a search stops when the returned future is dropped.
    ///
    /// # Errors
    /// The store cannot be read, or the ledger is closed.
    pub async fn find(&self, query: LedgerQuery) -> Result<LedgerPage, StoreError> {
        let mut search = LedgerSearch::new(query);
        loop {
            let part = self.run_in_turn(move |writer| {
                let more = search.advance(writer)?;
                Ok((search, more))
            });
            match part.await? {
                (so_far, true) => search = so_far,
                (search, false) => return Ok(search.into_page()),
            }
        }
    }

    /// Signs the current state of the ledger, and appends the checkpoint as a record.
    ///
    /// Keep the checkpoint where a process that can write the ledger cannot write. It then shows
    /// if records were cut off the end, or the whole ledger was written anew. If several writers share the ledger, it
    /// signs the chain of checkpoints, and so the heads of all chains.
    ///
    /// # Errors
    /// The store cannot be written, or the ledger is closed.
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {
        self.run_on_writer(LedgerWriter::sign).await
    }

    /// Verifies the whole ledger, and that it contains the records that these checkpoints signed.
    ///
    /// If several writers share the ledger, all chains are verified: the chain of checkpoints, whose checkpoints these
    /// are, and those of the writers, which [`VerifiedChain::writers`] lists.
    ///
    /// # Errors
    /// The first record that was altered, removed or moved; or the store cannot be read.
    pub async fn verify(&self, checkpoints: &[Checkpoint]) -> Result<VerifiedChain, VerifyError> {
        let newest_checkpoint = self.0.kept.as_ref().and_then(NewestExport::newest);
        let expected = checkpoints.iter().cloned().chain(newest_checkpoint);
        let mut verification = LedgerVerification::new(self.keys().chain().clone(), expected);
        loop {
            let part = self.run_in_turn(move |writer| {
                let step = verification.step(writer.store());
                Ok((verification, step))
            });
            match part.await? {
                (_, Ok(Some(verified))) => return Ok(verified),
                (so_far, Ok(None)) => verification = so_far,
                (_, Err(error)) => return Err(error),
            }
        }
    }

    /// Lists the chains of all writers that share the ledger, in the order of their ids; empty if it has one writer.
    ///
    /// # Errors
    /// The store cannot be read, or the ledger is closed.
    pub async fn writers(&self) -> Result<Vec<WriterChain>, StoreError> {
        self.run_on_writer(LedgerWriter::list_writers).await
    }

    /// Erases the contents of all records from before this moment, and returns how many there
    /// were. Their hashes stay, so that the ledger can still be verified. A ledger that several writers share may
    /// keep the contents of up to two more days.
    ///
    /// # Errors
    /// The store cannot be written, or the ledger is closed.
    pub async fn erase_before(&self, moment: DateTime<Utc>) -> Result<u64, StoreError> {
        self.run_on_writer(move |writer| writer.erase_before(moment)).await
    }

    /// Appends a record of an access to protected data, and waits until it is stored.
    ///
    /// Records that wait at the same time are written together, so that one reader does not wait
    /// for another. At most 1,024 may wait.
    ///
    /// # Errors
    /// The store cannot be written, the ledger is closed, or too many records wait.
    ///
    /// # Cancellation
    /// The record is written even if the returned future is dropped once it has been polled.
    pub async fn record_access(&self, access: RecordedAccess) -> Result<(), StoreError> {
        let (written, must_request) = self.0.accesses.push(access)?;
        if must_request {
            self.0.accesses.request_write(&self.0.queue);
        }
        written.await.unwrap_or_else(|_| {
            let text = "the ledger is closed, or too many operations wait for it";
            Err(StoreError::new(StoreErrorKind::Unavailable, text))
        })
    }

    /// Writes the queued records and a final record that the ledger is complete, and closes all
    /// handles.
    ///
    /// End the runtime's calls first. Calls with an effect are refused from now on
    /// (`reason: "ledger_closed"`); a call that is running, and a read, is not recorded, and its
    /// answer says so.
    ///
    /// # Errors
    /// The queued records cannot be written; they are lost.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.queue.close();
        let shared = self.0.clone();
        let (done, ended) = oneshot::channel();
        // The writer no longer answers, so a separate thread waits.
        let wait = move || {
            shared.wait(None);
            let _ = done.send(());
        };
        if thread::Builder::new().name("tool-ledger-close".to_owned()).spawn(wait).is_ok() {
            let _ = ended.await;
        }
        self.0.stats.write_error().map_or(Ok(()), Err)
    }

    /// Runs an operation on the writer thread, after all calls that have ended by now are written.
    async fn run_on_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut LedgerWriter) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(|writer, answer| drop(answer.send(work(writer)))).await
    }

    /// Runs a search or a verification on the writer thread. One at a time, so that the records
    /// between two of them wait for no more than one; skipped if its caller no longer waits.
    async fn run_in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut LedgerWriter) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = self.0.turn.lock_arc().await;
        let work = move |writer: &mut LedgerWriter, answer: Reply<T>| {
            if !answer.is_canceled() {
                let done = work(writer);
                // Released before the reply, so that callers who waited go before this caller's next part.
                drop(turn);
                let _ = answer.send(done);
            }
        };
        self.submit(work).await
    }

    async fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut LedgerWriter, Reply<T>) + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let request = Box::new(move |writer: &mut LedgerWriter| work(writer, answer));
        self.0.queue.submit(request).map_err(|_| {
            let text = "the ledger is closed, or too many operations wait for it";
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        answered.await.unwrap_or_else(|_| {
            let text = "the ledger was closed before the operation ran";
            Err(StoreError::new(StoreErrorKind::Unavailable, text))
        })
    }

    pub(crate) fn keys(&self) -> &Arc<LedgerKeys> {
        &self.0.keys
    }

    /// Returns the clock of the records.
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    pub(super) fn answer_timing(&self) -> AnswerTiming {
        self.0.answer_timing
    }

    pub(super) fn queue(&self) -> &LedgerQueue {
        &self.0.queue
    }

    pub(super) fn stats(&self) -> &LedgerStats {
        &self.0.stats
    }
}

/// Verifies a ledger that has no writer at the moment, or a copy of one, and that it contains the
/// records that these checkpoints signed.
///
/// # Errors
/// The first record that was altered, removed or moved; or the store cannot be read.
pub fn verify(
    store: &mut dyn LedgerStore,
    keys: &KeyRing,
    checkpoints: &[Checkpoint],
) -> Result<VerifiedChain, VerifyError> {
    let keys = ChainKeys::new(keys);
    verification::verify(store, LedgerVerification::new(keys, checkpoints.iter().cloned()))
}

/// Checks a ledger, or a copy of one, against signed tree heads, without the ledger's key.
///
/// The heads come from notes ([`ExportedCheckpoint::note`](super::ExportedCheckpoint::note)) that
/// a `NoteVerifier` (feature `ed25519`) has verified. The records up to the largest head are
/// proven, and the rest is counted ([`AuditedChain`]). An erased record is proven by its hash. If several writers
/// share the ledger, the heads are those of its chain of checkpoints, and all chains are counted.
///
/// # Errors
/// The first record that was altered, removed or moved; or the store cannot be read.
pub fn audit(store: &mut dyn LedgerStore, heads: &[TreeHead]) -> Result<AuditedChain, VerifyError> {
    if let Some(shared) = store.shared() {
        return verification::audit(shared, heads);
    }
    let read_part = |from| {
        let entries = store.read(from, SCAN_ENTRIES)?;
        store.check(from..verification::end(from, &entries))?;
        Ok(entries)
    };
    verification::audit_parts(heads, read_part, |_| (), FaultError::new)
}

impl LedgerInner {
    /// Waits until the writer has ended, at most for `limit`.
    fn wait(&self, limit: Option<Duration>) {
        let end_receiver = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // The sender is dropped when the writer has ended, even by a panic.
        match limit {
            None => drop(end_receiver.recv()),
            Some(limit) => drop(end_receiver.recv_timeout(limit)),
        }
    }
}

impl Drop for LedgerInner {
    fn drop(&mut self) {
        self.queue.close();
        // The last handle may be dropped on the writer thread, with the last call's record.
        if thread::current().id() != self.writer {
            self.wait(Some(DROP_TIMEOUT));
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("status", &self.status()).finish_non_exhaustive()
    }
}
