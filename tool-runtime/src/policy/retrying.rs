//! Which failed calls are tried again, and when.

use std::sync::Arc;
use std::time::Duration;

use super::governor::State;
use super::retry::{Delays, is_transient};
use crate::call::CallScope;
use crate::dispatch::call_policy::Retries;
use crate::failure::Failure;

/// Says how often a call that has failed once may be tried again; none if it may not be.
pub(super) fn retries(state: &Arc<State>, scope: &CallScope) -> Option<Box<dyn Retries>> {
    let plan = state.plan(scope);
    // A key that was only derived says nothing of what the tool's downstream does with a repeat.
    let keyed = scope.cx().idempotency_key().is_some();
    let harmless = !plan.writes() || scope.dry_run() || plan.may_repeat() || keyed;
    harmless.then(|| {
        plan.retry_budget.deposit();
        let delays = Delays::new(&plan.retry);
        Box::new(Retrying { state: state.clone(), scope: scope.clone(), delays }) as Box<_>
    })
}

struct Retrying {
    state: Arc<State>,
    scope: CallScope,
    delays: Delays,
}

impl Retries for Retrying {
    fn next(&mut self, failure: &Failure) -> Option<Duration> {
        let plan = self.state.plan(&self.scope);
        let harmless = !plan.writes() || self.scope.dry_run() || plan.may_repeat();
        if !is_transient(failure.code().class()) || !harmless && failure.leaves_effect_unknown() {
            return None;
        }
        let advised = failure.retry_after_ms().map(Duration::from_millis);
        let pause = self.delays.next(advised)?;
        plan.retry_budget.withdraw().then_some(pause)
    }
}
