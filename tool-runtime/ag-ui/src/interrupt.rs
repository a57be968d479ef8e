//! Describes a waiting call for the person who decides about it.

use chrono::{DateTime, SecondsFormat};
use serde_json::value::RawValue;
use tool_contracts::Effect;
use tool_runtime_agent::PendingCall;
use tool_runtime_core::ToolCall;
use tool_runtime_core::policy::Ticket;

use crate::event::{Interrupt, InterruptMetadata, response_schema};

/// The most characters of the line that describes a call; the metadata has the arguments whole.
const MAX_MESSAGE_CHARS: usize = 1_000;

impl Interrupt {
    /// Describes a waiting call; the call is the one that was resumed by its ticket.
    pub(crate) fn new(
        pending: &PendingCall,
        call: &ToolCall,
        tool_call_id: String,
    ) -> Option<Self> {
        let ticket = Ticket::parse(pending.ticket()).ok()?;
        let preview = call.preview();
        let json = |text: Option<&str>| RawValue::from_string(text?.to_owned()).ok();
        let expires_at = i64::try_from(ticket.expires_at().get()).ok();
        let expires_at = expires_at.and_then(DateTime::from_timestamp_millis);
        Some(Self {
            id: ticket.id().to_string(),
            reason: "tool_call",
            message: shortened(&preview.to_string()),
            tool_call_id,
            response_schema: response_schema(),
            expires_at: expires_at.map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            metadata: InterruptMetadata {
                tool: pending.tool().to_owned(),
                title: preview.title().map(str::to_owned),
                effect: preview.effect().map(Effect::as_str),
                arguments: json(preview.arguments()),
                preview: json(preview.answer()),
                budgets: preview.budgets().to_vec(),
            },
        })
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
