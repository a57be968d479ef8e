//! Tracks the blocking thread of a call's tool, which cannot be stopped.

use std::any::Any;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::panic_guard::catch_panic;

/// Resources that are released when the thread has ended.
pub(crate) type HeldResources = Box<dyn Any + Send>;

/// The blocking thread that a call's tool runs on, if there is one.
#[derive(Default)]
pub(crate) struct BlockingRun(Mutex<BlockingState>);

#[derive(Default)]
pub(super) struct BlockingState {
    pub(super) is_running: bool,
    pub(super) resources: Vec<HeldResources>,
}

impl BlockingRun {
    /// Marks that the thread has begun; it has ended when the returned guard is dropped.
    pub(crate) fn begin(&self) -> BlockingRunGuard<'_> {
        self.lock().is_running = true;
        BlockingRunGuard(self)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BlockingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a running thread until it is dropped.
pub(crate) struct BlockingRunGuard<'j>(&'j BlockingRun);

impl Drop for BlockingRunGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_running = false;
        let resources = mem::take(&mut state.resources);
        // Destructors are foreign code: run them after the lock is released, under a panic guard.
        drop(state);
        drop(catch_panic(|| drop(resources)));
    }
}
