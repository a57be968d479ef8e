//! Takes a call up again by its ticket.

use tool_contracts::{CallStatus, ToolContext};

use super::binding::{fingerprint, shown};
use super::deferring::{PURPOSE, WaitingCall};
use crate::call::{HeldTicket, ToolCall};
use crate::canonical::Digest;
use crate::dispatch::Runtime;
use crate::dispatch::refusal::Refusal;
use crate::policy::asking::{PATIENCE, store_down};
use crate::policy::governor::State;
use crate::policy::idempotency::Known;
use crate::policy::principal::{conversation_of, principal_of};
use crate::policy::ticket::{Ticket, TicketFault, bound_to, open};
use crate::store::{StoreError, TicketEnd};

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
        state.check(ticket, cx)?;
        let (waiting, is_used) = state.waiting(ticket).await?;
        let context = waiting.context().map_err(|_| TicketFault::Unreadable)?;
        let context = context.with_standing_of(cx);
        let id = ticket.call_id().map(Into::into);
        let mut call = self.open(ticket.tool(), id, waiting.sent.into(), context);
        if call.status() != CallStatus::Pending {
            return Ok(call);
        }
        if let Some(edited) = waiting.edited {
            call.edit(edited.into()).map_err(|_| TicketFault::Outdated)?;
        }
        state.same_call(ticket, &call, waiting.preview)?;
        let consent = call.consent_mut();
        consent.ticket = Some(HeldTicket {
            id: ticket.id(),
            json: ticket.to_json().into(),
            expires_at_ms: ticket.expires_at().get(),
            is_used,
        });
        consent.preview = waiting.preview.filter(|_| !is_used);
        if is_used {
            state.must_have_begun(&call).await?;
        }
        Ok(call)
    }
}

impl State {
    /// Checks what can be checked without the store.
    fn check(&self, ticket: &Ticket, cx: &ToolContext) -> Result<(), TicketFault> {
        ticket.verify(self.keys.as_ref().ok_or(TicketFault::UnknownKey)?)?;
        if self.clock.now() >= ticket.expires_at() {
            return Err(TicketFault::Expired);
        }
        let principal = principal_of(cx).unwrap_or_default();
        if ticket.tenant() != cx.tenant_id() || *ticket.principal() != *principal {
            return Err(TicketFault::Foreign);
        }
        let same = |plan: &&crate::policy::plan::Plan| {
            *plan.version == *ticket.tool_version() && plan.schema == ticket.schema()
        };
        self.plan_of(ticket.tool()).filter(same).map(drop).ok_or(TicketFault::Outdated)
    }

    /// Lets a used ticket lead to what became of its call, if that is not known: its process may
    /// have crashed between the ticket's use and the call's end.
    async fn must_have_begun(&self, call: &ToolCall) -> Result<(), Box<Refusal>> {
        let scope = call.scope().ok_or(TicketFault::Used)?;
        match self.known(scope, call.consent()).await? {
            Known::Begun => Ok(()),
            Known::No | Known::Answered => Err(TicketFault::Used.into()),
        }
    }

    /// Finds and unseals the call that waits behind a ticket; tells whether the ticket is used up.
    async fn waiting(&self, ticket: &Ticket) -> Result<(WaitingCall, bool), Box<Refusal>> {
        let found = self.stores.tickets.find_ticket(ticket.id());
        let found = self.ask_store(PATIENCE, found).await;
        let found = found.map_err(|error| store_failed(&error))?;
        let found = found.ok_or(TicketFault::Unknown)?;
        if let Some(end) = found.end.filter(|end| *end != TicketEnd::Used) {
            return Err(TicketFault::from(end).into());
        }
        let keys = self.keys.as_ref().ok_or(TicketFault::UnknownKey)?;
        let plain = open(&found.payload, keys, &bound_to(PURPOSE, ticket.id()));
        let plain = plain?;
        let call = serde_json::from_slice(&plain);
        let call = call.map_err(|_| TicketFault::Unreadable)?;
        Ok((call, found.end.is_some()))
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

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_down(error)
        .with_message("what waits behind this ticket cannot be looked up; try again later");
    Refusal::new(CallStatus::NotExecuted, failure)
}
