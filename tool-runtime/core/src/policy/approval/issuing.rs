//! Issues tickets: stores a call sealed until it is decided.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tool_contracts::{CallStatus, ErrorCode, ToolContext, ToolErrorDetail};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::Approvals;
use super::needs_confirmation;
use super::preview_binding::{fingerprint, makes_dry_run, not_canonical, preview_hash};
use crate::call::ToolCall;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{AwaitedTicket, PreviewResult};
use crate::failure::Failure;
use crate::key_ring::KeyRing;
use crate::policy::idempotency::{EarlierRun, QUOTA_RETRY_AFTER_MS, key_reused};
use crate::policy::ticket::{Ticket, TicketClaims, TicketRejection, binding, seal, sign};
use crate::refusal_reason::RefusalReason;
use crate::store::principal::{caller_of, conversation_of, principal_of};
use crate::store::{StoreError, TicketQuota, WaitingTicket};
use crate::tool::CallScope;

/// The quota of sealed calls of one caller in a tenant, in bytes.
const TICKET_BYTES: usize = 8 * 1024 * 1024;

/// The purpose in the binding of a sealed call.
pub(super) const PURPOSE: &str = "tool-runtime/waiting-call/v1";

/// The reason why no ticket was issued. The call is still pending.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum TicketIssueError {
    /// The call is not pending.
    #[error("the call is not pending, so no ticket can be issued")]
    NotPending,
    /// The call cannot be stored behind a ticket, such as for an id that is too long; see the
    /// detail.
    #[error("no ticket can be issued for the call: {}", .0.message())]
    Refused(Box<ToolErrorDetail>),
    /// The operating system has no random bytes for a key, or encryption failed.
    #[error("the call cannot be sealed: {0}")]
    Sealing(String),
    /// The store could not keep the call.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The plain text of a sealed call. Fields with a default are missing in older versions.
#[derive(Serialize, Deserialize)]
pub(super) struct SealedCall {
    /// The arguments as the model sent them.
    pub(super) sent: String,
    /// The arguments as a person edited them, if they were edited.
    pub(super) edited: Option<String>,
    /// The context, without credentials.
    pub(super) cx: serde_json::Value,
    /// The hash of the dry run's answer to which the decision is bound.
    pub(super) preview: Option<[u8; 32]>,
    /// The ticket itself, for an approver who finds the call by its id.
    #[serde(default)]
    pub(super) ticket: Option<Ticket>,
    /// The arguments as an approver sees them, with secrets masked.
    #[serde(default)]
    pub(super) shown: Option<String>,
    /// The result of the tool's preview function, as an approver sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) preview_result: Option<PreviewResult>,
    /// The reason of the host's access policy, if the policy asks.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// The caller that opened the call, as its transport wrote it; none if the host itself did.
    #[serde(default, rename = "asker")]
    pub(super) requester: Option<Box<str>>,
    /// The place of the call, from which its key is derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<Box<str>>,
    /// The SHA-256 of each proof of what the call may spend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proofs: Option<Vec<Box<str>>>,
}

impl SealedCall {
    fn new(
        call: &ToolCall,
        scope: &CallScope,
        ticket: &Ticket,
        reason: Option<&str>,
    ) -> serde_json::Result<Self> {
        let edited = !scope.edits().is_empty();
        Ok(Self {
            sent: scope.original_call().raw().to_owned(),
            edited: edited.then(|| scope.raw().to_owned()),
            cx: serde_json::to_value(scope.cx().for_log())?,
            preview: call.approval().preview,
            ticket: Some(ticket.clone()),
            shown: call.preview().arguments().map(str::to_owned),
            preview_result: call.approval().preview_result.clone(),
            reason: reason.map(str::to_owned),
            requester: call.approval().requester.clone(),
            place: scope.place().map(Into::into),
            proofs: call.approval().proofs.clone(),
        })
    }

    pub(super) fn context(&self) -> serde_json::Result<ToolContext> {
        ToolContext::deserialize(&self.cx)
    }
}

impl Approvals {
    /// Stores a call, and returns the refusal that contains its ticket.
    pub(super) async fn defer(&self, call: &mut ToolCall, reason: Option<&str>) -> Box<Refusal> {
        match self.issue(call, reason).await {
            Ok(ticket) => needs_confirmation(call, AwaitedTicket::from(&ticket)),
            Err(TicketIssueError::Refused(detail)) => Refusal::not_run(*detail),
            // The call needs an approval, and cannot be stored until it is given.
            Err(error) => {
                let failure = Failure::from_code(ErrorCode::NeedsUserConfirmation)
                    .with_reason(RefusalReason::NoTicket)
                    .with_log(error.to_string());
                Refusal::new(CallStatus::NotExecuted, failure)
            }
        }
    }

