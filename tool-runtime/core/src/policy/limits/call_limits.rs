//! Admits a call by its tool's limits and those of the runtime: breaker, rate, calls at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};

use super::{BreakerPermit, ConcurrencyLimit, ConcurrencyPermit, RejectedCallLimit};
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::deadline::within_deadline;
use crate::policy::tool_plan::ToolPlan;
use crate::refusal_reason::RefusalReason;
use crate::timer::Timer;
use crate::tool::CallScope;

/// The `retry_after_ms` of a call that finds the queue full.
const QUEUE_WAIT_MS: u64 = 1_000;

/// The limits of a runtime's calls; those of one tool are part of its plan.
pub(in crate::policy) struct CallLimits {
    pub(in crate::policy) timer: Arc<dyn Timer>,
    /// Bounds the calls of all tools together.
    pub(in crate::policy) concurrency: Option<ConcurrencyLimit>,
    pub(in crate::policy) rejected_calls: RejectedCallLimit,
}

/// The permits of an admitted call. They are released on drop.
#[derive(Default)]
pub(in crate::policy) struct CallPermits {
    pub(in crate::policy) breaker: Option<BreakerPermit>,
    /// Of the tool's own limit.
    pub(in crate::policy) tool: Option<ConcurrencyPermit>,
    /// Of the limit for all tools together.
    pub(in crate::policy) runtime: Option<ConcurrencyPermit>,
}

impl CallLimits {
    /// Returns whether a call of this tool may have to wait, or be refused, by a limit.
    pub(in crate::policy) fn apply_to(&self, plan: &ToolPlan) -> bool {
        plan.is_limited() || self.concurrency.is_some()
    }

    /// Admits a call, within its deadline.
    pub(in crate::policy) async fn admit(
        &self,
        plan: &ToolPlan,
        scope: &CallScope,
        started: Instant,
    ) -> Result<CallPermits, Box<Refusal>> {
        let mut permits = CallPermits::default();
        // A replay is made by an auditor and does not count against the limits of the recorded
        // caller.
        if scope.replay_of().is_none() {
            let tenant = scope.cx().tenant_id();
            if let Some(breaker) = &plan.limits.breaker {
                let admitted = breaker.admit(tenant, self.timer.now());
                permits.breaker = Some(admitted.map_err(breaker_open)?);
            }
            if let Some(rate) = &plan.limits.rate {
                let checked = within_deadline(scope, started, rate.check(tenant)).await?;
                checked.map_err(rate_limited)?;
            }
        }
        permits.tool = permit(plan.limits.concurrency.as_ref(), scope, started).await?;
        permits.runtime = permit(self.concurrency.as_ref(), scope, started).await?;
        Ok(permits)
    }
}

async fn permit(
    limiter: Option<&ConcurrencyLimit>,
    scope: &CallScope,
    started: Instant,
) -> Result<Option<ConcurrencyPermit>, Box<Refusal>> {
    let Some(limiter) = limiter else { return Ok(None) };
    match within_deadline(scope, started, limiter.acquire()).await? {
        Ok(permit) => Ok(Some(permit)),
        Err(_) => Err(queue_full()),
    }
}

fn queue_full() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Unavailable)
        .with_message("the queue of waiting calls is full; try again later")
        .with_retry_after_ms(QUEUE_WAIT_MS);
    not_run(failure, RefusalReason::QueueFull)
}

fn breaker_open(left: Duration) -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Unavailable)
        .with_message(
            "the circuit breaker of this tool is open after repeated failures; try again later",
        )
        .with_retry_after_ms(milliseconds(left));
    not_run(failure, RefusalReason::BreakerOpen)
}

fn rate_limited(left: Duration) -> Box<Refusal> {
    let failure =
        Failure::from_code(ErrorCode::RateLimited).with_retry_after_ms(milliseconds(left));
    not_run(failure, RefusalReason::RateLimit)
}

fn not_run(failure: Failure, reason: RefusalReason) -> Box<Refusal> {
    let failure = failure.with_reason(reason).with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// Rounds up to whole milliseconds, at least 1, so that no client retries at once.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX).max(1)
}
