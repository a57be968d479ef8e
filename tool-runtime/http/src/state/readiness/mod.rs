//! The host's readiness checks.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

#[cfg(test)]
mod tests;

/// The age up to which a result of the checks is reused.
const RESULT_MAX_AGE: Duration = Duration::from_secs(1);

/// The checks, and the last round of them.
#[derive(Clone)]
pub(crate) struct Readiness {
    checks: Arc<[ReadyCheck]>,
    timeout: Duration,
    last: Arc<Mutex<Option<CheckRound>>>,
}

/// One check with its name.
#[derive(Clone)]
struct ReadyCheck {
    name: Arc<str>,
    ask: Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>,
}

/// One concurrent run of all checks. It has its own task, so that it finishes even if the request
/// that started it is dropped.
#[derive(Clone)]
struct CheckRound {
    begun: Instant,
    failing: watch::Receiver<Option<FailedChecks>>,
}

/// The names of the failed checks.
type FailedChecks = Arc<[Arc<str>]>;

impl Readiness {
    pub(crate) fn add<F, C, E>(&mut self, name: Box<str>, check: F)
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {
        let ask = Arc::new(move || check().map(|answer| answer.is_ok()).boxed());
        let check = ReadyCheck { name: name.into(), ask };
        self.checks = self.checks.iter().cloned().chain([check]).collect();
    }

    pub(crate) fn set_timeout(&mut self, time: Duration) {
        self.timeout = time;
    }

    /// Returns the names of the failed checks; runs the checks if the last result is too old.
    pub(crate) async fn failing(&self) -> FailedChecks {
        if self.checks.is_empty() {
            return Arc::default();
        }
        let mut round = self.round();
        let answer = round.failing.wait_for(Option::is_some).await.map(|answer| answer.clone());
        // If the task was aborted, every check counts as failed.
        let nothing_known = || self.checks.iter().map(|check| check.name.clone()).collect();
        answer.ok().flatten().unwrap_or_else(nothing_known)
    }

    fn round(&self) -> CheckRound {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(round) = last.as_ref().filter(|round| round.is_current()) {
            return round.clone();
        }
        let (checks, time) = (self.checks.clone(), self.timeout);
        let (told, failing) = watch::channel(None);
        tokio::spawn(async move { told.send(Some(run_all(&checks, time).await)) });
        last.insert(CheckRound { begun: Instant::now(), failing }).clone()
    }
}

impl CheckRound {
    /// Returns whether the round is in progress or its result is fresh.
    fn is_current(&self) -> bool {
        let is_under_way = self.failing.borrow().is_none() && self.failing.has_changed().is_ok();
        is_under_way || self.begun.elapsed() < RESULT_MAX_AGE
    }
}

async fn run_all(checks: &[ReadyCheck], time: Duration) -> FailedChecks {
    let ask = |check: &ReadyCheck| {
        let ask = check.ask.clone();
        // A check may also panic before it returns its future.
        let guarded_check = AssertUnwindSafe(async move { ask().await }).catch_unwind();
        timeout(time, guarded_check)
    };
    let answers = join_all(checks.iter().map(ask)).await;
    let failed = checks.iter().zip(answers).filter(|(_, answer)| !matches!(answer, Ok(Ok(true))));
    failed.map(|(check, _)| check.name.clone()).collect()
}

impl Default for Readiness {
    fn default() -> Self {
        Self { checks: Arc::default(), timeout: Duration::from_secs(2), last: Arc::default() }
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.checks.iter().map(|check| &check.name);
        f.debug_list().entries(names).finish()
    }
}
