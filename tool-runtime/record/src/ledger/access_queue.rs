//! Queues access records, so that all that wait at a time are written together.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::queue::LedgerQueue;
use super::record::{Record, RecordedAccess};
use super::writer::LedgerWriter;

/// The most access records that wait at once, from all readers.
const MAX_WAITING: usize = 1_024;

/// Access records that wait for the writer. A handle.
#[derive(Clone, Default)]
pub(super) struct AccessQueue(Arc<Mutex<WaitingRecords>>);

#[derive(Default)]
struct WaitingRecords {
    records: Vec<QueuedAccess>,
    /// True if the writer has been asked to write them.
    is_requested: bool,
}

/// A record, and the reader that waits for it.
struct QueuedAccess {
    text: Box<str>,
    written: oneshot::Sender<Result<(), StoreError>>,
}

/// Receives the result of writing a queued record.
pub(super) type WriteResult = oneshot::Receiver<Result<(), StoreError>>;

impl AccessQueue {
    /// Queues a record. Also returns whether the caller has to [request a
    /// write](Self::request_write), which then writes all records that are queued by its turn.
    ///
    /// # Errors
    /// Too many records wait.
    pub(super) fn push(&self, access: RecordedAccess) -> Result<(WriteResult, bool), StoreError> {
        let text = Record::Access(access).to_text();
        let mut waiting = self.waiting();
        if waiting.records.len() >= MAX_WAITING {
            let text = "too many access records wait to be written";
            return Err(StoreError::new(StoreErrorKind::Unavailable, text));
        }
        let (written, wait) = oneshot::channel();
        waiting.records.push(QueuedAccess { text, written });
        let must_request = !std::mem::replace(&mut waiting.is_requested, true);
        Ok((wait, must_request))
    }

    /// Requests a write of the queued records; if it is never run, the readers get an error.
    pub(super) fn request_write(&self, queue: &LedgerQueue) {
        let mut pending = PendingWrite(Some(self.clone()));
        let write = move |writer: &mut LedgerWriter| {
            if let Some(records) = pending.0.take() {
                records.write(writer);
            }
        };
        // If the queue rejects it, dropping it notifies the readers.
        drop(queue.submit(Box::new(write)));
    }

    /// Writes the queued records, all or none, and notifies the readers.
    fn write(&self, writer: &mut LedgerWriter) {
        let records = self.drain();
        if records.is_empty() {
            return;
        }
        let (texts, readers): (Vec<_>, Vec<_>) =
            records.into_iter().map(|record| (record.text, record.written)).unzip();
        let done = writer.append_all(texts);
        for reader in readers {
            let _ = reader.send(done.clone());
        }
    }

    fn drain(&self) -> Vec<QueuedAccess> {
        let mut waiting = self.waiting();
        waiting.is_requested = false;
        std::mem::take(&mut waiting.records)
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingRecords> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A requested write. If it is dropped unrun, because the ledger is closed, the queued records are
/// dropped too.
struct PendingWrite(Option<AccessQueue>);

impl Drop for PendingWrite {
    fn drop(&mut self) {
        drop(self.0.take().map(|records| records.drain()));
    }
}

impl fmt::Debug for AccessQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessQueue").field("waiting", &self.waiting().records.len()).finish()
    }
}
