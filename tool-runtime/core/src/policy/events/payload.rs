//! The JSON bodies of events.

use std::fmt;

use chrono::{DateTime, SecondsFormat};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{EventReceiver, EventType};
use crate::store::UnixMillis;

/// The text of an event: `{"type":"approval.requested","timestamp":"…","data":{…}}`.
#[derive(Serialize)]
pub(super) struct EventBody<D> {
    #[serde(rename = "type")]
    pub(super) event_type: &'static str,
    pub(super) timestamp: Rfc3339,
    pub(super) data: D,
}

/// A call that waits for a decision.
#[derive(Serialize)]
pub(super) struct RequestedApproval<'c> {
    pub(super) ticket_id: Uuid,
    pub(super) tenant_id: Uuid,
    pub(super) tool: &'c str,
    pub(super) tool_version: &'c str,
    pub(super) principal: &'c str,
    pub(super) trace_id: &'c str,
    pub(super) expires_at: Rfc3339,
    /// The reason of the host's access policy or of a budget, if one of them asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<&'c RawValue>,
}

/// A call that waits no longer.
#[derive(Clone, Copy, Serialize)]
pub(super) struct EndedApproval<'c> {
    pub(super) ticket_id: Uuid,
    pub(super) tenant_id: Uuid,
    pub(super) tool: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decided_by: Option<&'c str>,
    /// True if the approver changed the arguments.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) edited: bool,
}

/// A person's decision about a waiting call.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) enum TicketDecision<'c> {
    Approved { by: &'c str, edited: bool },
    Declined { by: Option<&'c str> },
    Superseded,
}

/// A write whose outcome became unknown.
#[derive(Clone, Serialize)]
pub(super) struct UnknownOutcome<'c> {
    pub(super) outcome_id: u64,
    pub(super) tenant_id: Uuid,
    pub(super) tool: &'c str,
    pub(super) principal: &'c str,
    pub(super) trace_id: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
}

/// A limit of which most is used. Amounts are decimal numbers.
#[derive(Clone, Serialize)]
pub(super) struct LowBudget<'c> {
    pub(super) tenant_id: Uuid,
    pub(super) budget: &'c str,
    pub(super) limit: &'c str,
    pub(super) scope: &'c str,
    pub(super) unit: &'c str,
    pub(super) used: String,
    pub(super) total: String,
    /// The part that was reached, in percent.
    pub(super) percent: u8,
}

/// A ledger that has failed its verification.
#[derive(Clone, Serialize)]
pub(super) struct DamagedLedger<'c> {
    pub(super) fault: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
}

impl<'c> EndedApproval<'c> {
    pub(super) const fn new(ticket_id: Uuid, tenant_id: Uuid, tool: &'c str) -> Self {
        Self { ticket_id, tenant_id, tool, decision: None, decided_by: None, edited: false }
    }

    pub(super) fn decided(mut self, decision: TicketDecision<'c>) -> Self {
        (self.decision, self.decided_by, self.edited) = match decision {
            TicketDecision::Approved { by, edited } => (Some("approved"), Some(by), edited),
            TicketDecision::Declined { by } => (Some("declined"), by, false),
            TicketDecision::Superseded => (Some("superseded"), None, false),
        };
        self
    }
}

impl EventReceiver {
    /// Returns the link to a page of the console, such as `approvals/TICKET`.
    pub(super) fn console_url(&self, page: fmt::Arguments<'_>) -> Option<String> {
        self.console.as_ref().map(|console| format!("{console}/{page}"))
    }
}

/// Writes the text of an event.
pub(super) fn write<D: Serialize>(
    event_type: EventType,
    timestamp: UnixMillis,
    data: D,
) -> serde_json::Result<Vec<u8>> {
    let timestamp = Rfc3339(timestamp);
    serde_json::to_vec(&EventBody { event_type: event_type.as_str(), timestamp, data })
}

/// A time that is written as RFC 3339 says, with milliseconds.
pub(super) struct Rfc3339(pub(super) UnixMillis);

impl Serialize for Rfc3339 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let milliseconds = i64::try_from(self.0.get()).unwrap_or(i64::MAX);
        let time = DateTime::from_timestamp_millis(milliseconds).unwrap_or(DateTime::UNIX_EPOCH);
        serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}
