//! Awaits code of the host, which may hang or panic: ends it at a deadline, and catches its panics.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::guarded;

/// The end of a request's time, by the clock of its runtime.
#[derive(Debug, Clone)]
pub(crate) struct Deadline {
    runtime: Runtime,
    /// `None` if the request may take any time.
    ends: Option<Instant>,
}

/// The reason for which code of the host gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostFailure {
    /// The deadline passed.
    TimedOut,
    /// It panicked.
    Panicked,
}

impl Deadline {
    /// Ends after this time from now on; never without a limit, or if the clock ends before.
    pub(crate) fn after(runtime: &Runtime, limit: Option<Duration>) -> Self {
        let ends = limit.and_then(|limit| runtime.timer().now().checked_add(limit));
        Self { runtime: runtime.clone(), ends }
    }

    /// Returns the time at which it ends; none if the request may take any time.
    pub(crate) fn ends(&self) -> Option<Instant> {
        self.ends
    }

    /// Returns the time that is left.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.ends.map(|ends| ends.saturating_duration_since(self.runtime.timer().now()))
    }

    /// Returns whether no time is left.
    pub(crate) fn has_passed(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Returns a deadline that leaves half of the time for what comes next.
    pub(crate) fn halved(&self) -> Self {
        Self::after(&self.runtime, self.left().map(|left| left / 2))
    }

    /// Waits for code of the host.
    pub(crate) async fn wait_for<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, HostFailure> {
        let mut work = pin!(await_guarded(work));
        if let Some(ended) = work.as_mut().now_or_never() {
            return ended;
        }
        let Some(left) = self.left() else { return work.await };
        self.runtime.environment().within(left, work).await.unwrap_or(Err(HostFailure::TimedOut))
    }
}

/// Waits for code of the host under a panic guard. The text of a panic is dropped, because it may
/// repeat what the code was given; the panic hook prints its place.
pub(crate) async fn await_guarded<T>(work: impl Future<Output = T>) -> Result<T, HostFailure> {
    guarded(work).await.map_err(|_| HostFailure::Panicked)
}
