//! Holds the claimed resources of a running call, and releases them when it ends.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};

use tool_contracts::{CallStatus, ErrorCode, ToolErrorDetail};

use super::idempotency::{ClaimedKey, ToolTransaction};
use super::limits::CallPermits;
use super::read_cache::Flight;
use super::spending::CallSpending;
use super::store_client::StoreClient;
use crate::dispatch::execution_policy::Claim;
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::store::Charge;
use crate::tool::{CallScope, Transaction as _};

/// The resources that a running call has claimed. They are released on drop.
pub(super) struct ClaimedResources {
    stores: Arc<StoreClient>,
    call: CallScope,
    pub(super) key: Option<ClaimedKey>,
    pub(super) transaction: Option<Arc<ToolTransaction>>,
    /// The flight for a cached answer, and the time for which the answer is cached.
    pub(super) flight: Option<(Flight, Duration)>,
    pub(super) permits: CallPermits,
    /// The spending of a read, or that of a dry run if it were made.
    pub(super) spending: CallSpending,
}

impl ClaimedResources {
    pub(super) fn new(stores: Arc<StoreClient>, call: CallScope) -> Self {
        let transaction = ToolTransaction::open(&stores.keys, &call);
        let permits = CallPermits::default();
        let spending = CallSpending::default();
        Self { stores, call, key: None, transaction, flight: None, permits, spending }
    }

    async fn settle_all(mut self, scope: &CallScope, ended: CallOutcome) -> CallOutcome {
        let now = self.stores.timer.now();
        match (self.permits.breaker.take(), breaker_sample(scope, &ended)) {
            (Some(permit), Some(true)) => permit.succeeded(now),
            (Some(permit), Some(false)) => permit.failed(now),
            (_, None) | (None, _) => {}
        }
        if let (Some((flight, ttl)), EffectOutcome::Answered) = (self.flight.take(), ended.effect) {
            flight.cache(&ended.output, now + ttl);
        }
        let call_outcome = if scope.withholds_effect() {
            self.spending.warn_in(ended)
        } else {
            self.spending.add_to(ended, &Charge::Reserved)
        };
        let (key, transaction) = (self.key.take(), self.transaction.take());
        let outcome = match (key, transaction) {
            (None, None) => return call_outcome,
            (Some(key), None) => key.settle(scope, call_outcome).await,
            (key, Some(transaction)) => {
                transaction.settle(&self.stores, key, scope, call_outcome).await
            }
        };
        self.stores.sweep_if_due().await;
        outcome
    }
}

/// A tool's thread that still runs keeps the concurrency permits until it ends.
impl Drop for ClaimedResources {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            transaction.roll_back();
        }
        let permits = [self.permits.tool.take(), self.permits.runtime.take()];
        if permits.iter().any(Option::is_some) {
            drop(self.call.hold_until_thread_exits(Box::new(permits)));
        }
    }
}

/// Returns whether the tool worked, for its breaker; none if something else ended the call.
fn breaker_sample(scope: &CallScope, ended: &CallOutcome) -> Option<bool> {
    let code = ended.output.error().and_then(ToolErrorDetail::error_code);
    match (ended.status, code, ended.effect) {
        // The caller shortened the deadline that the tool declares.
        (_, Some(ErrorCode::Timeout), _) if scope.has_shortened_deadline() => None,
        // A tool that needs the user's answer has asked for it.
        (CallStatus::Interrupted, ..)
        | (_, Some(ErrorCode::NeedsUserConfirmation), EffectOutcome::Transient)
        | (_, Some(ErrorCode::Conflict), EffectOutcome::Unknown)
        | (_, _, EffectOutcome::NotRun) => None,
        // A permanent failure that the tool declares is an answer; an internal error is not.
        (_, Some(code), EffectOutcome::Final) => Some(code != ErrorCode::Internal),
        (_, _, effect) => Some(matches!(effect, EffectOutcome::Answered | EffectOutcome::Final)),
    }
}

impl Claim for ClaimedResources {
    fn keep(&mut self) -> BoxFuture<'_, ()> {
        match &mut self.key {
            Some(key) => key.keep_lease().boxed(),
            None => pending().boxed(),
        }
    }

    fn settle(
        self: Box<Self>,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> BoxFuture<'_, CallOutcome> {
        self.settle_all(scope, ended).boxed()
    }
}
