//! Claims the idempotency key of a write, or answers the call if the key is taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{ClaimedKey, KeyLease, earlier_runs, key_derivation, reconciliation, refusals, replay};
use crate::dispatch::CallApproval;
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::{fingerprint, not_canonical};
use crate::policy::claim::ShortCircuit;
use crate::policy::deadline::{sleep, time_left, within_deadline};
use crate::policy::policy_state::PolicyState;
use crate::policy::rules::ConcurrentRepeat;
use crate::policy::ticket::TicketRejection;
use crate::store::principal::caller_of;
use crate::store::{
    ClaimOutcome, ClaimRequest, Fence, ScopedKey, Settlement, StoredAnswer, UnixMillis,
};
use crate::tool::CallScope;

/// The delays between two claims of a waiting repeat: doubled each time, up to the longest.
const FIRST_POLL_DELAY: Duration = Duration::from_millis(20);
const MAX_POLL_DELAY: Duration = Duration::from_millis(500);

const DAMAGED: &str = "the stored record of the idempotency key fails its checksum";

impl PolicyState {
    /// Claims the key that a write runs under; none if it has no key.
    pub(in crate::policy) async fn claim_key(
        self: &Arc<Self>,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<Option<ClaimedKey>, ShortCircuit> {
        let plan = scope.plan();
        let Some(key) = key_derivation::key_of(plan, scope, consent)? else { return Ok(None) };
        // The arguments as the model sent them, also if a person edited them: the model's repeat
        // is the same call.
        let arguments =
            fingerprint(plan, scope.original_call()).map_err(|error| not_canonical(&error))?;
        let (used, unused) = match &consent.ticket {
            Some(ticket) if ticket.is_used => (Some(ticket), None),
            ticket => (None, ticket.as_ref()),
        };
        let is_used = used.is_some();
        let mut delay = FIRST_POLL_DELAY;
        loop {
            let time_lookup = self.store_time(time_left(scope, started));
            let now = within_deadline(scope, started, time_lookup).await?;
            let now = now.map_err(|error| refusals::store_failed(&error))?;
            let request = ClaimRequest::new(key.clone(), arguments, now, plan.lease);
            let request = request
                .resolves(plan.reconciles || plan.may_repeat())
                .with_quota(caller_of(scope.cx()), self.unknown_per_caller);
            // A claim may be dropped at the call's deadline: if the store took it, its lease runs
            // out.
            let claim = self.call_store(time_left(scope, started), self.stores.keys.claim(request));
            let claimed = within_deadline(scope, started, claim).await?;
            match claimed.map_err(|error| refusals::store_failed(&error))? {
                ClaimOutcome::Acquired(fence) if consent.replays => {
                    let key = self.claimed(scope, key, fence, now);
                    return Err(earlier_runs::release(key).await.into());
                }
                ClaimOutcome::Acquired(fence) if is_used => {
                    self.claimed(scope, key, fence, now).release().await;
                    return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
                }
                ClaimOutcome::TakenOver(fence) if consent.replays => {
                    let mut key = self.claimed(scope, key, fence, now);
                    key.set_in_doubt(true);
                    return Err(earlier_runs::release(key).await.into());
                }
                ClaimOutcome::Acquired(fence) => {
                    let key = self.claimed(scope, key, fence, now);
                    return self.with_full_lease(scope, key, now).await.map(Some);
                }
                ClaimOutcome::TakenOver(fence) => {
                    let mut key = self.claimed(scope, key, fence, now);
                    key.set_in_doubt(true);
                    let key = self.with_full_lease(scope, key, now).await?;
                    return self.take_over(scope, key, started).await.map(Some);
                }
                // The run that used the ticket has ended, or another run has reconciled it.
                ClaimOutcome::Settled(_) if is_used => {
                    return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
                }
                // Another approver's decision runs. The ticket's holder is told to retry instead,
                // since that run may have crashed.
                ClaimOutcome::Running { .. } if used.is_some_and(|ticket| ticket.by_approver) => {
                    return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
                }
                ClaimOutcome::Settled(answer) => {
                    let limit = time_left(scope, started);
                    return Err(self.replay(scope, &key, &answer, limit).await?.into());
                }
                ClaimOutcome::Damaged(_) => {
                    self.outcomes.record_damaged();
                    return Err(refusals::record_damaged(DAMAGED).into());
                }
                ClaimOutcome::Archived => return Err(refusals::outcome_archived().into()),
                ClaimOutcome::QuotaExceeded => {
                    self.outcomes.record_over_quota();
                    return Err(refusals::unknown_outcomes_full().into());
                }
                ClaimOutcome::Mismatch => return Err(refusals::key_reused().into()),
                ClaimOutcome::Unknown(_) => return Err(refusals::outcome_unknown().into()),
                ClaimOutcome::Running { until }
                    if plan.on_concurrent_repeat == ConcurrentRepeat::Refuse =>
                {
                    return Err(ShortCircuit::InFlight(refusals::in_flight(until.since(now))));
                }
                ClaimOutcome::Running { .. } => {
                    if let Some(ticket) = unused {
                        let end = self.end_of(ticket, time_left(scope, started)).await;
                        if let Ok(Some(end)) = end {
                            return Err(ShortCircuit::Refused(TicketRejection::from(end).into()));
                        }
                    }
                    within_deadline(scope, started, sleep(scope, delay)?).await?;
                    delay = (delay * 2).min(MAX_POLL_DELAY);
                }
            }
        }
    }

    /// Replays a stored answer. An answer that the tool could not have given makes the outcome
    /// unknown.
    pub(super) async fn replay(
        &self,
        scope: &CallScope,
        key: &ScopedKey,
        answer: &StoredAnswer,
        limit: Duration,
    ) -> Result<CallOutcome, Box<Refusal>> {
        let wrong = match replay::replayed(scope, answer) {
            Ok(ended) => return Ok(ended),
            Err(wrong) => wrong,
        };
        self.outcomes.record_damaged();
        let distrusted = self.call_store(limit, self.stores.keys.invalidate_answer(key)).await;
        let unmarked = match distrusted {
            Ok(_) => String::new(),
            Err(error) => format!("; it could not be marked as unknown: {error}"),
        };
        let log =
            format!("the answer under the idempotency key cannot be replayed: {wrong}{unmarked}");
        Err(refusals::record_damaged(log))
    }

    /// Wraps a key whose claim the store has accepted, and gives the tool its view of it.
    fn claimed(
        self: &Arc<Self>,
        scope: &CallScope,
        key: ScopedKey,
        fence: Fence,
        claimed_at: UnixMillis,
    ) -> ClaimedKey {
        scope.set_idempotency(key_derivation::idempotency_for_tool(&key, fence));
        let until = claimed_at.after(scope.plan().lease);
        let lease = Arc::new(KeyLease::new(self.clone(), until));
        scope.set_lease(lease.clone());
        ClaimedKey::new(self.clone(), scope.clone(), key, fence, lease)
    }

    /// Renews the lease if the claim itself took a third of it or more, so that the tool never
    /// begins under a lease that has run out.
    async fn with_full_lease(
        &self,
        scope: &CallScope,
        mut key: ClaimedKey,
        claimed_at: UnixMillis,
    ) -> Result<ClaimedKey, ShortCircuit> {
        let lease = scope.plan().lease;
        if self.known_store_time().is_some_and(|now| now.since(claimed_at) < lease / 3) {
            return Ok(key);
        }
        match key.renew().await {
            Ok(true) => Ok(key),
            Ok(false) => Err(refusals::taken_over().into()),
            Err(error) => {
                key.release().await;
                Err(refusals::store_failed(&error).into())
            }
        }
    }

    /// Reconciles the earlier run, or refuses the call: a write never runs on a guess.
    async fn take_over(
        self: &Arc<Self>,
        scope: &CallScope,
        mut key: ClaimedKey,
        started: Instant,
    ) -> Result<ClaimedKey, ShortCircuit> {
        let plan = scope.plan();
        if plan.reconciles {
            match reconciliation::reconcile(scope, &mut key, started).await {
                reconciliation::EarlierOutcome::DidNotHappen => {
                    key.set_in_doubt(false);
                    return Ok(key);
                }
                reconciliation::EarlierOutcome::Happened(ended) => {
                    let outcome = key.settle(scope, *ended).await;
                    // If the key was taken over meanwhile, there is nothing to replay.
                    let stands = outcome.effect != EffectOutcome::Unknown;
                    let answer = replay::stored(&outcome.output).filter(|_| stands);
                    let replayed = answer.and_then(|it| replay::replayed(scope, &it).ok());
                    return Err(replayed.unwrap_or(outcome).into());
                }
                reconciliation::EarlierOutcome::Unknown => {}
                reconciliation::EarlierOutcome::LeaseLost => {
                    return Err(refusals::taken_over().into());
                }
            }
        }
        if plan.may_repeat() {
            return Ok(key);
        }
        // If the store fails, the key stays claimed, and is taken over again after its lease.
        drop(key.store(Settlement::Unknown).await);
        Err(refusals::outcome_unknown().into())
    }
}
