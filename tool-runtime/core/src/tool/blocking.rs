//! Runs a blocking tool outside the async threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::channel::oneshot;
use tool_contracts::ErrorCode;

use super::CallScope;
use super::panic_guard::catch_panic;
use super::panic_hook::{WatchedCode, current_watch};
use super::tool_future::{Finished, ToolEnd};
use crate::failure::{Failure, LoggedFailure};
use crate::timer::Job;

/// The delay before a retry that a caller gets while all permits for blocking calls are taken.
const RETRY_AFTER_MS: u64 = 1_000;

/// Runs the work on a thread that may block; it is not begun once its call has ended.
///
/// If the call's lease expires before a thread takes the work, the work is returned and started again
/// after the lease is renewed.
pub(crate) async fn run<W>(call: &CallScope, mut work: W) -> Finished
where
    W: FnOnce(&CallScope) -> Finished + Send + 'static,
{
    loop {
        match run_once(call, work).await {
            BlockingEnd::Ended(end) => return end,
            BlockingEnd::LeaseExpired(late) => work = late,
        }
    }
}

/// The end of the work on a thread.
enum BlockingEnd<W> {
    Ended(Finished),
    /// The lease has expired, and the work has not begun.
    LeaseExpired(W),
}

async fn run_once<W>(call: &CallScope, work: W) -> BlockingEnd<W>
where
    W: FnOnce(&CallScope) -> Finished + Send + 'static,
{
    let environment = call.environment();
    call.stage().hand_over();
    // Refused and not queued: a blocking tool cannot be cancelled, so a queue would have no bound.
    let Some(permit) = environment.blocking_permits.take() else {
        let full = Failure::from_code(ErrorCode::Unavailable)
            .with_message("all permits for blocking calls are taken; try again later")
            .with_retry_after_ms(RETRY_AFTER_MS);
        return BlockingEnd::Ended(Finished(ToolEnd::Failed(LoggedFailure::plain(full))));
    };
    let (done, result) = oneshot::channel();
    let scope = call.clone();
    let watch = current_watch();
    let job: Job = Box::new(move || {
        let _permit = permit;
        let _watched = watch.map(|watch| watch.enter(WatchedCode::Calls));
        if !scope.may_be_polled() {
            drop(catch_panic(|| done.send(BlockingEnd::LeaseExpired(work))));
            return;
        }
        // Set before the tool begins: if the tool has begun, its thread is marked as running.
        let working = scope.blocking_run().begin();
        // The pool may start this after the call was answered.
        if !scope.is_cancelled() && scope.stage().begin() {
            let end = catch_panic(|| work(&scope));
            let end = end.unwrap_or_else(|text| Finished(ToolEnd::Panicked(text)));
            // Cleared before the end is sent: its receiver finds no running thread.
            drop(working);
            // After a timeout or a cancellation nothing receives the late end: it is dropped.
            drop(catch_panic(|| done.send(BlockingEnd::Ended(end))));
        } else {
            drop(working);
            drop(catch_panic(|| drop(work)));
        }
    });
    environment.timer().spawn_blocking(match &environment.job_instrument {
        None => job,
        Some(instrument) => instrument.instrument_job(job),
    });
    result.await.unwrap_or_else(|_| {
        let lost = "the blocking thread went away before the tool ended";
        let lost =
            LoggedFailure::new(Failure::from_code(ErrorCode::Internal), None, lost.to_owned());
        BlockingEnd::Ended(Finished(ToolEnd::Failed(lost)))
    })
}

/// Wraps the jobs of blocking tools, for example in a span.
pub(crate) trait JobInstrument: Send + Sync {
    /// Wraps a job of the current call, so that its thread runs inside the instrument.
    fn instrument_job(&self, job: Job) -> Job;
}

/// The blocking jobs that a runtime may run at once.
pub(crate) struct BlockingPermits {
    max: usize,
    taken: Arc<AtomicUsize>,
}

impl BlockingPermits {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, taken: Arc::default() }
    }

    /// Takes a permit; `None` if all are taken.
    fn take(&self) -> Option<BlockingPermit> {
        let next = |taken: usize| (taken < self.max).then_some(taken + 1);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()?;
        Some(BlockingPermit(self.taken.clone()))
    }
}

/// One of a bounded number of blocking jobs; given back when dropped.
struct BlockingPermit(Arc<AtomicUsize>);

impl Drop for BlockingPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
