//! Makes the messages of events, for each receiver, sealed until they are sent.

use std::sync::Arc;
use std::time::Duration;

use event_listener::{Event, EventListener};
use serde::Serialize;
use serde_json::value::RawValue;
use tool_runtime_schema::redact::{Redactor, free_text};
use uuid::Uuid;

use super::payload::{
    DamagedLedger, EndedApproval, LowBudget, RequestedApproval, Rfc3339, TicketDecision,
    UnknownOutcome, write,
};
use super::{EventReceiver, EventType};
use crate::key_ring::KeyRing;
use crate::log::log_event;
use crate::policy::spending::BudgetWarning;
use crate::policy::store_client::{StoreClient, log_store_error};
use crate::policy::ticket::{Ticket, binding, open, seal};
use crate::store::{
    Fence, FollowedTicket, OutboxBatch, OutboxMessage, ScopedKey, StoreError, TicketEnd, UnixMillis,
};
use crate::tool::CallScope;
use crate::tool::redacting::redacted;

/// The purpose in the binding of a sealed event.
const PURPOSE: &str = "tool-runtime/event/v1";

/// The receivers of a runtime's events.
pub(in crate::policy) struct EventAnnouncer {
    pub(in crate::policy) stores: Arc<StoreClient>,
    /// None if the host sets no keys and the system has no random bytes.
    pub(in crate::policy) keys: Option<Arc<KeyRing>>,
    pub(in crate::policy) receivers: Vec<EventReceiver>,
    pub(in crate::policy) max_queued: usize,
    /// The time for which an event is stored that is not delivered.
    pub(in crate::policy) lifetime: Duration,
    /// Notified when this process has stored events.
    pub(in crate::policy) stored: Event,
}

/// An event that is not written yet.
#[derive(Clone, Copy)]
struct NewEvent {
    event_type: EventType,
    tenant: Uuid,
    /// The time that the event names.
    timestamp: UnixMillis,
    follows: Option<FollowedTicket>,
    due_at: UnixMillis,
}

impl EventAnnouncer {
    /// Makes the messages of a call that waits: the request itself, and those that follow the end of its ticket.
    pub(in crate::policy) async fn requested(
        &self,
        scope: &CallScope,
        ticket: &Ticket,
        reason: Option<&str>,
    ) -> OutboxBatch {
        if self.receivers.is_empty() {
            return self.none();
        }
        let mut messages = Vec::new();
        let (tenant, issued_at) = (ticket.tenant(), ticket.issued_at());
        let event = |event_type| NewEvent {
            event_type,
            tenant,
            timestamp: issued_at,
            follows: None,
            due_at: issued_at,
        };
        let arguments = self.arguments(scope, tenant).await;
        let reason = reason.map(free_text);
        self.add(&mut messages, event(EventType::ApprovalRequested), |receiver| {
            RequestedApproval {
                ticket_id: ticket.id(),
                tenant_id: tenant,
                tool: ticket.tool(),
                tool_version: ticket.tool_version(),
                principal: ticket.principal(),
                trace_id: scope.cx().trace_id(),
                expires_at: Rfc3339(ticket.expires_at()),
                reason: reason.as_deref(),
                url: receiver.console_url(format_args!("approvals/{}", ticket.id())),
                arguments: arguments.as_deref().filter(|_| receiver.has_arguments),
            }
        });
        let ended_approval = EndedApproval::new(ticket.id(), tenant, ticket.tool());
        let follows = |end| Some(FollowedTicket { ticket: ticket.id(), end });
        let expires_at = ticket.expires_at();
        let expired_event = NewEvent {
            timestamp: expires_at,
            follows: follows(TicketEnd::Expired),
            due_at: expires_at,
            ..event(EventType::ApprovalExpired)
        };
        self.add(&mut messages, expired_event, |_| ended_approval);
        let superseded_event = NewEvent {
            follows: follows(TicketEnd::Superseded),
            due_at: expires_at,
            ..event(EventType::ApprovalDecided)
        };
        let decision = ended_approval.decided(TicketDecision::Superseded);
        self.add(&mut messages, superseded_event, |_| decision);
        self.batch(messages)
    }

    /// Makes the messages of a decision about a ticket.
    pub(in crate::policy) fn decided(
        &self,
        ticket: Uuid,
        tenant: Uuid,
        tool: &str,
        decision: TicketDecision<'_>,
    ) -> OutboxBatch {
        let mut messages = Vec::new();
        let event = self.event_now(EventType::ApprovalDecided, tenant);
        let decided = EndedApproval::new(ticket, tenant, tool).decided(decision);
        self.add(&mut messages, event, |_| decided);
        self.batch(messages)
    }

    /// Makes the messages of a write whose outcome became unknown.
    pub(in crate::policy) fn unknown_outcome(
        &self,
        scope: &CallScope,
        key: &ScopedKey,
        fence: Fence,
    ) -> OutboxBatch {
        let mut messages = Vec::new();
        let event = self.event_now(EventType::OutcomeUnknown, key.tenant);
        self.add(&mut messages, event, |receiver| UnknownOutcome {
            outcome_id: fence.get(),
            tenant_id: key.tenant,
            tool: &key.tool,
            principal: &key.principal,
            trace_id: scope.cx().trace_id(),
            url: receiver.console_url(format_args!("outcomes/{}", fence.get())),
        });
        self.batch(messages)
    }

