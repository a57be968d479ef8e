//! Claims the resources of a call: the cached answer or flight, permits, key, ticket.
//!
//! The claim stage takes them in this order, so that no resource that has to be given back is held
//! while a later one may be refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};
use tool_runtime_schema::canonical::Digest;

use super::approval::fingerprint;
use super::deadline::{time_left, within_deadline};
use super::held_resources::ClaimedResources;
use super::idempotency::EarlierRun;
use super::limits::{ConcurrencyLimiter, ConcurrencyPermit};
use super::policy_state::PolicyState;
use super::read_cache::{Flight, cache_key};
use super::tool_plan::ToolPlan;
use crate::dispatch::answer::refused;
use crate::dispatch::execution_policy::{ApprovedCall, ClaimResult};
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{AnswerOrigin, PreviewResult};
use crate::failure::Failure;
use crate::policy::ticket::TicketRejection;
use crate::refusal_reason::RefusalReason;
use crate::tool::CallScope;

/// The `retry_after_ms` of a call that finds the queue full.
const QUEUE_WAIT_MS: u64 = 1_000;

/// The reason why a call does not run: it is refused, or answered already.
pub(super) enum ShortCircuit {
    Refused(Box<Refusal>),
    /// Another run holds the call's key, and is not known to hold its ticket too.
    InFlight(Box<Refusal>),
    Answered(Box<CallOutcome>),
}

impl From<Box<Refusal>> for ShortCircuit {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

impl From<CallOutcome> for ShortCircuit {
    fn from(ended: CallOutcome) -> Self {
        Self::Answered(Box::new(ended))
    }
}

impl PolicyState {
    /// Claims the resources that the call needs to run, or answers it.
    pub(super) async fn claim(self: &Arc<Self>, call: ApprovedCall<'_>) -> ClaimResult {
        let ApprovedCall { scope, approval, started, .. } = call;
        let mut claimed = self.acquire_all(call).await;
        if let (Err(stop), Some(ticket)) = (&claimed, &approval.ticket) {
            let first = self.must_be_first_decision(ticket, stop, scope, approval, started);
            if let Err(refusal) = first.await {
                claimed = Err(refusal.into());
            }
        }
        match claimed {
            Ok(resources) => Ok(Some(Box::new(resources))),
            Err(ShortCircuit::Answered(ended)) => Err(ended),
            Err(ShortCircuit::Refused(refusal) | ShortCircuit::InFlight(refusal)) => {
                Err(Box::new(refused(scope, &refusal)))
            }
        }
    }

    async fn acquire_all(
        self: &Arc<Self>,
        call: ApprovedCall<'_>,
    ) -> Result<ClaimedResources, ShortCircuit> {
        let ApprovedCall { scope, approval, started, .. } = call;
        let plan = scope.plan();
        let ticket = approval.ticket.as_ref();
        // The run that used the ticket had other arguments, and may have had its effect.
        if approval.edited && ticket.is_some_and(|ticket| ticket.is_used) {
            return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
        }
        let mut claimed = ClaimedResources::new(self.clone(), scope.clone());
        // A dry run of a write, made for another call, claims nothing of its own.
        if scope.is_approval_dry_run() && scope.withholds_effect() {
            return Ok(claimed);
        }
        if ticket.is_some_and(|ticket| ticket.is_used) {
            self.must_be_unanswered(scope, approval, started).await?;
        } else if plan.is_limited() || self.concurrency.is_some() {
            if let Some(answered) = self.stored_answer(scope, approval, started).await? {
                return Err(answered.into());
            }
        }
        let bypasses_cache =
            scope.dry_run() || approval.ticket.is_some() || scope.replay_of().is_some();
        if let Some(ttl) = plan.ttl.filter(|_| !bypasses_cache) {
            claimed.flight = self.cached_or_flight(plan, scope, started, ttl).await?;
        }
        if let Some(failed) = approval.preview_result.as_ref().and_then(PreviewResult::refusal) {
            if self.earlier_run(scope, approval).await? == EarlierRun::None {
                return Err(failed.into());
            }
        }
        self.must_have_same_preview(call).await?;
        let now = self.timer.now();
        // A replay is made by an auditor and does not count against the limits of the recorded
        // caller.
        let counts = scope.replay_of().is_none();
        if let Some(breaker) = plan.limits.breaker.as_ref().filter(|_| counts) {
            let admitted = breaker.admit(scope.cx().tenant_id(), now);
            claimed.breaker_permit = Some(admitted.map_err(breaker_open)?);
        }
        if let Some(rate) = plan.limits.rate.as_ref().filter(|_| counts) {
            rate.check(&scope.cx().tenant_id()).map_err(rate_limited)?;
        }
        claimed.tool_permit = permit(plan.limits.concurrency.as_ref(), scope, started).await?;
        claimed.runtime_permit = permit(self.concurrency.as_ref(), scope, started).await?;
        if plan.writes() && !scope.dry_run() {
            claimed.key = self.claim_key(scope, approval, started).await?;
        }
        if let Some(ticket) = &approval.ticket {
            if ticket.is_used && claimed.key.is_none() {
                return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
            }
            if let Err(refusal) = self.use_ticket(ticket, time_left(scope, started)).await {
                if let Some(key) = claimed.key.take() {
                    key.release().await;
                }
                return Err(refusal.into());
            }
        }
        Ok(claimed)
    }

    /// Answers from the cache, or joins the flight for the answer; neither if it cannot be cached.
    async fn cached_or_flight(
        &self,
        plan: &ToolPlan,
        scope: &CallScope,
        started: Instant,
        ttl: Duration,
    ) -> Result<Option<(Flight, Duration)>, ShortCircuit> {
        let arguments = fingerprint(plan, scope).ok();
        let Some(key) = arguments.and_then(|it| cache_key(plan, scope, it)) else {
            return Ok(None);
        };
        self.answer_from_cache(scope, key)?;
        let flight = within_deadline(scope, started, self.read_cache.join_flight(key)).await?;
        self.answer_from_cache(scope, key)?;
        Ok(Some((flight, ttl)))
    }

    fn answer_from_cache(&self, scope: &CallScope, key: Digest) -> Result<(), ShortCircuit> {
        let now = self.timer.now();
        let Some(answer) = self.read_cache.find(key, now) else { return Ok(()) };
        let output = answer.to_output(scope, now);
        let (status, log, origin) = (CallStatus::Executed, String::new(), AnswerOrigin::Cache);
        Err(CallOutcome {
            status,
            output,
            log,
            effect: EffectOutcome::Answered,
            origin,
            evidence_draft: None,
        }
        .into())
    }
}

async fn permit(
    limiter: Option<&Arc<ConcurrencyLimiter>>,
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
