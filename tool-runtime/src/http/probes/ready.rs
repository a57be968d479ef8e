//! The host's own checks of whether the server is ready.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, join_all};
use tokio::time::{Instant, timeout};

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

/// All checks, asked together, and awaited by whoever wants to know.
#[derive(Clone)]
struct Round {
    begun: Instant,
    failing: Shared<BoxFuture<'static, Arc<[Arc<str>]>>>,
}

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
    pub(super) async fn failing(&self) -> Arc<[Arc<str>]> {
        if self.checks.is_empty() {
            return Arc::default();
        }
        let round = self.round();
        round.failing.await
    }

    fn round(&self) -> Round {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let stands =
            |round: &&Round| round.failing.peek().is_none() || round.begun.elapsed() < FRESH;
        if let Some(round) = last.as_ref().filter(stands) {
            return round.clone();
        }
        let (checks, time) = (self.checks.clone(), self.timeout);
        let failing = async move { ask_all(&checks, time).await }.boxed().shared();
        last.insert(Round { begun: Instant::now(), failing }).clone()
    }
}

async fn ask_all(checks: &[Check], time: Duration) -> Arc<[Arc<str>]> {
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
