//! Resumes stored calls by their tickets.

use tool_contracts::{CallStatus, ToolContext};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::Approvals;
use super::issuing::{PURPOSE, SealedCall};
use super::preview_binding::{fingerprint, preview_hash};
use crate::call::ToolCall;
use crate::dispatch::RedeemedTicket;
use crate::dispatch::refusal::Refusal;
use crate::policy::idempotency::EarlierRun;
use crate::policy::store_client::{STORE_TIMEOUT, store_failure};
use crate::policy::ticket::{Ticket, TicketRejection, binding, open};
use crate::refusal_reason::RefusalReason;
use crate::runtime::Runtime;
use crate::store::principal::{conversation_of, principal_of};
use crate::store::{StoreError, TicketEnd, WaitingTicket};

/// The tickets of a runtime: calls that wait for approval, here or in another process.
///
/// [`Runtime::tickets`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct Tickets<'r>(&'r Runtime);

impl Runtime {
    /// Returns the tickets: to list waiting calls, to resume them, and to withdraw them.
    #[must_use]
    pub fn tickets(&self) -> Tickets<'_> {
        Tickets(self)
    }
}

impl Tickets<'_> {
    pub(super) fn runtime(&self) -> &Runtime {
        self.0
    }

    pub(in crate::policy) fn approvals(&self) -> &Approvals {
        &self.0.policy_state().approvals
    }

    /// Resumes a call by its ticket, in this process or in another with the same store and ticket
    /// keys.
    ///
    /// The call is pending: [approve](ToolCall::approve), [edit](ToolCall::approve_edited) or
    /// [decline](ToolCall::decline) it, then [execute](ToolCall::execute) it. Without an approval
    /// it is answered as before: the ticket, which a model may hold, approves nothing by itself.
    ///
    /// `cx` must have the tenant and the principal of the first call. It supplies the credentials,
    /// which are not stored, and the current attributes; all other fields are those of the first
    /// call. A ticket that is altered, expired, used, foreign or outdated gives a call that is
    /// `Rejected`, with the reason in `details.reason`. If the ticket was used by a run that did
    /// not end, such as by a crash, the call leads to the outcome of that run.
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume(&self, ticket: &str, cx: &ToolContext) -> ToolCall {
        let parsed = match Ticket::parse(ticket) {
            Ok(parsed) => parsed,
            Err(rejection) => return self.not_resumed(None, "", None, cx, &Box::from(rejection)),
        };
        match self.resume_ticket(&parsed, cx).await {
            Ok(call) => call,
            Err(refusal) => {
                let id = parsed.call_id().map(Into::into);
                let mut call = self.not_resumed(Some(parsed.id()), parsed.tool(), id, cx, &refusal);
                if is_final(&refusal) {
                    call.approval_mut().ended_ticket = Some(parsed.to_json().into());
                }
                call
            }
        }
    }

    /// Resumes a waiting call as an approver of its tenant, by the id of its ticket, as from
    /// [`waiting`](Self::waiting).
    ///
    /// The call is pending as after [`resume`](Self::resume), and needs an approval. It runs for
    /// the principal that opened it, never for the approver: in its first context, without
    /// credentials, because those are not stored and an approver's are not the caller's.
    ///
    /// `approver` is the approver's own context. A call that cannot be resumed is recorded in that
    /// context, under the name of its tool if it is known. A ticket of another tenant is not found.
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume_by_id(&self, id: Uuid, approver: &ToolContext) -> ToolCall {
        let waiting_ticket = match self.stored(id, approver.tenant_id()).await {
            Ok(found) => found,
            Err(refusal) => return self.not_resumed(Some(id), "", None, approver, &refusal),
        };
        match self.resume_found(&waiting_ticket).await {
            Ok(call) => call,
            Err(refusal) => {
                let tool = self.approvals().tool_of(&waiting_ticket);
                let tool = tool.as_deref().unwrap_or("");
                self.not_resumed(Some(id), tool, None, approver, &refusal)
            }
        }
    }

    /// Withdraws the calls behind tickets of this context's conversation: its session, else its
    /// run. Call it for a newer message of the user.
    ///
    /// Returns how many were withdrawn. It does not withdraw calls that the host still holds: use
    /// [`ToolCall::withdraw`].
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn supersede(&self, cx: &ToolContext) -> Result<usize, StoreError> {
        let approvals = self.approvals();
        let superseded =
            approvals.stores.tickets.supersede_tickets(cx.tenant_id(), conversation_of(cx));
        let superseded = approvals.stores.call(STORE_TIMEOUT, superseded).await?;
        approvals.events.notify(superseded);
        Ok(superseded)
    }

    /// Ends a ticket that waits, because a newer message of the user replaces its call. One that has
    /// ended stays as it is.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub async fn supersede_ticket(&self, ticket: &Ticket) -> Result<(), StoreError> {
        let events = &self.approvals().events;
        let (id, end) = (ticket.id(), TicketEnd::Superseded);
        events.end_ticket(id, end, events.none(), STORE_TIMEOUT).await.map(drop)
    }

    fn not_resumed(
        self,
        ticket: Option<Uuid>,
        tool: &str,
        call_id: Option<Box<str>>,
        cx: &ToolContext,
        refusal: &Refusal,
    ) -> ToolCall {
        let services = self.0.services().clone();
        ToolCall::not_resumed(services, ticket, tool, call_id, cx.clone(), refusal)
    }

    async fn resume_ticket(
        &self,
        ticket: &Ticket,
        cx: &ToolContext,
    ) -> Result<ToolCall, Box<Refusal>> {
        let approvals = self.approvals();
        approvals.check(ticket)?;
        let principal = principal_of(cx).unwrap_or_default();
        if ticket.tenant() != cx.tenant_id() || *ticket.principal() != *principal {
            return Err(TicketRejection::Foreign.into());
        }
        self.check_tool(ticket)?;
        let waiting_ticket = approvals.find_stored(ticket.id(), ticket.tenant()).await?;
        must_be_waiting_or_used(&waiting_ticket)?;
        let sealed = approvals.unseal(&waiting_ticket)?;
        let context = sealed.context().map_err(|_| TicketRejection::Unreadable)?;
        let context = context.with_authority_of(cx);
        Ok(self.resume_sealed(ticket, sealed, context, waiting_ticket.end.is_some()).await)
    }

    /// Checks that the tool has the version and schema for which the ticket was issued.
    fn check_tool(self, ticket: &Ticket) -> Result<(), TicketRejection> {
        let tool = self.0.registered(ticket.tool()).ok_or(TicketRejection::Outdated)?;
        let plan = &tool.plan;
        let same = *plan.version == *ticket.tool_version() && plan.schema == ticket.schema();
        if same { Ok(()) } else { Err(TicketRejection::Outdated) }
    }

    async fn stored(&self, id: Uuid, tenant: Uuid) -> Result<WaitingTicket, Box<Refusal>> {
        self.approvals().find_stored(id, tenant).await
    }

    async fn resume_found(&self, found: &WaitingTicket) -> Result<ToolCall, Box<Refusal>> {
        let approvals = self.approvals();
        must_be_waiting_or_used(found)?;
        let mut sealed = approvals.unseal(found)?;
        let ticket = approvals.own_ticket(found, &mut sealed)?;
        self.check_tool(&ticket)?;
        let context = sealed.context().map_err(|_| TicketRejection::Unreadable)?;
        let mut call = self.resume_sealed(&ticket, sealed, context, found.end.is_some()).await;
        if let Some(ticket) = &mut call.approval_mut().ticket {
            ticket.by_approver = true;
        }
        Ok(call)
    }

    /// Opens the sealed call. One that cannot be resumed is refused, so that it leaves one record.
    async fn resume_sealed(
        &self,
        ticket: &Ticket,
        mut sealed: SealedCall,
        context: ToolContext,
        is_used: bool,
    ) -> ToolCall {
        let id = ticket.call_id().map(Into::into);
        let sent = std::mem::take(&mut sealed.sent);
        let mut call = self.0.open(ticket.tool(), id, sent.into(), context);
        if call.status() != CallStatus::Pending {
            return call;
        }
        match self.restore(&mut call, ticket, sealed, is_used).await {
            Ok(()) => self.describe_budgets(&mut call).await,
            Err(refusal) => {
                call.approval_mut().rejected_ticket = Some(ticket.id());
                let _ = call.refuse(|| refusal);
            }
        }
        call
    }

    /// Describes what the call would use of its budgets now; nothing if the balances cannot be read.
    async fn describe_budgets(self, call: &mut ToolCall) {
        if let Ok(Some(spending)) = self.approvals().spending.look(call).await {
            let approval = call.approval_mut();
            approval.budget_notes = spending.notes();
            approval.visible_budget_notes = spending.visible_notes();
        }
    }

    /// Gives an opened call the edits and the approval state that were sealed with it.
    async fn restore(
        &self,
        call: &mut ToolCall,
        ticket: &Ticket,
        sealed: SealedCall,
        is_used: bool,
    ) -> Result<(), Box<Refusal>> {
        let approvals = self.approvals();
        if let (Some(scope), Some(place)) = (call.scope(), sealed.place) {
            scope.set_place(place);
        }
        if let Some(edited) = sealed.edited {
            call.edit(edited.into()).map_err(|_| TicketRejection::Outdated)?;
        }
        approvals.must_be_signed_call(ticket, call, sealed.preview)?;
        let approval = call.approval_mut();
        approval.ticket = Some(RedeemedTicket {
            id: ticket.id(),
            json: ticket.to_json().into(),
            expires_at_ms: ticket.expires_at().get(),
            by_approver: false,
            is_used,
        });
        approval.preview = sealed.preview.filter(|_| !is_used);
        approval.preview_result = sealed.preview_result.filter(|_| !is_used);
        approval.requester = sealed.requester;
        approval.proofs = sealed.proofs;
        if is_used {
            approvals.must_have_begun(call).await?;
        }
        Ok(())
    }
}

