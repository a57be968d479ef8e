//! Keeps the resources of a call, such as its permits, until its blocking thread has ended.

use super::blocking_run::{BlockingRun, HeldResources};

impl BlockingRun {
    /// Returns whether the thread is running.
    pub(crate) fn is_running(&self) -> bool {
        self.lock().is_running
    }

    /// Keeps resources until the thread has ended.
    ///
    /// # Errors
    /// The resources come back if no thread is running.
    pub(crate) fn hold(&self, resources: HeldResources) -> Result<(), HeldResources> {
        let mut state = self.lock();
        if !state.is_running {
            return Err(resources);
        }
        state.resources.push(resources);
        Ok(())
    }
}
