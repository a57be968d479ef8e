//! Uses up a ticket: only the first decision about it runs the call.

use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use super::approval::Approvals;
use super::claim::ShortCircuit;
use super::deadline::{sleep, time_left, within_deadline};
use super::store_client::{STORE_TIMEOUT, StoreClient, store_failure};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{CallApproval, RedeemedTicket};
use crate::failure::Failure;
use crate::policy::ticket::TicketRejection;
use crate::refusal_reason::RefusalReason;
use crate::store::{StoreError, TicketEnd, WaitingTicket};
use crate::tool::CallScope;

/// The delay before the ticket is read again, doubled each time, and the number of readings.
///
/// A run claims its key before it uses its ticket; in between, another decision finds the key
/// alone.
const FIRST_POLL_DELAY: Duration = Duration::from_millis(20);
const MAX_POLLS: u32 = 6;

/// The ticket that a call was resumed with.
#[derive(Debug, Clone, Copy)]
pub(super) enum TicketUse<'c> {
    None,
    /// The call has to use it up before it runs.
    Unused(&'c RedeemedTicket),
    /// A run that did not end has used it: the call leads to the outcome of that run.
    Used(&'c RedeemedTicket),
}

impl<'c> TicketUse<'c> {
    pub(super) fn from_approval(approval: &'c CallApproval) -> Self {
        match &approval.ticket {
            None => Self::None,
            Some(ticket) if ticket.is_used => Self::Used(ticket),
            Some(ticket) => Self::Unused(ticket),
        }
    }
}

impl StoreClient {
    /// Finds a ticket of a tenant, waiting or ended.
    pub(super) async fn find_ticket(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<WaitingTicket>, StoreError> {
        let stored_ticket = self.call(STORE_TIMEOUT, self.tickets.find_ticket(id)).await?;
        Ok(stored_ticket.filter(|stored_ticket| stored_ticket.tenant == tenant))
    }

    /// Ends a ticket, and returns how it had ended before.
    pub(super) async fn end_ticket(
        &self,
        id: Uuid,
        end: TicketEnd,
        limit: Duration,
    ) -> Result<Option<TicketEnd>, StoreError> {
        self.call(limit, self.tickets.end_ticket(id, end)).await
    }

    /// Reads how a ticket has ended, if it has.
    pub(super) async fn ticket_end(
        &self,
        ticket: &RedeemedTicket,
        limit: Duration,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let stored_ticket = self.call(limit, self.tickets.find_ticket(ticket.id)).await?;
        // A ticket that the store no longer has was swept after it had expired.
        Ok(stored_ticket.map_or(Some(TicketEnd::Expired), |stored_ticket| stored_ticket.end))
    }
}

impl Approvals {
    /// Returns the ticket's refusal if the call cannot run because another decision about its
    /// ticket came first; for any other reason that it cannot run, returns `Ok`.
    ///
    /// If an earlier call under the same key has answered this one, its ticket is used up, unless
    /// its arguments were edited: the stored answer does not belong to them.
    pub(super) async fn must_be_first_decision(
        &self,
        ticket: &RedeemedTicket,
        stop: &ShortCircuit,
        scope: &CallScope,
        approval: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        let (mut delay, mut polls) = (FIRST_POLL_DELAY, MAX_POLLS);
        loop {
            let end = self.stores.ticket_end(ticket, time_left(scope, started)).await;
            match (end, stop) {
                (Ok(Some(end)), _) => return Err(TicketRejection::from(end).into()),
                (Ok(None), ShortCircuit::Answered(_)) if approval.edited => {
                    return Err(answered_before());
                }
                (Ok(None), ShortCircuit::Answered(_)) => {
                    return self.use_ticket(ticket, time_left(scope, started)).await;
                }
                (Err(error), ShortCircuit::Answered(_)) => return Err(store_failed(&error)),
                (Ok(None), ShortCircuit::InFlight(_)) if polls > 0 => {
                    within_deadline(scope, started, sleep(scope, delay)?).await?;
                    (delay, polls) = (delay * 2, polls - 1);
                }
                (Ok(None) | Err(_), ShortCircuit::InFlight(_) | ShortCircuit::Refused(_)) => {
                    return Ok(());
                }
            }
        }
    }

    /// Uses up the ticket that a call was resumed with; only one call can.
    pub(super) async fn use_ticket(
        &self,
        ticket: &RedeemedTicket,
        limit: Duration,
    ) -> Result<(), Box<Refusal>> {
        if self.stores.now().get() >= ticket.expires_at_ms {
            return Err(TicketRejection::Expired.into());
        }
        match self.stores.end_ticket(ticket.id, TicketEnd::Used, limit).await {
            Ok(None) => Ok(()),
            Ok(Some(end)) => Err(TicketRejection::from(end).into()),
            Err(error) => Err(store_failed(&error)),
        }
    }
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_failure(error).with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// Refuses an edited call whose original was answered under the same key: the edit was not run.
fn answered_before() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Conflict)
        .with_message(
            "a call under the same idempotency key was answered before this one was edited; \
             the edited arguments were not run",
        )
        .with_reason(RefusalReason::AnsweredBefore)
        .with_effect_none();
    Refusal::new(CallStatus::Rejected, failure)
}
