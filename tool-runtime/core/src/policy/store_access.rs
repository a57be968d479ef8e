//! Calls a store with a timeout, and turns its panics into errors.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use tool_contracts::ErrorCode;

use super::policy_state::PolicyState;
use crate::failure::Failure;
use crate::log::log_event;
use crate::refusal_reason::RefusalReason;
use crate::store::{StoreError, StoreErrorKind};
use crate::tool::{catch_panic, guarded};

/// The timeout of a store's operation that belongs to no call with a deadline.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(10);

impl PolicyState {
    /// Waits for a store's operation, at most for `limit`. A panic of the store is returned as an
    /// error.
    ///
    /// # Errors
    /// Returns the error of the operation, or one if the store does not answer in time or panics.
    pub async fn call_store<T>(
        &self,
        limit: Duration,
        operation: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut operation = pin!(guarded(operation));
        let result = match operation.as_mut().now_or_never() {
            Some(result) => result,
            None => match catch_panic(|| self.timer.sleep(limit)) {
                Err(_) => operation.await,
                Ok(limit) => match select(operation, limit).await {
                    Either::Left((result, _)) => result,
                    Either::Right(_) => return Err(unavailable("it did not answer in time")),
                },
            },
        };
        result.unwrap_or_else(|_| Err(unavailable("it panicked")))
    }
}

/// Logs the error of a store's operation that changes no answer.
pub(super) fn log_store_error(what: &'static str, error: &StoreError) {
    log_event!(warn, target: "tool_runtime::policy", %error, "{what}");
}

fn unavailable(log: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, log)
}

/// Returns the failure of a call whose store failed; the store's error goes to the log only.
pub(super) fn store_failure(error: &StoreError) -> Failure {
    let reason = match error.kind() {
        StoreErrorKind::Full => RefusalReason::StoreFull,
        StoreErrorKind::Unavailable | StoreErrorKind::ReadOnly | StoreErrorKind::Damaged => {
            RefusalReason::StoreUnavailable
        }
    };
    Failure::from_code(ErrorCode::Unavailable).with_reason(reason).with_log(error.to_string())
}
