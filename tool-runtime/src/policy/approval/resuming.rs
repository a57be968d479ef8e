//! Takes a call up again by its ticket.

use tool_contracts::{CallStatus, ToolContext};
use uuid::Uuid;

use super::binding::{fingerprint, shown};
use super::deferring::{PURPOSE, SealedCall};
use crate::call::{RedeemedTicket, ToolCall};
use crate::canonical::Digest;
use crate::dispatch::Runtime;
use crate::dispatch::refusal::Refusal;
use crate::policy::asking::{PATIENCE, store_down};
use crate::policy::governor::State;
use crate::policy::idempotency::Known;
use crate::policy::principal::{conversation_of, principal_of};
use crate::policy::ticket::{Ticket, TicketFault, bound_to, open};
use crate::store::{StoreError, TicketEnd, WaitingTicket};

impl Runtime {
    /// Takes a call up again by its ticket: in this process or in another that shares the store and
    /// the ticket keys.
    ///
    /// The call is pending: [approve](ToolCall::approve) it by a name,
    /// [edit](ToolCall::approve_edited) or [decline](ToolCall::decline) it, then
    /// [execute](ToolCall::execute) it. Without a name it is answered as before: whoever holds the
    /// ticket, such as the model, approves nothing by it.
    ///
    /// `cx` says for whom the call is taken up, which has to be whom it was opened for, and brings
    /// the credentials, which do not wait in the store, and the attributes as they are now; everything
    /// else of the context is that of the first call. A ticket that is tampered with, expired, used, foreign or outdated makes a
    /// call that is `Rejected`, with the reason in `details.reason`. One that was used up by a run that
    /// never ended, as where its process crashed, leads to what became of that run.
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume(&self, ticket: &str, cx: &ToolContext) -> ToolCall {
        let parsed = match Ticket::parse(ticket) {
            Ok(parsed) => parsed,
            Err(fault) => return self.not_resumed("", None, cx, &Box::from(fault)),
        };
        match self.take_up(&parsed, cx).await {
            Ok(call) => call,
            Err(refusal) => {
                let id = parsed.call_id().map(Into::into);
                self.not_resumed(parsed.tool(), id, cx, &refusal)
            }
        }
    }

    /// Takes a waiting call up as an approver: somebody of its tenant who was not handed its ticket,
    /// and knows the ticket's id, as from [`waiting_calls`](Self::waiting_calls).
    ///
    /// The call is pending as after [`resume`](Self::resume), and needs a name all the same. It runs
    /// for whom it was opened, never for the approver: with the context it was opened with, and
    /// without credentials, since those do not wait and an approver's are not the caller's.
    ///
    /// `approver` is the approver's own context; a call that cannot be taken up is recorded by it,
    /// under the name of its tool as far as that is known. A ticket of another tenant is one that
    /// does not exist.
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume_waiting(&self, id: Uuid, approver: &ToolContext) -> ToolCall {
        let found = match self.waiting(id, approver.tenant_id()).await {
            Ok(found) => found,
            Err(refusal) => return self.not_resumed("", None, approver, &refusal),
        };
        match self.take_up_waiting(&found).await {
            Ok(call) => call,
            Err(refusal) => {
                let tool = State::of(self).and_then(|state| state.tool_behind(&found));
                self.not_resumed(tool.as_deref().unwrap_or(""), None, approver, &refusal)
            }
        }
    }

    /// Withdraws whatever waits behind tickets in the conversation of this context: its session,
    /// else its run. A newer message of the user calls it.
    ///
    /// Returns how many there were. Calls that the host still holds it withdraws itself, by
    /// [`overtake`](ToolCall::overtake).
    ///
    /// # Errors
    /// The store's.
    pub async fn overtake(&self, cx: &ToolContext) -> Result<usize, StoreError> {
        let Some(state) = State::of(self) else { return Ok(0) };
        state.stores.tickets.overtake_tickets(cx.tenant_id(), conversation_of(cx)).await
    }

    fn not_resumed(
        &self,
        tool: &str,
        call_id: Option<Box<str>>,
        cx: &ToolContext,
        refusal: &Refusal,
    ) -> ToolCall {
        ToolCall::unknown(self.clone(), tool, call_id, Box::default(), cx.clone(), refusal)
    }

    async fn take_up(&self, ticket: &Ticket, cx: &ToolContext) -> Result<ToolCall, Box<Refusal>> {
        let state = State::of(self).ok_or(TicketFault::Unknown)?;
        state.check(ticket)?;
        let principal = principal_of(cx).unwrap_or_default();
        if ticket.tenant() != cx.tenant_id() || *ticket.principal() != *principal {
            return Err(TicketFault::Foreign.into());
        }
        state.has_tool(ticket)?;
        let found = state.found(ticket.id(), ticket.tenant()).await?;
        not_over(&found)?;
        let sealed = state.unseal(&found)?;
        let context = sealed.context().map_err(|_| TicketFault::Unreadable)?;
        let context = context.with_standing_of(cx);
        self.take_up_sealed(ticket, sealed, context, found.end.is_some()).await
    }

    async fn waiting(&self, id: Uuid, tenant: Uuid) -> Result<WaitingTicket, Box<Refusal>> {
        State::of(self).ok_or(TicketFault::Unknown)?.found(id, tenant).await
    }

    async fn take_up_waiting(&self, found: &WaitingTicket) -> Result<ToolCall, Box<Refusal>> {
        let state = State::of(self).ok_or(TicketFault::Unknown)?;
        not_over(found)?;
        let mut sealed = state.unseal(found)?;
        let ticket = state.own_ticket(found, &mut sealed)?;
        state.has_tool(&ticket)?;
        let context = sealed.context().map_err(|_| TicketFault::Unreadable)?;
        let mut call = self.take_up_sealed(&ticket, sealed, context, found.end.is_some()).await?;
        if let Some(ticket) = &mut call.approval_mut().ticket {
            ticket.by_approver = true;
        }
        Ok(call)
    }

