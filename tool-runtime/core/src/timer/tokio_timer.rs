//! The timer of tokio, which a runtime has unless the host gives another one.

use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Job, Sleep, Timer};

/// Reads tokio's clock, and so follows its paused time in tests.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TokioTimer;

/// Returns the timer of a runtime whose host gives none.
#[allow(clippy::unnecessary_wraps, reason = "without tokio there is none")]
#[must_use]
pub fn default_timer() -> Option<Arc<dyn Timer>> {
    Some(Arc::new(TokioTimer))
}

impl Timer for TokioTimer {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    /// Returns whether this thread is inside a tokio runtime whose time driver is enabled.
    fn is_ready(&self) -> bool {
        // tokio reports a runtime without a time driver only by a panic, before any wait begins.
        let sleep = || drop(tokio::time::sleep(Duration::ZERO));
        tokio::runtime::Handle::try_current().is_ok() && catch_unwind(sleep).is_ok()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }

    fn spawn_blocking(&self, job: Job) {
        drop(tokio::task::spawn_blocking(job));
    }
}
