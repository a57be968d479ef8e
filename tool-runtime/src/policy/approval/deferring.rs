//! Puts a call away behind a ticket, until somebody has decided.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tool_contracts::{CallStatus, ErrorCode, ToolContext, ToolErrorDetail};
use uuid::Uuid;

use super::binding::{fingerprint, not_canonical, shown};
use super::needs_confirmation;
use crate::call::{CallScope, ToolCall};
use crate::canonical::Digest;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::governor::State;
use crate::policy::idempotency::SHARE_WAIT_MS;
use crate::policy::principal::{asker_of, conversation_of, principal_of};
use crate::policy::ticket::{Claims, KeyRing, Ticket, TicketFault, bound_to, seal, sign};
use crate::store::{StoreError, TicketShare, WaitingTicket};

/// How many bytes of sealed calls may wait for one caller in a tenant.
const TICKET_BYTES: usize = 8 * 1024 * 1024;

/// What the sealed payload is bound to, beside its ticket.
pub(super) const PURPOSE: &str = "tool-runtime/waiting-call/v1";

/// Says why a call could not be put away behind a ticket. It is pending as it was.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum TicketError {
    /// The call is not pending any more.
    #[error("the call is not pending, so there is nothing to wait for")]
    NotPending,
    /// The arguments, or the names around them, do not fit into a ticket; the detail says why.
    #[error("the call cannot wait behind a ticket: {}", .0.message())]
    Refused(Box<ToolErrorDetail>),
    /// The system gave no random bytes to sign and seal with, or sealing failed.
    #[error("the call cannot be sealed: {0}")]
    Sealing(String),
    /// The store could not keep the call.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A call as it waits in the store, sealed. What has a default was not sealed from the beginning.
#[derive(Serialize, Deserialize)]
pub(super) struct SealedCall {
    /// The arguments as the model sent them.
    pub(super) sent: String,
    /// The arguments as a person changed them, if one did.
    pub(super) edited: Option<String>,
    /// Without credentials.
    pub(super) cx: serde_json::Value,
    /// The hash of the dry run's answer that the decision is bound to.
    pub(super) preview: Option<[u8; 32]>,
    /// The ticket itself, so that an approver finds it who was not handed it.
    #[serde(default)]
    pub(super) ticket: Option<Ticket>,
    /// The arguments as a person may see them, secrets masked.
    #[serde(default)]
    pub(super) shown: Option<String>,
    /// Why the host's own rule asks, if it does.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// The caller that asked, as its transport wrote it; none where the host opened the call itself.
    #[serde(default)]
    pub(super) asker: Option<Box<str>>,
}

impl SealedCall {
    fn of(
        call: &ToolCall,
        scope: &CallScope,
        ticket: &Ticket,
        reason: Option<&str>,
    ) -> serde_json::Result<Self> {
        let edited = !scope.edits().is_empty();
        Ok(Self {
            sent: scope.sent().raw().to_owned(),
            edited: edited.then(|| scope.raw().to_owned()),
            cx: serde_json::to_value(scope.cx().for_log())?,
            preview: call.approval().preview,
            ticket: Some(ticket.clone()),
            shown: call.preview().arguments().map(str::to_owned),
            reason: reason.map(str::to_owned),
            asker: call.approval().asker.clone(),
        })
    }

    pub(super) fn context(&self) -> serde_json::Result<ToolContext> {
        ToolContext::deserialize(&self.cx)
    }
}

impl State {
    /// Answers a call with a ticket that leads back to it.
    pub(super) async fn defer(&self, call: &ToolCall, reason: Option<&str>) -> Box<Refusal> {
        match self.issue(call, reason).await {
            Ok(ticket) => needs_confirmation(&ticket.to_json()),
            Err(TicketError::Refused(detail)) => Refusal::not_run(*detail),
            // A person is needed, and here is no way to reach one.
            Err(error) => {
                let failure = Failure::of(ErrorCode::NeedsUserConfirmation)
                    .with_detail("reason", "no_ticket")
                    .with_log(error.to_string());
                Refusal::new(CallStatus::NotExecuted, failure)
            }
        }
    }

