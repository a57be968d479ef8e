//! A clock that moves when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::store::{Clock, UnixMillis};

/// A clock that stands still until it is set. A handle: its clones show the same time.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// Starts at a moment.
    #[must_use]
    pub fn at(moment: UnixMillis) -> Self {
        Self(Arc::new(AtomicU64::new(moment.get())))
    }

    /// Sets it, forwards or back.
    pub fn set(&self, moment: UnixMillis) {
        self.0.store(moment.get(), Ordering::SeqCst);
    }

    /// Moves it forwards.
    pub fn advance(&self, time: Duration) {
        self.set(self.now().after(time));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMillis {
        UnixMillis::new(self.0.load(Ordering::SeqCst))
    }
}
