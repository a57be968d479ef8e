//! Asks a store, which may be slow, down or broken, without being so itself.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use tool_contracts::ErrorCode;

use super::governor::State;
use crate::call::{guard, guarded};
use crate::failure::Failure;
use crate::store::{StoreError, StoreErrorKind};

/// How long a store is waited for where no deadline of a call says it.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

impl State {
    /// Waits for a store's answer, no longer than `limit`. A panic of the store is its error.
    pub(super) async fn ask_store<T>(
        &self,
        limit: Duration,
        asked: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut asked = pin!(guarded(asked));
        let answered = match asked.as_mut().now_or_never() {
            Some(answered) => answered,
            None => match guard(|| self.timer.sleep(limit)) {
                Err(_) => asked.await,
                Ok(limit) => match select(asked, limit).await {
                    Either::Left((answered, _)) => answered,
                    Either::Right(_) => return Err(unavailable("it did not answer in time")),
                },
            },
        };
        answered.unwrap_or_else(|_| Err(unavailable("it panicked")))
    }
}

fn unavailable(log: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, log)
}

/// What a call is told whose store failed it; the log reads why.
pub(super) fn store_down(error: &StoreError) -> Failure {
    let reason = match error.kind() {
        StoreErrorKind::Full => "store_full",
        _ => "store_unavailable",
    };
    Failure::of(ErrorCode::Unavailable).with_detail("reason", reason).with_log(error.to_string())
}