    /// Puts a call away, and returns the ticket that leads back to it.
    async fn issue(&self, call: &ToolCall, reason: Option<&str>) -> Result<Ticket, TicketError> {
        let Some(scope) = call.scope() else { return Err(TicketError::NotPending) };
        let keys = self.keys.as_ref();
        let keys = keys.ok_or_else(|| TicketError::Sealing("no keys".to_owned()))?;
        let arguments = fingerprint(self.plan(scope), scope);
        let arguments = arguments.map_err(|error| refused(*not_canonical(&error)))?;
        let ticket = sign(self.claims(call, scope, arguments, keys), keys).map_err(fault)?;
        let sealed = SealedCall::of(call, scope, &ticket, reason);
        let sealed = sealed.and_then(|it| serde_json::to_vec(&it));
        let sealed = sealed.map_err(|error| TicketError::Sealing(error.to_string()))?;
        let payload = seal(&sealed, keys, &bound_to(PURPOSE, ticket.id()));
        let payload = payload.map_err(|error| TicketError::Sealing(error.to_string()))?;
        let (id, tenant, end) = (ticket.id(), ticket.tenant(), ticket.expires_at());
        let waiting = WaitingTicket::new(id, tenant, conversation_of(scope.cx()), payload, end);
        let waiting = waiting.held_by(asker_of(scope.cx()));
        let share = TicketShare::new(self.tickets_per_caller, TICKET_BYTES);
        let put = || {
            let now = self.clock.now();
            self.stores.tickets.put_ticket_within(waiting.clone(), share, now)
        };
        if !self.with_room(put).await? {
            self.outcomes.over_share();
            return Err(refused(share_full()));
        }
        self.sweep_if_due().await;
        Ok(ticket)
    }

    fn claims(
        &self,
        call: &ToolCall,
        scope: &CallScope,
        arguments: Digest,
        keys: &KeyRing,
    ) -> Claims {
        let (plan, now) = (self.plan(scope), self.clock.now());
        let bound = call.approval().preview.map(Digest::from_bytes);
        // Hidden, so that whoever holds the ticket cannot guess a secret by its hash.
        let hidden = |digest| keys.hide(digest, None).unwrap_or(digest);
        Claims {
            id: Uuid::now_v7(),
            call_id: scope.call_id().map(Into::into),
            tenant: scope.cx().tenant_id(),
            principal: principal_of(scope.cx()).unwrap_or_default(),
            tool: plan.tool.clone(),
            tool_version: plan.version.clone(),
            schema: plan.schema,
            arguments: hidden(arguments),
            preview: hidden(bound.unwrap_or_else(|| shown(call))),
            bound_preview: bound.is_some(),
            issued_at: now,
            expires_at: now.after(self.ticket_lifetime),
        }
    }
}

/// Refuses a ticket to a caller that has as many waiting as it may.
fn share_full() -> Refusal {
    let failure = Failure::of(ErrorCode::RateLimited)
        .with_message(
            "too many calls of this caller wait for a decision: some have to be decided first",
        )
        .with_retry_after_ms(SHARE_WAIT_MS)
        .with_detail("reason", "waiting_tickets_full")
        .with_detail("effect", "none");
    *Refusal::new(CallStatus::NotExecuted, failure)
}

fn refused(refusal: Refusal) -> TicketError {
    TicketError::Refused(Box::new(refusal.detail))
}

fn fault(fault: TicketFault) -> TicketError {
    TicketError::Refused(Box::new(Failure::from(fault).into_detail(None)))
}

impl ToolCall {
    /// Puts the call away behind a ticket: JSON that may travel, to another process too.
    ///
    /// The ticket holds no argument; the call waits sealed in the store. Hand it to whoever decides,
    /// and go on with [`Runtime::resume`](crate::Runtime::resume). This call is answered
    /// `NEEDS_USER_CONFIRMATION` and cannot be executed any more, so that it never runs twice.
    ///
    /// # Errors
    /// The call is not pending, has no canonical arguments, or cannot be kept: it is as it was.
    pub async fn ticket(&mut self) -> Result<Ticket, TicketError> {
        if self.status() != CallStatus::Pending || self.approval().ticket.is_some() {
            return Err(TicketError::NotPending);
        }
        let runtime = self.runtime().clone();
        let state = State::of(&runtime).ok_or(TicketError::NotPending)?;
        // The decision is bound to a dry run here as well, where the rules ask for it.
        state.rehearse(self).await.map_err(|refusal| refused(*refusal))?;
        let ticket = state.issue(self, None).await?;
        let _ = self.refuse(|| needs_confirmation(&ticket.to_json()));
        Ok(ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_before_it_held_its_ticket_is_read_on() {
        let before = r#"{"sent":"{}","edited":null,"cx":{"tenant_id":"x"},"preview":null}"#;
        let sealed: SealedCall = serde_json::from_str(before).expect("a sealed call");
        assert_eq!(sealed.sent, "{}");
        assert!(sealed.ticket.is_none() && sealed.shown.is_none() && sealed.reason.is_none());
    }
}
