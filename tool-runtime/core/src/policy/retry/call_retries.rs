//! Decides which failed calls are retried, and when.

use std::time::Duration;

use super::{Delays, RetryConfig};
use crate::dispatch::execution_policy::Retries;
use crate::failure::Failure;
use crate::tool::CallScope;

/// Returns the retries of a call that has failed once; none if it must not be retried.
pub(in crate::policy) fn retries(scope: &CallScope) -> Option<Box<dyn Retries>> {
    let plan = scope.plan();
    // A derived key does not tell how the tool's downstream treats a repeat; the caller's key does.
    let keyed = scope.cx().idempotency_key().is_some();
    let is_safe = plan.may_retry() || scope.dry_run() || keyed;
    is_safe.then(|| {
        plan.limits.retry_budget.deposit();
        let requested = scope.requested_retries().map(RetryConfig::limited);
        let delays = Delays::new(&requested.unwrap_or(plan.retry));
        Box::new(CallRetries { scope: scope.clone(), delays }) as Box<_>
    })
}

struct CallRetries {
    scope: CallScope,
    delays: Delays,
}

impl Retries for CallRetries {
    fn next(&mut self, failure: &Failure) -> Option<Duration> {
        let plan = self.scope.plan();
        let is_safe = plan.may_retry() || self.scope.dry_run();
        if !failure.code().error_type().is_transient()
            // An attempt that may have had its effect is repeated only if a repeat is safe.
            || !is_safe && failure.leaves_effect_unknown()
        {
            return None;
        }
        let advised = failure.retry_after_ms().map(Duration::from_millis);
        let pause = self.delays.next(advised)?;
        plan.limits.retry_budget.withdraw().then_some(pause)
    }
}
