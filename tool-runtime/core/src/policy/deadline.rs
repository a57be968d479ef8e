//! Waits within a call's deadline.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{Either, select};

use crate::dispatch::refusal::Refusal;
use crate::dispatch::run::elapsed;
use crate::tool::{CallScope, Cancellation, catch_panic};

/// Awaits a future within the call's deadline, unless the call is cancelled.
///
/// Otherwise the future is dropped half way: it must not have taken anything that its drop does not
/// give back.
pub(super) async fn within_deadline<T>(
    scope: &CallScope,
    started: Instant,
    wait: impl Future<Output = T>,
) -> Result<T, Box<Refusal>> {
    let mut wait = pin!(wait);
    if let Some(ready) = wait.as_mut().now_or_never() {
        return Ok(ready);
    }
    let left = time_left(scope, started);
    let cancellation = Cancellation::for_scope(scope);
    let cancelled = pin!(cancellation.cancelled());
    let deadline = sleep(scope, left)?;
    match select(wait, select(deadline, cancelled)).await {
        Either::Left((ready, _)) => Ok(ready),
        Either::Right((Either::Left(_), _)) => Err(Refusal::out_of_time()),
        Either::Right((Either::Right(_), _)) => Err(Refusal::cancelled()),
    }
}

/// Returns the time until the call's deadline.
pub(super) fn time_left(scope: &CallScope, started: Instant) -> Duration {
    scope.budget().saturating_sub(elapsed(scope, started))
}

/// Sleeps with the runtime's timer, which may panic outside of its executor.
pub(super) fn sleep(scope: &CallScope, time: Duration) -> Result<crate::Sleep, Box<Refusal>> {
    catch_panic(|| scope.environment().timer().sleep(time)).map_err(|_| Refusal::no_executor())
}
