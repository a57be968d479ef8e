//! Access records that wait to be written: all that wait at a time are written together.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;

use super::queue::Queue;
use super::record::{Access, Record};
use super::writer::Desk;
use crate::store::{StoreError, StoreErrorKind};

/// The most access records that wait at once, of all readers together.
const MOST_WAITING: usize = 1_024;

/// Access records that wait for the writer. A handle.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    notes: Vec<Note>,
    /// Whether the writer has been asked to write them.
    is_asked: bool,
}

/// A record, and the reader that waits for it.
struct Note {
    text: Box<str>,
    written: oneshot::Sender<Result<(), StoreError>>,
}

/// What the writer is still to be told about a record that was taken.
pub(super) type Written = oneshot::Receiver<Result<(), StoreError>>;

impl Notes {
    /// Takes a record; also says whether the writer is still to be [asked](Self::ask), which then
    /// writes all that is taken until its turn.
    ///
    /// # Errors
    /// Too many wait already.
    pub(super) fn take(&self, access: Access) -> Result<(Written, bool), StoreError> {
        let text = Record::Access(access).to_text();
        let mut waiting = self.waiting();
        if waiting.notes.len() >= MOST_WAITING {
            let text = "too many access records wait to be written";
            return Err(StoreError::new(StoreErrorKind::Unavailable, text));
        }
        let (written, wait) = oneshot::channel();
        waiting.notes.push(Note { text, written });
        let asks = !std::mem::replace(&mut waiting.is_asked, true);
        Ok((wait, asks))
    }

    /// Asks the writer to write what waits when its turn comes; the readers are told so if it never
    /// does.
    pub(super) fn ask(&self, queue: &Queue) {
        let mut asked = Asked(Some(self.clone()));
        let write = move |desk: &mut Desk| {
            if let Some(notes) = asked.0.take() {
                notes.write(desk);
            }
        };
        // One that the queue does not take is dropped.
        drop(queue.ask(Box::new(write)));
    }

    /// Writes what waits, all or none, and tells the readers.
    fn write(&self, desk: &mut Desk) {
        let notes = self.drained();
        if notes.is_empty() {
            return;
        }
        let (texts, readers): (Vec<_>, Vec<_>) =
            notes.into_iter().map(|note| (note.text, note.written)).unzip();
        let done = desk.note_all(texts);
        for reader in readers {
            let _ = reader.send(done.clone());
        }
    }

    fn drained(&self) -> Vec<Note> {
        let mut waiting = self.waiting();
        waiting.is_asked = false;
        std::mem::take(&mut waiting.notes)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the writer is asked. Where it is dropped unasked, because the ledger is closed, nothing is
/// left to wait.
struct Asked(Option<Notes>);

impl Drop for Asked {
    fn drop(&mut self) {
        drop(self.0.take().map(|notes| notes.drained()));
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("waiting", &self.waiting().notes.len()).finish()
    }
}
