//! The thread that hands checkpoints to the host's sink, so that no record waits for it.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{CheckpointSink, ExportedCheckpoint};
use crate::call::guard;
use crate::ledger::chain::Checkpoint;
use crate::ledger::config::{FIRST_PAUSE, LAST_TRIES};
use crate::ledger::stats::Stats;
use crate::store::{StoreError, StoreErrorKind};

/// The longest pause before an export that failed is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Hands checkpoints to a sink, the newest one alone where several wait.
pub(in crate::ledger) struct Exporter {
    slot: Arc<Slot>,
    /// Hears when the thread has ended.
    ended: Receiver<()>,
}

#[derive(Default)]
struct Slot {
    state: Mutex<SlotState>,
    changed: Condvar,
}

#[derive(Default)]
struct SlotState {
    waiting: Option<ExportedCheckpoint>,
    /// When the ledger was closed.
    closed_at: Option<Instant>,
    /// The newest checkpoint that the sink is known to have.
    kept: Option<Checkpoint>,
}

/// Reads which checkpoint the sink is known to have.
#[derive(Clone)]
pub(in crate::ledger) struct Kept(Arc<Slot>);

impl Kept {
    pub(in crate::ledger) fn newest(&self) -> Option<Checkpoint> {
        self.0.lock().kept.clone()
    }
}

impl Exporter {
    /// Starts the thread; `kept` is what the sink has already.
    pub(in crate::ledger) fn start(
        mut sink: Box<dyn CheckpointSink>,
        kept: Option<Checkpoint>,
        stats: Arc<Stats>,
    ) -> Result<Self, StoreError> {
        let slot = Arc::new(Slot::default());
        slot.lock().kept = kept;
        let (its, (done, ended)) = (slot.clone(), mpsc::channel());
        let work = move || {
            its.run(&mut *sink, &stats);
            drop(guard(|| drop(sink)));
            let _ = done.send(());
        };
        let thread = thread::Builder::new().name("tool-ledger-export".to_owned()).spawn(work);
        thread.map_err(|error| {
            let text = format!("cannot start the thread that exports checkpoints: {error}");
            StoreError::new(StoreErrorKind::Unavailable, text)
        })?;
        Ok(Self { slot, ended })
    }

    /// Takes a checkpoint to be exported, in the place of one that still waits.
    pub(in crate::ledger) fn offer(&self, exported: ExportedCheckpoint) {
        self.slot.lock().waiting = Some(exported);
        self.slot.changed.notify_all();
    }

    pub(in crate::ledger) fn kept(&self) -> Kept {
        Kept(self.slot.clone())
    }
}

/// Waits for the last export, but no longer than a closed ledger is tried to be written.
impl Drop for Exporter {
    fn drop(&mut self) {
        self.slot.lock().closed_at = Some(Instant::now());
        self.slot.changed.notify_all();
        // A sink that hangs is left behind.
        let _ = self.ended.recv_timeout(LAST_TRIES + FIRST_PAUSE);
    }
}

impl Slot {
    fn run(&self, sink: &mut dyn CheckpointSink, stats: &Stats) {
        let mut pause = FIRST_PAUSE;
        while let Some(exported) = self.take() {
            let kept = guard(|| sink.export(&exported)).unwrap_or_else(|text| Err(panicked(&text)));
            match kept {
                Ok(()) => {
                    stats.exported(exported.checkpoint.size());
                    self.lock().kept = Some(exported.checkpoint);
                    pause = FIRST_PAUSE;
                }
                Err(error) => {
                    tell(&error);
                    stats.export_fails(error);
                    if !self.put_back(exported, pause) {
                        return;
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Waits for a checkpoint; none once the ledger is closed and no one waits.
    fn take(&self) -> Option<ExportedCheckpoint> {
        let idle = |state: &mut SlotState| state.waiting.is_none() && state.closed_at.is_none();
        let waited = self.changed.wait_while(self.lock(), idle);
        waited.unwrap_or_else(PoisonError::into_inner).waiting.take()
    }

    /// Keeps one that failed for the next try, unless a newer one waits; false if there is none.
    fn put_back(&self, exported: ExportedCheckpoint, pause: Duration) -> bool {
        let mut state = self.lock();
        state.waiting.get_or_insert(exported);
        let was_closed = state.closed_at.is_some();
        let pause = if was_closed { FIRST_PAUSE } else { pause };
        let unchanged = |state: &mut SlotState| state.closed_at.is_some() == was_closed;
        let waited = self.changed.wait_timeout_while(state, pause, unchanged);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.closed_at.is_none_or(|closed_at| closed_at.elapsed() < LAST_TRIES)
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panicked(text: &str) -> StoreError {
    let text = format!("the sink of checkpoints panicked: {text}");
    StoreError::new(StoreErrorKind::Unavailable, text)
}

#[cfg(feature = "trace")]
fn tell(error: &StoreError) {
    tracing::warn!(target: "tool_runtime::ledger", %error, "a checkpoint could not be exported");
}

#[cfg(not(feature = "trace"))]
fn tell(_: &StoreError) {}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("kept", &self.slot.lock().kept).finish_non_exhaustive()
    }
}
