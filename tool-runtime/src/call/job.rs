//! Whether a call's tool is at work on a thread of its own, which nothing can stop.

use std::any::Any;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::guarded::guard;

/// What is kept until the thread has ended.
pub(crate) type Luggage = Box<dyn Any + Send>;

/// The thread that a call's tool works on, if it does.
#[derive(Default)]
pub(crate) struct Job(Mutex<State>);

#[derive(Default)]
struct State {
    works: bool,
    luggage: Vec<Luggage>,
}

impl Job {
    /// Says that the thread has begun; it has ended when what this returns is dropped.
    pub(crate) fn begin(&self) -> Working<'_> {
        self.lock().works = true;
        Working(self)
    }

    pub(crate) fn works(&self) -> bool {
        self.lock().works
    }

    /// Keeps something until the thread has ended.
    ///
    /// # Errors
    /// It gives it back if no thread is at work.
    pub(crate) fn leave(&self, luggage: Luggage) -> Result<(), Luggage> {
        let mut state = self.lock();
        if !state.works {
            return Err(luggage);
        }
        state.luggage.push(luggage);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread at work.
pub(crate) struct Working<'j>(&'j Job);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.works = false;
        let luggage = mem::take(&mut state.luggage);
        // What is dropped is somebody else's code: with the lock free, and guarded.
        drop(state);
        drop(guard(|| drop(luggage)));
    }
}
