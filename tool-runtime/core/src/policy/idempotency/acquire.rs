//! Claims the idempotency key of a write, or answers the call if the key is taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_runtime_schema::canonical::Digest;

use super::key_step::{Claimant, KeyRefusal, KeyStep, next_step};
use super::{ClaimedKey, EarlierRun, KeyLease, key_derivation, reconciliation, refusals, replay};
use crate::dispatch::CallApproval;
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::{fingerprint, not_canonical};
use crate::policy::claim::ShortCircuit;
use crate::policy::deadline::{sleep, time_left, within_deadline};
use crate::policy::events::EventAnnouncer;
use crate::policy::spending::{CallSpending, SpendingLimits};
use crate::policy::store_client::StoreClient;
use crate::policy::ticket::TicketRejection;
use crate::policy::ticket_use::TicketUse;
use crate::store::principal::caller_of;
use crate::store::{
    ClaimRequest, Fence, Reservation, ReserveOutcome, ScopedKey, Settlement, StoredAnswer,
    UnixMillis,
};
use crate::tool::CallScope;

/// The delays between two claims of a waiting repeat: doubled each time, up to the longest.
const FIRST_POLL_DELAY: Duration = Duration::from_millis(20);
const MAX_POLL_DELAY: Duration = Duration::from_millis(500);

const DAMAGED: &str = "the stored record of the idempotency key fails its checksum";

/// Claims the keys of writes, and answers their repeats.
pub(in crate::policy) struct KeyClaims {
    pub(in crate::policy) stores: Arc<StoreClient>,
    pub(in crate::policy) spending: Arc<SpendingLimits>,
    pub(in crate::policy) events: Arc<EventAnnouncer>,
    /// The quota of one caller's unknown outcomes.
    pub(in crate::policy) unknown_per_caller: usize,
}

