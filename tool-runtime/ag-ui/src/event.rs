//! The protocol's events that a run sends.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The version of the protocol that the events follow.
pub(crate) const PROTOCOL_VERSION: &str = "1.0";

/// An event of a run.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub(crate) enum RunEvent<'e> {
    RunStarted {
        thread_id: &'e str,
        run_id: &'e str,
        protocol_version: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_run_id: Option<&'e str>,
    },
    TextMessageStart {
        message_id: &'e str,
        role: &'static str,
    },
    TextMessageContent {
        message_id: &'e str,
        delta: &'e str,
    },
    TextMessageEnd {
        message_id: &'e str,
    },
    ToolCallStart {
        tool_call_id: &'e str,
        tool_call_name: &'e str,
        parent_message_id: &'e str,
    },
    ToolCallArgs {
        tool_call_id: &'e str,
        delta: &'e str,
    },
    ToolCallEnd {
        tool_call_id: &'e str,
    },
    ToolCallResult {
        message_id: &'e str,
        tool_call_id: &'e str,
        content: &'e str,
        role: &'static str,
    },
    RunFinished {
        thread_id: &'e str,
        run_id: &'e str,
        outcome: RunOutcome,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        usage: &'e [ModelUsage],
    },
    RunError {
        message: &'e str,
        code: &'e str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        usage: &'e [ModelUsage],
    },
}

/// The outcome of a run that has not failed.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum RunOutcome {
    /// The run is complete, up to calls that the client executes.
    Success {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pending_tool_call_ids: Vec<String>,
    },
    /// The run waits for decisions.
    Interrupt { interrupts: Vec<Interrupt> },
}

/// A call that waits for a decision.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interrupt {
    pub(crate) id: String,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) tool_call_id: String,
    pub(crate) response_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<String>,
    pub(crate) metadata: InterruptMetadata,
}

/// The details of a waiting call, for its approver.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InterruptMetadata {
    pub(crate) tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<&'static str>,
    /// The arguments, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Box<RawValue>>,
    /// The answer of the tool's preview function, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) budgets: Vec<String>,
}

/// The tokens of one model in a run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelUsage {
    pub(crate) model: String,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cached_input_tokens: u64,
}

impl RunEvent<'_> {
    /// Writes the event as a server-sent event.
    pub(crate) fn to_sse(&self) -> String {
        // Every field is text, a number or JSON that was parsed, so it serializes; a line break in a
        // text is an escape.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("data: {json}\n\n")
    }
}

/// Returns the schema of the answer to an interrupt.
pub(crate) fn response_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "approved": {"type": "boolean"},
            "feedback": {
                "type": "string",
                "description": "The reason, which the agent reads, if declined.",
            },
            "editedArgs": {
                "type": "object",
                "description": "The arguments to run with, if they were edited.",
            },
        },
        "required": ["approved"],
        "additionalProperties": false,
    })
}
