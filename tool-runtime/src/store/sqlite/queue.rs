//! The handles' side: operations wait here for the writer, up to a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use futures::channel::oneshot;
use rusqlite::Connection;

use super::error::unavailable;
use super::writer::{Asked, Message, Work};
use crate::store::{StoreError, StoreErrorKind};

/// Takes operations to the writer. The channel knows no bound; the places do.
#[derive(Clone)]
pub(super) struct Queue {
    messages: Sender<Message>,
    taken: Arc<AtomicUsize>,
    most: usize,
}

/// A place in the queue, free again when it is dropped.
pub(super) struct Place(Arc<AtomicUsize>);

impl Queue {
    pub(super) fn new(messages: Sender<Message>, most: usize) -> Self {
        Self { messages, taken: Arc::default(), most }
    }

    /// Has an operation carried out, and waits until it is committed.
    pub(super) async fn ask<T, F>(&self, work: Work, operation: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.ask_and(work, operation, |value| value).await
    }

    /// As [`ask`](Self::ask); once the value is committed, it is confirmed before it is sent.
    pub(super) async fn ask_and<T, U, F, C>(
        &self,
        work: Work,
        operation: F,
        confirm: C,
    ) -> Result<U, StoreError>
    where
        T: Send + 'static,
        U: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        C: FnOnce(T) -> U + Send + 'static,
    {
        let place = self.place()?;
        let (answer, answered) = oneshot::channel();
        self.send(Message::Job(Box::new(Asked::new(work, operation, confirm, answer, place))))?;
        answered.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Has an operation carried out that nobody waits for.
    ///
    /// It gets a place beyond the bound: it undoes one that had a place.
    pub(super) fn post<F>(&self, operation: F)
    where
        F: FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(&self.taken));
        let (answer, _) = oneshot::channel();
        let job = Asked::new(Work::Write, operation, |()| (), answer, place);
        // Without a writer there is nothing that could be undone.
        let _ = self.send(Message::Job(Box::new(job)));
    }

    /// Ends the writer, after what was sent before.
    pub(super) async fn close(&self) {
        let (closed, waits) = oneshot::channel();
        if self.send(Message::Close(closed)).is_ok() {
            let _ = waits.await;
        }
    }

    fn place(&self) -> Result<Place, StoreError> {
        let place = Place(Arc::clone(&self.taken));
        if self.taken.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(place);
        }
        let log = format!("{} operations wait already, which is the bound", self.most);
        Err(StoreError::new(StoreErrorKind::Unavailable, log))
    }

    fn send(&self, message: Message) -> Result<(), StoreError> {
        self.messages.send(message).map_err(|_| ended())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn ended() -> StoreError {
    unavailable("the store is closed, or its thread has ended: open it again")
}