    /// Makes the messages of limits of which most is used.
    pub(in crate::policy) fn low_budgets(&self, warnings: &[BudgetWarning]) -> OutboxBatch {
        let mut messages = Vec::new();
        for BudgetWarning { account, used, total, percent } in warnings {
            let event = self.event_now(EventType::BudgetLow, account.tenant);
            self.add(&mut messages, event, |_| LowBudget {
                tenant_id: account.tenant,
                budget: &account.budget,
                limit: &account.limit,
                scope: &account.scope,
                unit: account.unit.name(),
                used: account.unit.format_number(*used),
                total: account.unit.format_number(*total),
                percent: *percent,
            });
        }
        self.batch(messages)
    }

    /// Makes the messages of a ledger that has failed its verification.
    pub(super) fn damaged_ledger(&self, fault: &str) -> OutboxBatch {
        let mut messages = Vec::new();
        let event = self.event_now(EventType::LedgerDamaged, Uuid::nil());
        self.add(&mut messages, event, |receiver| DamagedLedger {
            fault,
            url: receiver.console_url(format_args!("ledger")),
        });
        self.batch(messages)
    }

    /// Stores messages that belong to no ticket. Without the store they are lost, and the log says so.
    pub(in crate::policy) async fn announce(&self, batch: OutboxBatch, limit: Duration) {
        if let Err(error) = self.try_announce(batch, limit).await {
            log_store_error("an event could not be stored and is not announced", &error);
        }
    }

    /// Stores messages that belong to no ticket.
    pub(super) async fn try_announce(
        &self,
        batch: OutboxBatch,
        limit: Duration,
    ) -> Result<(), StoreError> {
        let messages = batch.messages.len();
        if messages > 0 {
            self.stores.call(limit, self.stores.outbox()?.put_messages(batch)).await?;
            self.notify(messages);
        }
        Ok(())
    }

    fn event_now(&self, event_type: EventType, tenant: Uuid) -> NewEvent {
        let now = self.stores.now();
        NewEvent { event_type, tenant, timestamp: now, follows: None, due_at: now }
    }

    /// Returns no messages.
    pub(in crate::policy) fn none(&self) -> OutboxBatch {
        self.batch(Vec::new())
    }

    /// Opens the text of a message.
    pub(super) fn open(&self, message: &OutboxMessage) -> Option<String> {
        let binding = message_binding(message.id, &message.receiver);
        let text = open(&message.payload, self.keys.as_deref()?, &binding).ok()?;
        String::from_utf8(text).ok()
    }

    /// Returns a listener for the next events that this process stores.
    pub(super) fn listen(&self) -> EventListener {
        self.stored.listen()
    }

    /// Wakes the senders of this process, if messages were stored.
    pub(in crate::policy) fn notify(&self, messages: usize) {
        if messages > 0 {
            self.stored.notify(usize::MAX);
        }
    }

    /// Returns the arguments without secrets and personal data, if a receiver of the request wants them.
    async fn arguments(&self, scope: &CallScope, tenant: Uuid) -> Option<Box<RawValue>> {
        let event_type = EventType::ApprovalRequested;
        let mut receivers = self.receivers.iter().filter(|it| it.receives(event_type, tenant));
        if !receivers.any(|receiver| receiver.has_arguments) {
            return None;
        }
        let arguments =
            redacted(scope, |scope, free| scope.redacted(&MaskingRedactor, free)).await?;
        RawValue::from_string(arguments).ok()
    }

    /// Adds the message of an event to each of its receivers.
    fn add<D: Serialize>(
        &self,
        messages: &mut Vec<OutboxMessage>,
        event: NewEvent,
        data: impl Fn(&EventReceiver) -> D,
    ) {
        let NewEvent { event_type, tenant, timestamp, follows, due_at } = event;
        let id = Uuid::now_v7();
        let receivers = self.receivers.iter().filter(|it| it.receives(event_type, tenant));
        let message = |receiver: &EventReceiver| {
            let text = write(event_type, timestamp, data(receiver)).ok()?;
            let payload = seal(&text, self.keys.as_deref()?, &message_binding(id, &receiver.name));
            let payload = payload.ok()?;
            Some(OutboxMessage {
                id,
                receiver: receiver.name.clone(),
                tenant,
                follows,
                payload,
                due_at,
                delete_at: due_at.after(self.lifetime),
            })
        };
        for receiver in receivers {
            if let Some(message) = message(receiver) {
                messages.push(message);
            } else {
                let receiver = &receiver.name;
                log_event!(error, target: "tool_runtime::policy", %event_type, %receiver,
                    "an event could not be sealed and is not announced");
            }
        }
    }

    fn batch(&self, messages: Vec<OutboxMessage>) -> OutboxBatch {
        OutboxBatch { messages, max_queued: self.max_queued }
    }
}

/// Returns what a sealed message is bound to: its event and its receiver.
fn message_binding(event: Uuid, receiver: &str) -> Vec<u8> {
    binding(&format!("{PURPOSE}/{receiver}"), event)
}

/// Masks personal data as secrets are masked.
struct MaskingRedactor;

impl Redactor for MaskingRedactor {
    fn personal(&self, _: &str) -> String {
        "***".to_owned()
    }
}
