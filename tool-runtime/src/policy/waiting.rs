//! Waits for a call's turn, no longer than the call itself may take.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{Either, select};

use crate::call::{CallScope, Cancellation, guard};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::running::elapsed;

/// Waits within the call's deadline, unless it is cancelled.
///
/// What is waited for is dropped half way then: it must be nothing that has to be given back.
pub(super) async fn within<T>(
    scope: &CallScope,
    started: Instant,
    wait: impl Future<Output = T>,
) -> Result<T, Box<Refusal>> {
    let mut wait = pin!(wait);
    if let Some(ready) = wait.as_mut().now_or_never() {
        return Ok(ready);
    }
    let left = left(scope, started);
    let cancellation = Cancellation::of(scope);
    let cancelled = pin!(cancellation.cancelled());
    let deadline = sleep(scope, left)?;
    match select(wait, select(deadline, cancelled)).await {
        Either::Left((ready, _)) => Ok(ready),
        Either::Right((Either::Left(_), _)) => Err(Refusal::out_of_time()),
        Either::Right((Either::Right(_), _)) => Err(Refusal::cancelled()),
    }
}

/// How long the call may still take.
pub(super) fn left(scope: &CallScope, started: Instant) -> Duration {
    scope.budget().saturating_sub(elapsed(scope, started))
}

/// Sleeps by the runtime's timer, which may panic where its executor does not run.
pub(super) fn sleep(scope: &CallScope, time: Duration) -> Result<crate::Sleep, Box<Refusal>> {
    guard(|| scope.runtime().timer().sleep(time)).map_err(|_| Refusal::no_executor())
}
