//! What a call takes before it runs: a fresh answer or the turn to make one, a place, its key, its
//! ticket. In this order, so that nothing that has to be given back waits for what may be refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};

use super::approval::fingerprint;
use super::fresh::{Flight, question};
use super::governor::State;
use super::holding::Holding;
use super::limits::{PlacePermit, Places};
use super::plan::Plan;
use super::waiting::{left, within};
use crate::call::{CallApproval, CallScope};
use crate::dispatch::Origin;
use crate::dispatch::call_policy::Held;
use crate::dispatch::fitting::refused;
use crate::dispatch::pipeline::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::ticket::TicketFault;

/// How long a caller is told to wait for a place.
const QUEUE_WAIT_MS: u64 = 1_000;

/// Why a call does not run: it is refused, or answered already.
pub(super) enum Stop {
    Refused(Box<Refusal>),
    /// A run holds its key, and is not known to hold its ticket too.
    InFlight(Box<Refusal>),
    Answered(Box<CallOutcome>),
}

impl From<Box<Refusal>> for Stop {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

impl From<CallOutcome> for Stop {
    fn from(ended: CallOutcome) -> Self {
        Self::Answered(Box::new(ended))
    }
}

impl State {
    /// Takes what the call needs to run, or answers in its place.
    pub(super) async fn claim(
        self: &Arc<Self>,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Held {
        let mut taken = self.take(scope, consent, started).await;
        if let (Err(stop), Some(ticket)) = (&taken, &consent.ticket) {
            if let Err(refusal) = self.is_first(ticket, stop, scope, consent, started).await {
                taken = Err(refusal.into());
            }
        }
        match taken {
            Ok(holding) => Ok(Some(Box::new(holding))),
            Err(Stop::Answered(ended)) => Err(ended),
            Err(Stop::Refused(refusal) | Stop::InFlight(refusal)) => {
                Err(Box::new(refused(scope, &refusal)))
            }
        }
    }

    async fn take(
        self: &Arc<Self>,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<Holding, Stop> {
        let plan = self.plan(scope);
        let ticket = consent.ticket.as_ref();
        // The run that used the ticket had other arguments, and may have had its effect.
        if consent.edited && ticket.is_some_and(|ticket| ticket.is_used) {
            return Err(Stop::Refused(TicketFault::Used.into()));
        }
        let mut holding = Holding::new(self.clone(), scope.clone());
        // A dry run of a write in the course of another call takes nothing of its own.
        if scope.is_rehearsal() && scope.withholds_effect() {
            return Ok(holding);
        }
        if ticket.is_some_and(|ticket| ticket.is_used) {
            self.must_be_unanswered(scope, consent, started).await?;
        } else if plan.is_limited() || self.places.is_some() {
            if let Some(answered) = self.kept_answer(scope, consent, started).await? {
                return Err(answered.into());
            }
        }
        let asks_anew = scope.dry_run() || consent.ticket.is_some() || scope.replay_of().is_some();
        if let Some(ttl) = plan.ttl.filter(|_| !asks_anew) {
            holding.flight = self.fresh_or_flight(plan, scope, started, ttl).await?;
        }
        self.same_preview(scope, consent).await?;
        let now = self.timer.now();
        // A replay is an auditor's: it is not counted among the calls of those it repeats.
        let counts = scope.replay_of().is_none();
        if let Some(breaker) = plan.breaker.as_ref().filter(|_| counts) {
            let admitted = breaker.admit(scope.cx().tenant_id(), now);
            holding.pass = Some(admitted.map_err(breaker_open)?);
        }
        if let Some(rate) = plan.rate.as_ref().filter(|_| counts) {
            rate.check(&scope.cx().tenant_id()).map_err(rate_limited)?;
        }
        holding.own_place = place(plan.places.as_ref(), scope, started).await?;
        holding.place = place(self.places.as_ref(), scope, started).await?;
        if plan.writes() && !scope.dry_run() {
            holding.key = self.claim_key(scope, consent, started).await?;
        }
        if let Some(ticket) = &consent.ticket {
            if ticket.is_used && holding.key.is_none() {
                return Err(Stop::Refused(TicketFault::Used.into()));
            }
            if let Err(refusal) = self.use_ticket(ticket, left(scope, started)).await {
                if let Some(key) = holding.key.take() {
                    key.give_back().await;
                }
                return Err(refusal.into());
            }
        }
        Ok(holding)
    }

    /// Serves a fresh answer, or takes the turn to make one; neither if it cannot be kept.
    async fn fresh_or_flight(
        &self,
        plan: &Plan,
        scope: &CallScope,
        started: Instant,
        ttl: Duration,
    ) -> Result<Option<(Flight, Duration)>, Stop> {
        let arguments = fingerprint(plan, scope).ok();
        let Some(question) = arguments.and_then(|it| question(plan, scope, it)) else {
            return Ok(None);
        };
        self.serve(scope, question)?;
        let flight = within(scope, started, self.fresh.board(question)).await?;
        self.serve(scope, question)?;
        Ok(Some((flight, ttl)))
    }

    fn serve(&self, scope: &CallScope, question: crate::canonical::Digest) -> Result<(), Stop> {
        let now = self.timer.now();
        let Some(answer) = self.fresh.find(question, now) else { return Ok(()) };
        let output = answer.serve(scope, now);
        let (status, log, origin) = (CallStatus::Executed, String::new(), Origin::Cache);
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

async fn place(
    places: Option<&Arc<Places>>,
    scope: &CallScope,
    started: Instant,
) -> Result<Option<PlacePermit>, Box<Refusal>> {
    let Some(places) = places else { return Ok(None) };
    match within(scope, started, places.take()).await? {
        Ok(permit) => Ok(Some(permit)),
        Err(_) => Err(queue_full()),
    }
}

fn queue_full() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Unavailable)
        .with_message("too many calls are waiting already; try again later")
        .with_retry_after_ms(QUEUE_WAIT_MS);
    not_run(failure, "queue_full")
}

fn breaker_open(left: Duration) -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Unavailable)
        .with_message("this tool has failed too often lately and is given a rest; try again later")
        .with_retry_after_ms(milliseconds(left));
    not_run(failure, "breaker_open")
}

fn rate_limited(left: Duration) -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::RateLimited).with_retry_after_ms(milliseconds(left));
    not_run(failure, "rate_limit")
}

fn not_run(failure: Failure, reason: &str) -> Box<Refusal> {
    let failure = failure.with_detail("reason", reason).with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// At least one, so that nobody comes back at once.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX).max(1)
}
