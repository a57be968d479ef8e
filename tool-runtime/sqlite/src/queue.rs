//! The bounded queue of operations between the handles and the writer thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use futures::channel::oneshot;
use rusqlite::Connection;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::error::unavailable;
use super::writer::{JobKind, QueuedJob, WriterMessage};

/// Sends operations to the writer. The channel is unbounded; the permits bound it.
#[derive(Clone)]
pub(super) struct Queue {
    messages: Sender<WriterMessage>,
    queued: Arc<AtomicUsize>,
    max: usize,
}

/// A permit for one queued operation; released on drop.
pub(super) struct QueuePermit(Arc<AtomicUsize>);

impl Queue {
    pub(super) fn new(messages: Sender<WriterMessage>, max: usize) -> Self {
        Self { messages, queued: Arc::default(), max }
    }

    /// Runs an operation, and waits until it is committed.
    pub(super) async fn run<T, F>(&self, work: JobKind, operation: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.run_and_confirm(work, operation, |value| value).await
    }

    /// Like [`run`](Self::run), but converts the committed value before it is sent.
    pub(super) async fn run_and_confirm<T, U, F, C>(
        &self,
        work: JobKind,
        operation: F,
        confirm: C,
    ) -> Result<U, StoreError>
    where
        T: Send + 'static,
        U: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        C: FnOnce(T) -> U + Send + 'static,
    {
        let permit = self.permit()?;
        let (answer, answered) = oneshot::channel();
        self.send(WriterMessage::Job(Box::new(QueuedJob::new(
            work, operation, confirm, answer, permit,
        ))))?;
        answered.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Runs an operation without waiting for it.
    ///
    /// It is queued even above the bound, because it undoes an operation that was queued.
    pub(super) fn run_detached<F>(&self, operation: F)
    where
        F: FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        self.queued.fetch_add(1, Ordering::Relaxed);
        let permit = QueuePermit(Arc::clone(&self.queued));
        let (answer, _) = oneshot::channel();
        let job = QueuedJob::new(JobKind::Write, operation, |()| (), answer, permit);
        // If the writer has ended, there is nothing to undo.
        let _ = self.send(WriterMessage::Job(Box::new(job)));
    }

    /// Ends the writer after the operations that are queued.
    pub(super) async fn close(&self) {
        let (closed, is_closed) = oneshot::channel();
        if self.send(WriterMessage::Close(closed)).is_ok() {
            let _ = is_closed.await;
        }
    }

    fn permit(&self) -> Result<QueuePermit, StoreError> {
        let permit = QueuePermit(Arc::clone(&self.queued));
        if self.queued.fetch_add(1, Ordering::Relaxed) < self.max {
            return Ok(permit);
        }
        let log = format!("the queue is full with {} operations", self.max);
        Err(StoreError::new(StoreErrorKind::Unavailable, log))
    }

    fn send(&self, message: WriterMessage) -> Result<(), StoreError> {
        self.messages.send(message).map_err(|_| ended())
    }
}

impl Drop for QueuePermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn ended() -> StoreError {
    unavailable("the store is closed, or its thread has ended: open it again")
}
