//! The trait through which the core reads time, sleeps, and leaves the async threads.

use std::fmt;
use std::future::Future;
#[cfg(feature = "tokio")]
use std::panic::catch_unwind;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// A boxed wait, as [`Timer::sleep`] gives it.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work that leaves the async threads, as [`Timer::spawn_blocking`] takes it.
pub type Job = Box<dyn FnOnce() + Send>;

/// Gives the runtime its clock, its waits and its blocking threads.
///
/// With the feature `tokio` (on by default) there is [`TokioTimer`] and nothing to do. On another
/// executor, implement these three methods and hand the value to
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

    /// Makes a future that is ready once `duration` has passed.
    ///
    /// A tool that is ready when it is first polled needs no wait for its deadline. Retries, renewals
    /// of leases and calls of stores wait by it too.
    fn sleep(&self, duration: Duration) -> Sleep;

    /// Runs `job` on a thread that may block.
    ///
    /// The runtime bounds how many jobs are under way at once
    /// ([`RuntimeBuilder::max_blocking_tools`](crate::RuntimeBuilder::max_blocking_tools)).
    fn spawn_blocking(&self, job: Job);
}

/// Reads tokio's clock, and so follows its paused time in tests.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TokioTimer;

#[cfg(feature = "tokio")]
impl Timer for TokioTimer {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    /// Returns whether this thread is inside a tokio runtime whose time driver is enabled.
    fn is_ready(&self) -> bool {
        // tokio tells a runtime without its time driver only by a panic, before any wait begins.
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

#[cfg(all(test, feature = "policy"))]
pub(crate) use self::manual::ManualTimer;

#[cfg(all(test, feature = "policy"))]
mod manual {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use super::{Job, Sleep, Timer};

    /// A timer whose clock the test sets, and whose waits never end.
    #[derive(Debug)]
    pub(crate) struct ManualTimer(Mutex<Instant>);

    impl ManualTimer {
        pub(crate) fn new() -> Arc<Self> {
            Arc::new(Self(Mutex::new(Instant::now())))
        }

        pub(crate) fn advance(&self, time: Duration) {
            *self.0.lock().expect("no thread panicked") += time;
        }

        pub(crate) fn set_back(&self, time: Duration) {
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
