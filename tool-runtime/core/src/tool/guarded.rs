//! Awaits futures of the host under a panic guard.

use std::future::Future;
use std::task::Poll;

use super::panic_guard::catch_panic;

/// Awaits a future of a store or another part of the host under a panic guard; the error is the
/// panic's text, for the log only.
pub async fn guarded<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| match catch_panic(|| future.as_mut().poll(cx)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(text) => Poll::Ready(Err(text)),
    })
    .await
}