impl KeyClaims {
    /// Claims the key that a write runs under; none if it has no key.
    pub(in crate::policy) async fn claim_key(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
        ticket: TicketUse<'_>,
        started: Instant,
    ) -> Result<Option<ClaimedKey>, ShortCircuit> {
        let plan = scope.plan();
        let (mut spending, mut unpayable) = match self.spending.payable(scope, approval) {
            Ok(spending) => (spending, None),
            // The outcome of an earlier run under the key comes first: a repeat is not told that nothing happened.
            Err(refusal) => match self.earlier_run(scope, approval).await? {
                EarlierRun::None => return Err(refusal.into()),
                EarlierRun::Answered | EarlierRun::Begun | EarlierRun::OtherArguments => {
                    (CallSpending::default(), Some(refusal))
                }
            },
        };
        let key = key_derivation::key_of(plan, scope, approval)?;
        let Some(key) = key.or_else(|| key_derivation::key_of_spender(plan, scope, &spending))
        else {
            return Ok(None);
        };
        spending = spending.under(&key);
        // The arguments as the model sent them, also if a person edited them: the model's repeat
        // is the same call.
        let arguments =
            fingerprint(plan, scope.original_call()).map_err(|error| not_canonical(&error))?;
        let claimant = Claimant {
            ticket,
            replays: approval.replays,
            on_concurrent_repeat: plan.on_concurrent_repeat,
        };
        let mut delay = FIRST_POLL_DELAY;
        loop {
            let reservations = spending.reservations(approval.may_exceed_budgets);
            let (reserved, now) =
                self.send_claim(scope, &key, arguments, reservations, started).await?;
            let (outcome, balances) = match reserved {
                ReserveOutcome::Claimed { outcome, balances } => (outcome, balances),
                ReserveOutcome::Exceeded(balances) => {
                    return Err(spending.with_balances(balances).refusal(scope).into());
                }
            };
            let step = next_step(outcome, claimant);
            if let Some((fence, in_doubt)) = step.acquired() {
                if let Some(refusal) = unpayable.take() {
                    let mut key = self.claimed(scope, key, fence, now, spending);
                    key.set_in_doubt(in_doubt);
                    key.release().await;
                    return Err(refusal.into());
                }
            }
            match step {
                KeyStep::Run(fence) => {
                    spending = spending.reserved(balances);
                    self.spending.warn(&spending, scope, started).await;
                    let key = self.claimed(scope, key, fence, now, spending);
                    return self.with_full_lease(scope, key, now).await.map(Some);
                }
                KeyStep::Reconcile(fence) => {
                    spending = spending.reserved(balances);
                    let mut key = self.claimed(scope, key, fence, now, spending);
                    key.set_in_doubt(true);
                    let key = self.with_full_lease(scope, key, now).await?;
                    return self.take_over(scope, key, started).await.map(Some);
                }
                KeyStep::Release { fence, in_doubt, refusal } => {
                    let mut key = self.claimed(scope, key, fence, now, spending);
                    key.set_in_doubt(in_doubt && !plan.takes_transaction);
                    key.release().await;
                    return Err(self.refuse(refusal, now));
                }
                KeyStep::Replay(answer) => {
                    let replayed = self.replay(scope, &key, &answer, time_left(scope, started));
                    let replayed = replayed.await?;
                    spending.record_replay(scope, &answer);
                    return Err(replayed.into());
                }
                KeyStep::Refuse(refusal) => return Err(self.refuse(refusal, now)),
                KeyStep::Wait => {
                    if let TicketUse::Unused(ticket) = claimant.ticket {
                        let end = self.stores.ticket_end(ticket, time_left(scope, started)).await;
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

    /// Asks the store for the key and the reservations; returns its answer, and the store's time before it.
    async fn send_claim(
        &self,
        scope: &CallScope,
        key: &ScopedKey,
        arguments: Digest,
        reservations: Vec<Reservation>,
        started: Instant,
    ) -> Result<(ReserveOutcome, UnixMillis), ShortCircuit> {
        let plan = scope.plan();
        let time_lookup = self.stores.keys_time(time_left(scope, started));
        let now = within_deadline(scope, started, time_lookup).await?;
        let now = now.map_err(|error| refusals::store_failed(&error))?;
        let request = ClaimRequest::new(key.clone(), arguments, now, plan.lease)
            .resolves(plan.reconciles || plan.may_repeat())
            .with_quota(caller_of(scope.cx()), self.unknown_per_caller);
        // A claim may be dropped at the call's deadline: if the store took it, its lease runs out.
        let limit = time_left(scope, started);
        let claim = async {
            if reservations.is_empty() {
                let outcome = self.stores.call(limit, self.stores.keys.claim(request)).await?;
                return Ok(ReserveOutcome::Claimed { outcome, balances: Vec::new() });
            }
            let reserve = self.stores.budgets()?.reserve(request, reservations);
            self.stores.call(limit, reserve).await
        };
        let outcome = within_deadline(scope, started, claim).await?;
        Ok((outcome.map_err(|error| refusals::store_failed(&error))?, now))
    }

    /// Refuses a call that does not run under its key, and counts what an operator looks at.
    fn refuse(&self, refusal: KeyRefusal, now: UnixMillis) -> ShortCircuit {
        match refusal {
            KeyRefusal::TicketUsed => ShortCircuit::Refused(TicketRejection::Used.into()),
            KeyRefusal::NeedsConfirmation => Refusal::needs_confirmation().into(),
            KeyRefusal::InFlight(until) => {
                ShortCircuit::InFlight(refusals::in_flight(until.since(now)))
            }
            KeyRefusal::OtherArguments => refusals::key_reused().into(),
            KeyRefusal::OutcomeUnknown => refusals::outcome_unknown().into(),
            KeyRefusal::OutcomeArchived => refusals::outcome_archived().into(),
            KeyRefusal::RecordDamaged => {
                self.stores.outcomes.record_damaged();
                refusals::record_damaged(DAMAGED).into()
            }
            KeyRefusal::QuotaExceeded => {
                self.stores.outcomes.record_over_quota();
                refusals::unknown_outcomes_full().into()
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
        self.stores.outcomes.record_damaged();
        let distrusted = self.stores.call(limit, self.stores.keys.invalidate_answer(key)).await;
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
        &self,
        scope: &CallScope,
        key: ScopedKey,
        fence: Fence,
        claimed_at: UnixMillis,
        spending: CallSpending,
    ) -> ClaimedKey {
        scope.set_idempotency(key_derivation::idempotency_for_tool(&key, fence));
        let until = claimed_at.after(scope.plan().lease);
        let lease = Arc::new(KeyLease::new(self.stores.clone(), until));
        scope.set_lease(lease.clone());
        spending.record(scope, None);
        spending.cite_proofs(scope, claimed_at);
        ClaimedKey::new(self.events.clone(), scope.clone(), key, fence, lease)
            .with_spending(spending)
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
        if self.stores.known_keys_time().is_some_and(|now| now.since(claimed_at) < lease / 3) {
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
        &self,
        scope: &CallScope,
        mut key: ClaimedKey,
        started: Instant,
    ) -> Result<ClaimedKey, ShortCircuit> {
        let plan = scope.plan();
        if plan.takes_transaction {
            // The earlier run would have settled its key together with its effect.
            key.set_in_doubt(false);
            return Ok(key);
        }
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
