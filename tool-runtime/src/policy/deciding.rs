//! Tells the one decision about a ticket that counts from those that come too late.

use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};

use super::asking::store_down;
use super::claiming::Stop;
use super::governor::State;
use super::waiting::{left, sleep, within};
use crate::call::{CallApproval, CallScope, RedeemedTicket};
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::ticket::TicketFault;
use crate::store::{StoreError, TicketEnd};

/// How long it waits before it looks at a ticket again, twice as long each time, and how often.
///
/// A run takes its key before it uses its ticket; in between, another decision meets the key alone.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 6;

impl State {
    /// Refuses a call that cannot run because another decision about its ticket came first; any other
    /// reason why it cannot run stands.
    ///
    /// A call that an earlier one under its key has answered uses up its ticket by that, unless its
    /// arguments were edited: the answer is not one to these.
    pub(super) async fn is_first(
        &self,
        ticket: &RedeemedTicket,
        stop: &Stop,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        if ticket.is_used {
            return Ok(());
        }
        let (mut look, mut looks) = (FIRST_LOOK, LOOKS);
        loop {
            let end = self.end_of(ticket, left(scope, started)).await;
            match (end, stop) {
                (Ok(Some(end)), _) => return Err(TicketFault::from(end).into()),
                (Ok(None), Stop::Answered(_)) if consent.edited => return Err(answered_before()),
                (Ok(None), Stop::Answered(_)) => {
                    return self.use_ticket(ticket, left(scope, started)).await;
                }
                (Err(error), Stop::Answered(_)) => return Err(store_failed(&error)),
                (Ok(None), Stop::InFlight(_)) if looks > 0 => {
                    within(scope, started, sleep(scope, look)?).await?;
                    (look, looks) = (look * 2, looks - 1);
                }
                (Ok(None) | Err(_), Stop::InFlight(_) | Stop::Refused(_)) => return Ok(()),
            }
        }
    }

    /// Finds out how a ticket has ended, if it has.
    pub(super) async fn end_of(
        &self,
        ticket: &RedeemedTicket,
        limit: Duration,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let found = self.ask_store(limit, self.stores.tickets.find_ticket(ticket.id)).await?;
        // One that was swept had expired.
        Ok(found.map_or(Some(TicketEnd::Expired), |found| found.end))
    }

    /// Uses up the ticket that a call came back by: one call alone may.
    pub(super) async fn use_ticket(
        &self,
        ticket: &RedeemedTicket,
        limit: Duration,
    ) -> Result<(), Box<Refusal>> {
        // Its key was taken over, or this call would have ended there.
        if ticket.is_used {
            return Ok(());
        }
        if self.clock.now().get() >= ticket.expires_at_ms {
            return Err(TicketFault::Expired.into());
        }
        let ended = self.stores.tickets.end_ticket(ticket.id, TicketEnd::Used);
        match self.ask_store(limit, ended).await {
            Ok(None) => Ok(()),
            Ok(Some(end)) => Err(TicketFault::from(end).into()),
            Err(error) => Err(store_failed(&error)),
        }
    }
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_down(error).with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// The edit does not count: its arguments are not those that were answered.
fn answered_before() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Conflict)
        .with_message(
            "a call under the same idempotency key was answered before this one was edited; \
             the edited arguments were not run",
        )
        .with_detail("reason", "answered_before")
        .with_detail("effect", "none");
    Refusal::new(CallStatus::Rejected, failure)
}
