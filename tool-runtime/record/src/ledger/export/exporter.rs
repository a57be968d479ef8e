//! The thread that hands checkpoints to the host's sink, so that no record waits for the sink.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tool_runtime_core::log::log_event;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_core::tool::catch_panic;

use super::{CheckpointSink, ExportedCheckpoint};
use crate::ledger::chain::Checkpoint;
use crate::ledger::config::{CLOSE_RETRY_TIME, FIRST_PAUSE};
use crate::ledger::stats::LedgerStats;

/// The longest pause before a failed export is retried.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Hands checkpoints to a sink. If several wait, only the newest is exported.
pub(in crate::ledger) struct Exporter {
    shared: Arc<SharedExport>,
    /// Disconnects when the thread has ended.
    ended: Receiver<()>,
}

#[derive(Default)]
struct SharedExport {
    state: Mutex<SlotState>,
    changed: Condvar,
}

#[derive(Default)]
struct SlotState {
    waiting: Option<ExportedCheckpoint>,
    /// The time at which the ledger was closed.
    closed_at: Option<Instant>,
    /// The newest checkpoint that the sink is known to have.
    newest_export: Option<Checkpoint>,
}

/// Reads the newest checkpoint that the sink is known to have.
#[derive(Clone)]
pub(in crate::ledger) struct NewestExport(Arc<SharedExport>);

impl NewestExport {
    pub(in crate::ledger) fn newest(&self) -> Option<Checkpoint> {
        self.0.lock().newest_export.clone()
    }
}

impl Exporter {
    /// Starts the thread; `newest_export` is the checkpoint that the sink already has.
    pub(in crate::ledger) fn start(
        mut sink: Box<dyn CheckpointSink>,
        newest_export: Option<Checkpoint>,
        stats: Arc<LedgerStats>,
    ) -> Result<Self, StoreError> {
        let shared = Arc::new(SharedExport::default());
        shared.lock().newest_export = newest_export;
        let (worker_shared, (ended_sender, ended)) = (shared.clone(), mpsc::channel());
        let work = move || {
            worker_shared.run(&mut *sink, &stats);
            drop(catch_panic(|| drop(sink)));
            let _ = ended_sender.send(());
        };
        let thread = thread::Builder::new().name("tool-ledger-export".to_owned()).spawn(work);
        thread.map_err(|error| {
            let text = format!("cannot start the thread that exports checkpoints: {error}");
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        Ok(Self { shared, ended })
    }

    /// Queues a checkpoint for export, in place of one that still waits.
    pub(in crate::ledger) fn offer(&self, exported: ExportedCheckpoint) {
        self.shared.lock().waiting = Some(exported);
        self.shared.changed.notify_all();
    }

    pub(in crate::ledger) fn newest_export(&self) -> NewestExport {
        NewestExport(self.shared.clone())
    }
}

/// Waits for the last export, at most as long as a closed ledger retries a write.
impl Drop for Exporter {
    fn drop(&mut self) {
        self.shared.lock().closed_at = Some(Instant::now());
        self.shared.changed.notify_all();
        // A sink that hangs is left running.
        let _ = self.ended.recv_timeout(CLOSE_RETRY_TIME + FIRST_PAUSE);
    }
}

impl SharedExport {
    fn run(&self, sink: &mut dyn CheckpointSink, stats: &LedgerStats) {
        let mut pause = FIRST_PAUSE;
        while let Some(exported) = self.next_export() {
            let newest_export =
                catch_panic(|| sink.export(&exported)).unwrap_or_else(|text| Err(panicked(&text)));
            match newest_export {
                Ok(()) => {
                    stats.set_exported(exported.checkpoint.size());
                    self.lock().newest_export = Some(exported.checkpoint);
                    pause = FIRST_PAUSE;
                }
                Err(error) => {
                    log_failure(&error);
                    stats.count_export_failure(error);
                    if !self.put_back(exported, pause) {
                        return;
                    }
                    pause = (pause * 2).min(MAX_PAUSE);
                }
            }
        }
    }

    /// Waits for a checkpoint; none once the ledger is closed and none is queued.
    fn next_export(&self) -> Option<ExportedCheckpoint> {
        let idle = |state: &mut SlotState| state.waiting.is_none() && state.closed_at.is_none();
        let waited = self.changed.wait_while(self.lock(), idle);
        waited.unwrap_or_else(PoisonError::into_inner).waiting.take()
    }

    /// Queues a failed export again, unless a newer one waits; false if no retry is left.
    fn put_back(&self, exported: ExportedCheckpoint, pause: Duration) -> bool {
        let mut state = self.lock();
        state.waiting.get_or_insert(exported);
        let was_closed = state.closed_at.is_some();
        let pause = if was_closed { FIRST_PAUSE } else { pause };
        let unchanged = |state: &mut SlotState| state.closed_at.is_some() == was_closed;
        let waited = self.changed.wait_timeout_while(state, pause, unchanged);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.closed_at.is_none_or(|closed_at| closed_at.elapsed() < CLOSE_RETRY_TIME)
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panicked(text: &str) -> StoreError {
    let text = format!("the checkpoint sink panicked: {text}");
    StoreError::new(StoreErrorKind::Unavailable, text)
}

fn log_failure(error: &StoreError) {
    log_event!(
        warn,
        target: "tool_runtime::ledger",
        %error,
        "a checkpoint could not be exported",
    );
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter")
            .field("newest_export", &self.shared.lock().newest_export)
            .finish_non_exhaustive()
    }
}