impl Approvals {
    /// Verifies the signature and the expiry.
    fn check(&self, ticket: &Ticket) -> Result<(), TicketRejection> {
        ticket.verify(self.keys.as_deref().ok_or(TicketRejection::UnknownKey)?)?;
        let is_over = self.stores.now() >= ticket.expires_at();
        if is_over { Err(TicketRejection::Expired) } else { Ok(()) }
    }

    /// Takes the ticket out of its own sealed call.
    pub(super) fn own_ticket(
        &self,
        found: &WaitingTicket,
        sealed: &mut SealedCall,
    ) -> Result<Ticket, TicketRejection> {
        let ticket = sealed.ticket.take().ok_or(TicketRejection::Unknown)?;
        self.check(&ticket)?;
        let is_own = ticket.id() == found.id && ticket.tenant() == found.tenant;
        if is_own { Ok(ticket) } else { Err(TicketRejection::Unreadable) }
    }

    /// Accepts a used ticket if the outcome of its run is not known: its process may have crashed
    /// between the ticket's use and the call's end.
    async fn must_have_begun(&self, call: &ToolCall) -> Result<(), Box<Refusal>> {
        let scope = call.scope().ok_or(TicketRejection::Used)?;
        match self.claims.earlier_run(scope, call.approval()).await? {
            EarlierRun::Begun => Ok(()),
            EarlierRun::None | EarlierRun::Answered | EarlierRun::OtherArguments => {
                Err(TicketRejection::Used.into())
            }
        }
    }

