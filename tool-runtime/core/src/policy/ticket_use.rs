//! Uses up a ticket: only the first decision about it runs the call.

use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use super::approval::Approvals;
use super::claim::ShortCircuit;
use super::deadline::{sleep, time_left, within_deadline};
use super::events::{EventAnnouncer, TicketDecision};
use super::store_client::{STORE_TIMEOUT, StoreClient, store_failure};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{CallApproval, RedeemedTicket};
use crate::failure::Failure;
use crate::policy::ticket::TicketRejection;
use crate::refusal_reason::RefusalReason;
use crate::store::{OutboxBatch, StoreError, TicketEnd, TicketQuota, WaitingTicket};
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

    /// Stores a ticket within its caller's quota, and messages with it.
    pub(super) async fn put_ticket(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        if batch.messages.is_empty() {
            self.tickets.put_ticket_within(ticket, quota, now).await
        } else {
            self.outbox()?.put_ticket_with(ticket, quota, now, batch).await
        }
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

impl EventAnnouncer {
    /// Ends a ticket, stores the messages that report it, and returns how it had ended before.
    pub(super) async fn end_ticket(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
        limit: Duration,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let stores = &self.stores;
        let earlier_end = if batch.messages.is_empty() {
            stores.call(limit, stores.tickets.end_ticket(id, end)).await?
        } else {
            stores.call(limit, stores.outbox()?.end_ticket_with(id, end, batch)).await?
        };
        if earlier_end.is_none() && !self.receivers.is_empty() {
            self.notify(1);
        }
        Ok(earlier_end)
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
                    return self.use_ticket(ticket, scope, approval, started).await;
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
        scope: &CallScope,
        approval: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        if self.stores.now().get() >= ticket.expires_at_ms {
            return Err(TicketRejection::Expired.into());
        }
        let by = approval.approver.as_deref().unwrap_or_default();
        let decision = TicketDecision::Approved { by, edited: approval.edited };
        let (tenant, tool) = (scope.cx().tenant_id(), scope.tool().name());
        let batch = self.events.decided(ticket.id, tenant, tool, decision);
        let limit = time_left(scope, started);
        match self.events.end_ticket(ticket.id, TicketEnd::Used, batch, limit).await {
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