    /// Stores a call sealed, and returns its ticket.
    async fn issue(
        &self,
        call: &ToolCall,
        reason: Option<&str>,
    ) -> Result<Ticket, TicketIssueError> {
        let Some(scope) = call.scope() else { return Err(TicketIssueError::NotPending) };
        let keys = self.keys.as_deref();
        let keys = keys.ok_or_else(|| TicketIssueError::Sealing("no keys".to_owned()))?;
        let arguments = fingerprint(scope.plan(), scope);
        let arguments = arguments.map_err(|error| refused(*not_canonical(&error)))?;
        let ticket =
            sign(self.claims(call, scope, arguments, keys), keys).map_err(refused_issue)?;
        let sealed = SealedCall::new(call, scope, &ticket, reason);
        let sealed = sealed.and_then(|it| serde_json::to_vec(&it));
        let sealed = sealed.map_err(|error| TicketIssueError::Sealing(error.to_string()))?;
        let payload = seal(&sealed, keys, &binding(PURPOSE, ticket.id()));
        let payload = payload.map_err(|error| TicketIssueError::Sealing(error.to_string()))?;
        let (id, tenant, end) = (ticket.id(), ticket.tenant(), ticket.expires_at());
        let waiting = WaitingTicket::new(id, tenant, conversation_of(scope.cx()), payload, end);
        let waiting = waiting.with_quota_owner(caller_of(scope.cx()));
        let quota = TicketQuota::new(self.tickets_per_caller, TICKET_BYTES);
        let batch = self.events.requested(scope, &ticket, reason).await;
        let messages = batch.messages.len();
        let put = || self.stores.put_ticket(waiting.clone(), quota, batch.clone());
        if !self.stores.with_room(put).await? {
            self.stores.outcomes.record_over_quota();
            return Err(refused(quota_exceeded()));
        }
        self.events.notify(messages);
        self.stores.sweep_if_due().await;
        Ok(ticket)
    }

    fn claims(
        &self,
        call: &ToolCall,
        scope: &CallScope,
        arguments: Digest,
        keys: &KeyRing,
    ) -> TicketClaims {
        let (plan, now) = (scope.plan(), self.stores.now());
        let bound = call.approval().preview.map(Digest::from_bytes);
        // Keyed, so that the holder of the ticket cannot guess a secret by its hash.
        let keyed = |digest| keys.keyed_hash(digest, None).unwrap_or(digest);
        TicketClaims {
            id: Uuid::now_v7(),
            call_id: scope.call_id().map(Into::into),
            tenant: scope.cx().tenant_id(),
            principal: principal_of(scope.cx()).unwrap_or_default(),
            tool: plan.tool.clone(),
            tool_version: plan.version.clone(),
            schema: plan.schema,
            arguments: keyed(arguments),
            preview: keyed(bound.unwrap_or_else(|| preview_hash(call))),
            bound_preview: bound.is_some(),
            issued_at: now,
            expires_at: now.after(self.ticket_lifetime),
        }
    }
}

/// Refuses a ticket to a caller that has reached its quota.
fn quota_exceeded() -> Refusal {
    let failure = Failure::from_code(ErrorCode::RateLimited)
        .with_message(
            "too many calls of this caller wait for a decision: some have to be decided first",
        )
        .with_retry_after_ms(QUOTA_RETRY_AFTER_MS)
        .with_reason(RefusalReason::WaitingTicketsFull)
        .with_effect_none();
    *Refusal::new(CallStatus::NotExecuted, failure)
}

fn refused(refusal: Refusal) -> TicketIssueError {
    TicketIssueError::Refused(Box::new(refusal.detail))
}

fn refused_issue(rejection: TicketRejection) -> TicketIssueError {
    TicketIssueError::Refused(Box::new(Failure::from(rejection).into_detail(None)))
}

impl ToolCall {
    /// Stores the call and issues its ticket: JSON that may be sent to another process.
    ///
    /// The ticket contains no arguments; the call is stored encrypted. Send the ticket to an
    /// approver, and continue with [`Tickets::resume`](super::Tickets::resume). This call is
    /// answered `NEEDS_USER_CONFIRMATION` and cannot be executed any more, so that it never runs
    /// twice.
    ///
    /// # Errors
    /// Returns an error if the call is not pending, its arguments have no canonical form, or it
    /// cannot be stored. The call is then unchanged.
    pub async fn ticket(&mut self) -> Result<Ticket, TicketIssueError> {
        if self.status() != CallStatus::Pending || self.approval().ticket.is_some() {
            return Err(TicketIssueError::NotPending);
        }
        let policy = self.services().policy_state().clone();
        let approvals = &policy.approvals;
        let earlier = match self.scope() {
            Some(scope) => approvals.claims.earlier_run(scope, self.approval()).await,
            None => Ok(EarlierRun::None),
        };
        let earlier = earlier.map_err(|refusal| refused(*refusal))?;
        if earlier == EarlierRun::OtherArguments {
            return Err(refused(*key_reused()));
        }
        // The approver is shown a dry run here too, and the decision bound to it by the same rules.
        if makes_dry_run(self) && earlier == EarlierRun::None {
            approvals.dry_run(self).await.map_err(|refusal| refused(*refusal))?;
        }
        let ticket = approvals.issue(self, None).await?;
        let refusal = needs_confirmation(self, AwaitedTicket::from(&ticket));
        let _ = self.refuse(|| refusal);
        Ok(ticket)
    }
}

impl From<&Ticket> for AwaitedTicket {
    fn from(ticket: &Ticket) -> Self {
        Self { id: ticket.id(), json: ticket.to_json().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_sealed_without_its_ticket_is_still_read() {
        let before = r#"{"sent":"{}","edited":null,"cx":{"tenant_id":"x"},"preview":null}"#;
        let sealed: SealedCall = serde_json::from_str(before).expect("a sealed call");
        assert_eq!(sealed.sent, "{}");
        assert!(sealed.ticket.is_none() && sealed.shown.is_none() && sealed.reason.is_none());
    }
}
