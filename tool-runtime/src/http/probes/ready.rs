//! The host's own checks of whether the server is ready.

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

/// How long an answer stands.
const FRESH: Duration = Duration::from_secs(1);

/// What is asked, and what it answered last.
#[derive(Clone)]
pub(in crate::http) struct Readiness {
    checks: Arc<[Check]>,
    timeout: Duration,
    last: Arc<Mutex<Option<Round>>>,
}

/// One check, by its name; true if all is well.
#[derive(Clone)]
struct Check {
    name: Arc<str>,
    ask: Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>,
}

/// All checks, asked together in a task of their own, so that they end also where whoever asked has
/// hung up: nothing is held by a check that nobody waits for, and no answer is older than it looks.
#[derive(Clone)]
struct Round {
    begun: Instant,
    failing: watch::Receiver<Option<Failing>>,
}

/// The checks that fail, by their names.
type Failing = Arc<[Arc<str>]>;

impl Readiness {
    pub(super) fn add<F, C, E>(&mut self, name: Box<str>, check: F)
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {
        let ask = Arc::new(move || check().map(|answer| answer.is_ok()).boxed());
        let check = Check { name: name.into(), ask };
        self.checks = self.checks.iter().cloned().chain([check]).collect();
    }

    pub(super) fn set_timeout(&mut self, time: Duration) {
        self.timeout = time;
    }

    /// Names the checks that fail; asks them if the last answer is old.
    pub(super) async fn failing(&self) -> Failing {
        if self.checks.is_empty() {
            return Arc::default();
        }
        let mut round = self.round();
        let answer = round.failing.wait_for(Option::is_some).await.map(|answer| answer.clone());
        // Where the task was taken away nothing is known, and nothing is well.
        let nothing_known = || self.checks.iter().map(|check| check.name.clone()).collect();
        answer.ok().flatten().unwrap_or_else(nothing_known)
    }

    fn round(&self) -> Round {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(round) = last.as_ref().filter(|round| round.stands()) {
            return round.clone();
        }
        let (checks, time) = (self.checks.clone(), self.timeout);
        let (told, failing) = watch::channel(None);
        tokio::spawn(async move { told.send(Some(ask_all(&checks, time).await)) });
        last.insert(Round { begun: Instant::now(), failing }).clone()
    }
}

impl Round {
    /// Tells whether it is under way, or fresh.
    fn stands(&self) -> bool {
        let is_under_way = self.failing.borrow().is_none() && self.failing.has_changed().is_ok();
        is_under_way || self.begun.elapsed() < FRESH
    }
}

async fn ask_all(checks: &[Check], time: Duration) -> Failing {
    let ask = |check: &Check| {
        let ask = check.ask.clone();
        // A check may panic before it is awaited, too.
        let asked = AssertUnwindSafe(async move { ask().await }).catch_unwind();
        timeout(time, asked)
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
