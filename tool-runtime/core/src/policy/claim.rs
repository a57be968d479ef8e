//! Claims the resources of a call: the cached answer or flight, permits, key, ticket.
//!
//! Each step takes the result of the one before, so that no resource that has to be given back is
//! held while a later one may be refused.

use std::sync::Arc;
use std::time::Duration;

use super::held_resources::ClaimedResources;
use super::idempotency::EarlierRun;
use super::limits::CallPermits;
use super::policy_state::PolicyState;
use super::read_cache::Flight;
use super::ticket_use::TicketUse;
use crate::dispatch::PreviewResult;
use crate::dispatch::answer::refused;
use crate::dispatch::execution_policy::{ApprovedCall, ClaimResult};
use crate::dispatch::outcome::CallOutcome;
use crate::dispatch::refusal::Refusal;
use crate::policy::ticket::TicketRejection;

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

/// A call that neither an earlier answer nor a failed preview has ended.
struct Unanswered {
    /// The flight for a cached answer, and the time for which the answer is cached.
    flight: Option<(Flight, Duration)>,
}

/// A call that the limits have admitted.
struct Admitted {
    flight: Option<(Flight, Duration)>,
    permits: CallPermits,
}

impl PolicyState {
    /// Claims the resources that the call needs to run, or answers it.
    pub(super) async fn claim(self: &Arc<Self>, call: ApprovedCall<'_>) -> ClaimResult {
        let ApprovedCall { scope, approval, started, .. } = call;
        let ticket = TicketUse::from_approval(approval);
        let mut claimed = self.acquire_all(call, ticket).await;
        if let (Err(stop), TicketUse::Unused(ticket)) = (&claimed, ticket) {
            let approvals = &self.approvals;
            let first = approvals.must_be_first_decision(ticket, stop, scope, approval, started);
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
        &self,
        call: ApprovedCall<'_>,
        ticket: TicketUse<'_>,
    ) -> Result<ClaimedResources, ShortCircuit> {
        let ApprovedCall { scope, approval, .. } = call;
        // The run that used the ticket had other arguments, and may have had its effect.
        if approval.edited && matches!(ticket, TicketUse::Used(_)) {
            return Err(ShortCircuit::Refused(TicketRejection::Used.into()));
        }
        // A dry run of a write, made for another call, claims nothing itself.
        if scope.is_approval_dry_run() && scope.withholds_effect() {
            return Ok(ClaimedResources::new(self.stores.clone(), scope.clone()));
        }
        let unanswered = self.look_for_answer(call, ticket).await?;
        let admitted = self.admit(call, unanswered).await?;
        self.use_key_and_ticket(call, ticket, admitted).await
    }

    /// Answers the call from an earlier one, or refuses it if its preview failed or changed.
    async fn look_for_answer(
        &self,
        call: ApprovedCall<'_>,
        ticket: TicketUse<'_>,
    ) -> Result<Unanswered, ShortCircuit> {
        let ApprovedCall { scope, approval, started, .. } = call;
        let plan = scope.plan();
        match ticket {
            TicketUse::Used(_) => self.claims.must_be_unanswered(scope, approval, started).await?,
            // A stored answer needs no permit, so that it is given before the limits are asked.
            TicketUse::None | TicketUse::Unused(_) if self.limits.apply_to(plan) => {
                let stored_answer = self.claims.stored_answer(scope, approval, started).await?;
                if let Some(answered) = stored_answer {
                    return Err(answered.into());
                }
            }
            TicketUse::None | TicketUse::Unused(_) => {}
        }
        let bypasses_cache =
            scope.dry_run() || !matches!(ticket, TicketUse::None) || scope.replay_of().is_some();
        let flight = match plan.ttl.filter(|_| !bypasses_cache) {
            Some(ttl) => {
                let flight = self.cache.answer_or_join(plan, scope, started).await?;
                flight.map(|flight| (flight, ttl))
            }
            None => None,
        };
        if let Some(failed) = approval.preview_result.as_ref().and_then(PreviewResult::refusal) {
            if self.claims.earlier_run(scope, approval).await? == EarlierRun::None {
                return Err(failed.into());
            }
        }
        self.approvals.must_have_same_preview(call).await?;
        Ok(Unanswered { flight })
    }

    async fn admit(
        &self,
        ApprovedCall { scope, started, .. }: ApprovedCall<'_>,
        Unanswered { flight }: Unanswered,
    ) -> Result<Admitted, ShortCircuit> {
        let permits = self.limits.admit(scope.plan(), scope, started).await?;
        Ok(Admitted { flight, permits })
    }

    async fn use_key_and_ticket(
        &self,
        ApprovedCall { scope, approval, started, .. }: ApprovedCall<'_>,
        ticket: TicketUse<'_>,
        Admitted { flight, permits }: Admitted,
    ) -> Result<ClaimedResources, ShortCircuit> {
        let mut claimed = ClaimedResources::new(self.stores.clone(), scope.clone());
        (claimed.flight, claimed.permits) = (flight, permits);
        match (scope.plan().writes(), scope.dry_run()) {
            (true, false) => {
                claimed.key = self.claims.claim_key(scope, approval, ticket, started).await?;
            }
            (true, true) => claimed.spending = self.spending.rehearse(scope, started).await?,
            (false, _) => {
                claimed.spending = self.spending.spend(scope, approval, started).await?;
            }
        }
        match ticket {
            TicketUse::Used(_) if claimed.key.is_none() => {
                Err(ShortCircuit::Refused(TicketRejection::Used.into()))
            }
            // The call has taken over the key of the run that used the ticket.
            TicketUse::None | TicketUse::Used(_) => Ok(claimed),
            TicketUse::Unused(ticket) => {
                let use_result = self.approvals.use_ticket(ticket, scope, approval, started).await;
                if let Err(refusal) = use_result {
                    if let Some(key) = claimed.key.take() {
                        key.release().await;
                    }
                    return Err(refusal.into());
                }
                Ok(claimed)
            }
        }
    }
}