    async fn take_up_sealed(
        &self,
        ticket: &Ticket,
        sealed: SealedCall,
        context: ToolContext,
        is_used: bool,
    ) -> Result<ToolCall, Box<Refusal>> {
        let state = State::of(self).ok_or(TicketFault::Unknown)?;
        let id = ticket.call_id().map(Into::into);
        let mut call = self.open(ticket.tool(), id, sealed.sent.into(), context);
        if call.status() != CallStatus::Pending {
            return Ok(call);
        }
        if let Some(edited) = sealed.edited {
            call.edit(edited.into()).map_err(|_| TicketFault::Outdated)?;
        }
        state.same_call(ticket, &call, sealed.preview)?;
        let consent = call.approval_mut();
        consent.ticket = Some(RedeemedTicket {
            id: ticket.id(),
            json: ticket.to_json().into(),
            expires_at_ms: ticket.expires_at().get(),
            by_approver: false,
            is_used,
        });
        consent.preview = sealed.preview.filter(|_| !is_used);
        consent.asker = sealed.asker;
        if is_used {
            state.must_have_begun(&call).await?;
        }
        Ok(call)
    }
}

impl State {
    /// Checks what can be checked without the store.
    fn check(&self, ticket: &Ticket) -> Result<(), TicketFault> {
        ticket.verify(self.keys.as_ref().ok_or(TicketFault::UnknownKey)?)?;
        let is_over = self.clock.now() >= ticket.expires_at();
        if is_over { Err(TicketFault::Expired) } else { Ok(()) }
    }

    /// Checks that the ticket's tool is still the one that it was issued for.
    fn has_tool(&self, ticket: &Ticket) -> Result<(), TicketFault> {
        let same = |plan: &&crate::policy::plan::Plan| {
            *plan.version == *ticket.tool_version() && plan.schema == ticket.schema()
        };
        self.plan_of(ticket.tool()).filter(same).map(drop).ok_or(TicketFault::Outdated)
    }

    /// Takes the ticket that was sealed with its own call.
    pub(super) fn own_ticket(
        &self,
        found: &WaitingTicket,
        sealed: &mut SealedCall,
    ) -> Result<Ticket, TicketFault> {
        let ticket = sealed.ticket.take().ok_or(TicketFault::Unknown)?;
        self.check(&ticket)?;
        let is_own = ticket.id() == found.id && ticket.tenant() == found.tenant;
        if is_own { Ok(ticket) } else { Err(TicketFault::Unreadable) }
    }

    /// Lets a used ticket lead to what became of its call, if that is not known: its process may
    /// have crashed between the ticket's use and the call's end.
    async fn must_have_begun(&self, call: &ToolCall) -> Result<(), Box<Refusal>> {
        let scope = call.scope().ok_or(TicketFault::Used)?;
        match self.known(scope, call.approval()).await? {
            Known::Begun => Ok(()),
            Known::No | Known::Answered => Err(TicketFault::Used.into()),
        }
    }

    /// Names the tool of what waits behind a ticket, or did until it ended.
    fn tool_behind(&self, found: &WaitingTicket) -> Option<String> {
        Some(self.unseal(found).ok()?.ticket?.tool().to_owned())
    }

    /// Finds what waits behind a ticket of this tenant, or did until it ended.
    async fn found(&self, id: Uuid, tenant: Uuid) -> Result<WaitingTicket, Box<Refusal>> {
        let found = self.ask_store(PATIENCE, self.stores.tickets.find_ticket(id)).await;
        let found = found.map_err(|error| store_failed(&error))?;
        Ok(found.filter(|it| it.tenant == tenant).ok_or(TicketFault::Unknown)?)
    }

    pub(super) fn unseal(&self, found: &WaitingTicket) -> Result<SealedCall, TicketFault> {
        let keys = self.keys.as_ref().ok_or(TicketFault::UnknownKey)?;
        let plain = open(&found.payload, keys, &bound_to(PURPOSE, found.id))?;
        serde_json::from_slice(&plain).map_err(|_| TicketFault::Unreadable)
    }

    /// Checks that what waited in the store is what was signed.
    fn same_call(
        &self,
        ticket: &Ticket,
        call: &ToolCall,
        preview: Option<[u8; 32]>,
    ) -> Result<(), TicketFault> {
        let scope = call.scope().ok_or(TicketFault::Outdated)?;
        let keys = self.keys.as_ref().ok_or(TicketFault::UnknownKey)?;
        let hidden = |digest| keys.hide(digest, Some(ticket.key()));
        let arguments = fingerprint(self.plan(scope), scope).ok().and_then(hidden);
        if arguments != Some(ticket.arguments()) {
            return Err(TicketFault::ArgumentsChanged);
        }
        // One that is bound to a dry run is compared with a new one when it is executed.
        let preview = match preview {
            Some(bound) if ticket.bound_preview() => Digest::from_bytes(bound),
            _ => shown(call),
        };
        let same = hidden(preview) == Some(ticket.preview());
        if same { Ok(()) } else { Err(TicketFault::Outdated) }
    }
}

/// Admits what waits, and what was let run: that may lead to what became of it.
fn not_over(found: &WaitingTicket) -> Result<(), TicketFault> {
    match found.end.filter(|end| *end != TicketEnd::Used) {
        Some(end) => Err(end.into()),
        None => Ok(()),
    }
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_down(error)
        .with_message("what waits behind this ticket cannot be looked up; try again later");
    Refusal::new(CallStatus::NotExecuted, failure)
}
