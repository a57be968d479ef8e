//! The trait through which the core reads time, sleeps, and leaves the async threads.

#[cfg(feature = "tokio")]
mod tokio_timer;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
#[cfg(not(feature = "tokio"))]
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "tokio")]
pub use self::tokio_timer::{TokioTimer, default_timer};

/// Returns a duration in whole milliseconds; the greatest number if it is longer.
#[doc(hidden)]
#[must_use]
pub fn whole_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A boxed wait, as [`Timer::sleep`] gives it.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work that leaves the async threads, as [`Timer::spawn_blocking`] takes it.
pub type Job = Box<dyn FnOnce() + Send>;

/// Provides the clock, the sleeps and the blocking threads of a runtime.
///
/// With the feature `tokio` (on by default), a runtime uses [`TokioTimer`]. For another executor,
/// implement `now`, `sleep` and `spawn_blocking`, and pass the value to
/// [`RuntimeBuilder::timer`](crate::RuntimeBuilder::timer).
pub trait Timer: fmt::Debug + Send + Sync + 'static {
    /// Reads the clock of deadlines, rate limits, retries, circuit breakers and cached answers.
    fn now(&self) -> Instant;

    /// Returns whether [`sleep`](Self::sleep) works on this thread; true by default.
    ///
    /// The runtime checks it before a tool with an effect runs, so that none runs without a deadline.
    fn is_ready(&self) -> bool {
        true
    }

    /// Returns a future that completes after `duration`.
    ///
    /// The runtime uses it for deadlines, retries, lease renewals and timeouts of store calls. A
    /// tool that is ready at its first poll needs no deadline timer.
    fn sleep(&self, duration: Duration) -> Sleep;

    /// Runs `job` on a thread that may block.
    ///
    /// The runtime bounds how many jobs are under way at once
    /// ([`RuntimeBuilder::max_blocking_tools`](crate::RuntimeBuilder::max_blocking_tools)).
    fn spawn_blocking(&self, job: Job);
}

/// Returns the timer of a runtime whose host gives none: no timer without the feature `tokio`.
#[cfg(not(feature = "tokio"))]
#[must_use]
pub fn default_timer() -> Option<Arc<dyn Timer>> {
    None
}

#[cfg(feature = "testing")]
#[doc(hidden)]
pub use self::manual::ManualTimer;

#[cfg(feature = "testing")]
mod manual {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use super::{Job, Sleep, Timer};

    /// A timer whose clock the test sets, and whose waits never end.
    #[derive(Debug)]
    pub struct ManualTimer(Mutex<Instant>);

    impl ManualTimer {
        /// Creates a timer that stands still.
        #[must_use]
        pub fn new() -> Arc<Self> {
            Arc::new(Self(Mutex::new(Instant::now())))
        }

        /// Advances the clock.
        pub fn advance(&self, time: Duration) {
            *self.0.lock().expect("no thread panicked") += time;
        }

        pub fn set_back(&self, time: Duration) {
            *self.0.lock().expect("no thread panicked") -= time;
        }
    }

    impl Timer for ManualTimer {
        fn now(&self) -> Instant {
            *self.0.lock().expect("no thread panicked")
        }

        fn sleep(&self, _: Duration) -> Sleep {
            Box::pin(std::future::pending())
        }

        fn spawn_blocking(&self, job: Job) {
            job();
        }
    }
}
