//! Accessors of the policies for the HTTP API.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::value::RawValue;
use tool_contracts::articulate::{
    OutputSerializer, SerializationError, SerializationFormat, SerializationRequest,
    SerializedOutput,
};
use uuid::Uuid;

use super::approval::Tickets;
use super::events::TicketDecision;
use super::excerpt::ModelAnswer;
use super::store_client::STORE_TIMEOUT;
use super::stored_outputs::Outputs;
use super::ticket::TicketRejection;
use crate::articulate::Articulator;
use crate::call::ToolCall;
use crate::refusal_reason::RefusalReason;
use crate::runtime::Runtime;
use crate::store::{StoreError, TicketEnd};

impl Runtime {
    /// Returns the counter behind [`wall_clock_steps`](Self::wall_clock_steps).
    #[must_use]
    pub fn wall_clock_step_counter(&self) -> Arc<AtomicU64> {
        self.policy_state().stores.time.steps.clone()
    }
}

impl Outputs {
    /// Returns an answer's text with its cost in tokens; that of an answer without data is the first part
    /// of a long one, or empty.
    ///
    /// # Errors
    /// Returns an error if the answer cannot be serialized.
    pub fn serialized(&self, answer: &ModelAnswer) -> Result<SerializedOutput, SerializationError> {
        let format = SerializationFormat::CompactJson;
        match (answer.serialized(), answer.data_json()) {
            (Some(output), _) => Ok(output.clone()),
            (None, Some(data)) => {
                let raw: &RawValue = serde_json::from_str(data)
                    .map_err(|_| SerializationError::new("expected JSON"))?;
                let serializer = Articulator::new().token_counter(self.token_counter.clone());
                serializer.serialize(&SerializationRequest::new(raw).with_format(format))
            }
            (None, None) => {
                let text = answer.text().unwrap_or_default();
                let tokens = self.token_counter.count(text);
                SerializedOutput::builder(text, format)
                    .tokens(tokens, tokens)
                    .build()
                    .map_err(|error| SerializationError::new(error.to_string()))
            }
        }
    }
}

impl Tickets<'_> {
    /// Returns how a ticket of a tenant has ended; none if it is waiting or unknown.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub async fn end_of(&self, id: Uuid, tenant: Uuid) -> Result<Option<TicketEnd>, StoreError> {
        let ticket = self.approvals().stores.find_ticket(id, tenant).await?;
        Ok(ticket.and_then(|ticket| ticket.end))
    }

    /// Ends the ticket of a resumed call as declined by a person, and returns how it had ended before: only one caller
    /// gets `None`, and its end counts.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub async fn decline(
        &self,
        id: Uuid,
        call: &ToolCall,
        by: &str,
    ) -> Result<Option<TicketEnd>, StoreError> {
        let events = &self.approvals().events;
        let decision = TicketDecision::Declined { by: Some(by) };
        let batch = events.decided(id, call.cx().tenant_id(), call.name(), decision);
        events.end_ticket(id, TicketEnd::Declined, batch, STORE_TIMEOUT).await
    }
}

impl TicketRejection {
    const ALL: [Self; 13] = [
        Self::Malformed,
        Self::Oversized,
        Self::Tampered,
        Self::UnknownKey,
        Self::Expired,
        Self::Used,
        Self::Declined,
        Self::Superseded,
        Self::Foreign,
        Self::Outdated,
        Self::Unknown,
        Self::ArgumentsChanged,
        Self::Unreadable,
    ];

    /// Finds the rejection of a refusal; none if the reason is not about a ticket.
    #[must_use]
    pub fn from_reason(reason: RefusalReason) -> Option<Self> {
        Self::ALL.into_iter().find(|rejection| rejection.reason() == reason)
    }
}
