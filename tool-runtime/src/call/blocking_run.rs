//! Whether a call's tool is at work on a thread of its own, which nothing can stop.

use std::any::Any;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::guarded::guard;

/// What is kept until the thread has ended.
pub(crate) type HeldResources = Box<dyn Any + Send>;

/// The blocking thread that a call's tool runs on, if there is one.
#[derive(Default)]
pub(crate) struct BlockingRun(Mutex<BlockingState>);

#[derive(Default)]
struct BlockingState {
    is_running: bool,
    resources: Vec<HeldResources>,
}

impl BlockingRun {
    /// Says that the thread has begun; it has ended when what this returns is dropped.
    pub(crate) fn begin(&self) -> BlockingRunGuard<'_> {
        self.lock().is_running = true;
        BlockingRunGuard(self)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.lock().is_running
    }

    /// Keeps something until the thread has ended.
    ///
    /// # Errors
    /// It gives it back if no thread is at work.
    pub(crate) fn hold(&self, resources: HeldResources) -> Result<(), HeldResources> {
        let mut state = self.lock();
        if !state.is_running {
            return Err(resources);
        }
        state.resources.push(resources);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BlockingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread at work.
pub(crate) struct BlockingRunGuard<'j>(&'j BlockingRun);

impl Drop for BlockingRunGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_running = false;
        let resources = mem::take(&mut state.resources);
        // What is dropped is somebody else's code: with the lock free, and guarded.
        drop(state);
        drop(guard(|| drop(resources)));
    }
}
