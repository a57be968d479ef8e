//! Takes a key, or answers in place of a call whose key is taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{KeyHold, KeyLease, key, reconciling, refusals, repeats, replay};
use crate::call::{CallApproval, CallScope};
use crate::dispatch::pipeline::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::{fingerprint, not_canonical};
use crate::policy::claiming::Stop;
use crate::policy::governor::State;
use crate::policy::principal::asker_of;
use crate::policy::rules::WhenRunning;
use crate::policy::ticket::TicketFault;
use crate::policy::waiting::{left, sleep, within};
use crate::store::{ClaimRequest, Claimed, Fence, KeyScope, Settlement, StoredAnswer, UnixMillis};

/// How long a waiting repeat sleeps before it looks again: twice as long each time.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LAST_LOOK: Duration = Duration::from_millis(500);

const DAMAGED: &str = "the stored record of the idempotency key fails its checksum";

impl State {
    /// Takes the key that a write runs under; none if it has none.
    pub(in crate::policy) async fn claim_key(
        self: &Arc<Self>,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<Option<KeyHold>, Stop> {
        let plan = self.plan(scope);
        let Some(key) = key::key_of(plan, scope, consent)? else { return Ok(None) };
        // What the model sent, also where a person changed it: its repeat is the same call.
        let arguments = fingerprint(plan, scope.sent()).map_err(|error| not_canonical(&error))?;
        let (used, unused) = match &consent.ticket {
            Some(ticket) if ticket.is_used => (Some(ticket), None),
            ticket => (None, ticket.as_ref()),
        };
        let is_used = used.is_some();
        let mut look = FIRST_LOOK;
        loop {
            let asked = self.store_time(left(scope, started));
            let now = within(scope, started, asked).await?;
            let now = now.map_err(|error| refusals::store_failed(&error))?;
            let request = ClaimRequest::new(key.clone(), arguments, now, plan.lease);
            let request = request
                .resolves(plan.reconciles || plan.may_repeat())
                .within_share(asker_of(scope.cx()), self.unknown_per_caller);
            // A claim that is dropped half way is not held, so that it may end with the call's time.
            let claim = self.ask_store(left(scope, started), self.stores.keys.claim(request));
            let claimed = within(scope, started, claim).await?;
            match claimed.map_err(|error| refusals::store_failed(&error))? {
                Claimed::First(fence) if consent.replays => {
                    let hold = self.hold(scope, key, fence, now);
                    return Err(repeats::give_back(hold).await.into());
                }
                Claimed::First(fence) if is_used => {
                    self.hold(scope, key, fence, now).give_back().await;
                    return Err(Stop::Refused(TicketFault::Used.into()));
                }
                Claimed::TakenOver(fence) if consent.replays => {
                    let mut hold = self.hold(scope, key, fence, now);
                    hold.set_in_doubt(true);
                    return Err(repeats::give_back(hold).await.into());
                }
                Claimed::First(fence) => {
                    let hold = self.hold(scope, key, fence, now);
                    return self.in_time(scope, hold, now).await.map(Some);
                }
                Claimed::TakenOver(fence) => {
                    let mut hold = self.hold(scope, key, fence, now);
                    hold.set_in_doubt(true);
                    let hold = self.in_time(scope, hold, now).await?;
                    return self.take_over(scope, hold, started).await.map(Some);
                }
                // The run that used the ticket has ended, or another one found out what became of it.
                Claimed::Settled(_) if is_used => {
                    return Err(Stop::Refused(TicketFault::Used.into()));
                }
                // Another approver's decision runs. The ticket's holder is told to come back instead,
                // since the run may have crashed.
                Claimed::Running { .. } if used.is_some_and(|ticket| ticket.by_approver) => {
                    return Err(Stop::Refused(TicketFault::Used.into()));
                }
                Claimed::Settled(answer) => {
                    let limit = left(scope, started);
                    return Err(self.replay(scope, &key, &answer, limit).await?.into());
                }
                Claimed::Damaged(_) => {
                    self.outcomes.damaged();
                    return Err(refusals::record_damaged(DAMAGED).into());
                }
                Claimed::Archived => return Err(refusals::outcome_archived().into()),
                Claimed::ShareFull => {
                    self.outcomes.over_share();
                    return Err(refusals::unknown_outcomes_full().into());
                }
                Claimed::Mismatch => return Err(refusals::key_reused().into()),
                Claimed::Unknown(_) => return Err(refusals::outcome_unknown().into()),
                Claimed::Running { until } if plan.when_running == WhenRunning::Refuse => {
                    return Err(Stop::InFlight(refusals::in_flight(until.since(now))));
                }
                Claimed::Running { .. } => {
                    if let Some(ticket) = unused {
                        let end = self.end_of(ticket, left(scope, started)).await;
                        if let Ok(Some(end)) = end {
                            return Err(Stop::Refused(TicketFault::from(end).into()));
                        }
                    }
                    within(scope, started, sleep(scope, look)?).await?;
                    look = (look * 2).min(LAST_LOOK);
                }
            }
        }
    }

    /// Replays a stored answer. One that the tool could not have given makes the outcome unknown.
    pub(super) async fn replay(
        &self,
        scope: &CallScope,
        key: &KeyScope,
        answer: &StoredAnswer,
        limit: Duration,
    ) -> Result<CallOutcome, Box<Refusal>> {
        let wrong = match replay::replayed(scope, answer) {
            Ok(ended) => return Ok(ended),
            Err(wrong) => wrong,
        };
        self.outcomes.damaged();
        let distrusted = self.ask_store(limit, self.stores.keys.distrust(key)).await;
        let unmarked = match distrusted {
            Ok(_) => String::new(),
            Err(error) => format!("; it could not be marked as unknown: {error}"),
        };
        let log =
            format!("the answer under the idempotency key cannot be replayed: {wrong}{unmarked}");
        Err(refusals::record_damaged(log))
    }

    /// Holds a key that was claimed at a moment.
    fn hold(
        self: &Arc<Self>,
        scope: &CallScope,
        key: KeyScope,
        fence: Fence,
        claimed_at: UnixMillis,
    ) -> KeyHold {
        scope.set_idempotency(key::shown_to_tool(&key, fence));
        let until = claimed_at.after(self.plan(scope).lease);
        let lease = Arc::new(KeyLease::new(self.clone(), until));
        scope.set_lease(lease.clone());
        KeyHold::new(self.clone(), scope.clone(), key, fence, lease)
    }

    /// Renews a lease that the claim itself has used up in part, so that nothing begins under one
    /// that is over.
    async fn in_time(
        &self,
        scope: &CallScope,
        mut hold: KeyHold,
        claimed_at: UnixMillis,
    ) -> Result<KeyHold, Stop> {
        let lease = self.plan(scope).lease;
        if self.known_store_time().is_some_and(|now| now.since(claimed_at) < lease / 3) {
            return Ok(hold);
        }
        match hold.renew().await {
            Ok(true) => Ok(hold),
            Ok(false) => Err(refusals::taken_over().into()),
            Err(error) => {
                hold.give_back().await;
                Err(refusals::store_failed(&error).into())
            }
        }
    }

    /// Finds out what became of the run before, or gives up: nothing runs on a guess.
    async fn take_over(
        self: &Arc<Self>,
        scope: &CallScope,
        mut hold: KeyHold,
        started: Instant,
    ) -> Result<KeyHold, Stop> {
        let plan = self.plan(scope);
        if plan.reconciles {
            match reconciling::ask(scope, &mut hold, started).await {
                reconciling::Found::DidNotHappen => {
                    hold.set_in_doubt(false);
                    return Ok(hold);
                }
                reconciling::Found::Happened(ended) => {
                    let ended = hold.settle(scope, *ended).await;
                    // An owner that was taken over meanwhile has nothing to replay.
                    let stands = ended.effect != EffectOutcome::Unknown;
                    let answer = replay::stored(&ended.output).filter(|_| stands);
                    let replayed = answer.and_then(|it| replay::replayed(scope, &it).ok());
                    return Err(replayed.unwrap_or(ended).into());
                }
                reconciling::Found::Unknown => {}
                reconciling::Found::Superseded => {
                    return Err(refusals::taken_over().into());
                }
            }
        }
        if plan.may_repeat() {
            return Ok(hold);
        }
        // One that cannot be stored stays as it is, and is taken over again when its lease is over.
        drop(hold.store(Settlement::Unknown).await);
        Err(refusals::outcome_unknown().into())
    }
}