    /// Returns the tool of a stored call, if it can be decrypted.
    fn tool_of(&self, found: &WaitingTicket) -> Option<String> {
        Some(self.unseal(found).ok()?.ticket?.tool().to_owned())
    }

    /// Finds the stored call of a ticket of this tenant, waiting or ended.
    async fn find_stored(&self, id: Uuid, tenant: Uuid) -> Result<WaitingTicket, Box<Refusal>> {
        let lookup = self.stores.find_ticket(id, tenant).await;
        let stored_ticket = lookup.map_err(|error| store_failed(&error))?;
        Ok(stored_ticket.ok_or(TicketRejection::Unknown)?)
    }

    pub(super) fn unseal(&self, found: &WaitingTicket) -> Result<SealedCall, TicketRejection> {
        let keys = self.keys.as_deref().ok_or(TicketRejection::UnknownKey)?;
        let plain = open(&found.payload, keys, &binding(PURPOSE, found.id))?;
        serde_json::from_slice(&plain).map_err(|_| TicketRejection::Unreadable)
    }

    /// Checks that the stored call is the one that was signed.
    fn must_be_signed_call(
        &self,
        ticket: &Ticket,
        call: &ToolCall,
        preview: Option<[u8; 32]>,
    ) -> Result<(), TicketRejection> {
        let scope = call.scope().ok_or(TicketRejection::Outdated)?;
        let keys = self.keys.as_deref().ok_or(TicketRejection::UnknownKey)?;
        let keyed = |digest| keys.keyed_hash(digest, Some(ticket.key()));
        let arguments = fingerprint(scope.plan(), scope).ok().and_then(keyed);
        if arguments != Some(ticket.arguments()) {
            return Err(TicketRejection::ArgumentsChanged);
        }
        // A preview that is bound to a dry run is compared with a new dry run at execution.
        let preview = match preview {
            Some(bound) if ticket.bound_preview() => Digest::from_bytes(bound),
            Some(_) | None => preview_hash(call),
        };
        let same = keyed(preview) == Some(ticket.preview());
        if same { Ok(()) } else { Err(TicketRejection::Outdated) }
    }
}

/// Returns whether the ticket never leads to a run again, so that its refusal answers the call.
fn is_final(refusal: &Refusal) -> bool {
    let reason = refusal.detail.details().and_then(|details| details.get("reason"));
    let reason = reason.and_then(serde_json::Value::as_str).and_then(RefusalReason::parse);
    FINAL_REASONS.iter().any(|rejection| reason == Some(rejection.reason()))
}

/// The rejections after which a ticket never leads to a run again.
const FINAL_REASONS: [TicketRejection; 7] = [
    TicketRejection::Expired,
    TicketRejection::Used,
    TicketRejection::Declined,
    TicketRejection::Superseded,
    TicketRejection::Outdated,
    TicketRejection::ArgumentsChanged,
    TicketRejection::Unreadable,
];

/// Accepts a ticket that is waiting or used: a used one may lead to the outcome of its run.
fn must_be_waiting_or_used(found: &WaitingTicket) -> Result<(), TicketRejection> {
    match found.end.filter(|end| *end != TicketEnd::Used) {
        Some(end) => Err(end.into()),
        None => Ok(()),
    }
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_failure(error).with_message("the store of tickets failed; try again later");
    Refusal::new(CallStatus::NotExecuted, failure)
}
