//! A run that waits for people.

use std::fmt;

use serde::{Deserialize, Serialize};

use uuid::Uuid;

use super::history::History;
use crate::adapters::ToolAnswer;
use crate::agent::error::{AgentError, AgentErrorKind};
use crate::agent::model::{TokenUsage, wire_attachments};
use crate::call::ToolCall;
use crate::contracts::ToolContext;
use crate::store::principal::principal_of;
use crate::tool::Attachment;

/// A run of a loop that waits for people to decide about calls.
///
/// It is serialized to be continued later, by this process or another one. It contains the
/// conversation, so keep it as secret as that. The tickets in it approve nothing by themselves.
///
/// For each [pending](Self::pending) call, [resume](crate::policy::Tickets::resume) its ticket,
/// approve or decline the call, execute it, and give it to [`answer`](Self::answer); then continue by
/// [`ToolLoop::resume`](super::ToolLoop::resume).
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuspendedRun {
    /// The tenant and the principal whose conversation it is.
    pub(super) owner: RunOwner,
    pub(super) history: History,
    /// The calls of the last turn in the model's order, with the answers that there are.
    pub(super) answers: Vec<CallAnswer>,
    pub(super) pending: Vec<PendingCall>,
    pub(super) turns: u32,
    pub(super) calls: u32,
    pub(super) failed_turns: u32,
    pub(super) usage: TokenUsage,
}

/// The tenant and the principal of a run, under which it continues.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunOwner {
    tenant: Uuid,
    principal: Box<str>,
}

impl RunOwner {
    pub(super) fn of(cx: &ToolContext) -> Self {
        Self { tenant: cx.tenant_id(), principal: principal_of(cx).unwrap_or_default() }
    }
}

/// A call of the last turn, and its answer.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallAnswer {
    pub(super) call_id: String,
    pub(super) tool: String,
    /// Absent while a person has to decide.
    pub(super) content: Option<AnswerText>,
    pub(super) failed: bool,
    /// The files that are meant for the model, of which the content says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "wire_attachments")]
    pub(super) attachments: Vec<Attachment>,
}

/// An answer as the model reads it, or with its data apart, which may be compressed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerText {
    Text(String),
    Data { json: String, notes: Vec<String> },
}

impl AnswerText {
    /// Reads an answer, and the files in it that are meant for the model.
    pub(super) fn of(mut answer: ToolAnswer) -> Result<(Self, Vec<Attachment>), AgentError> {
        let attachments = answer.take_attachments_for_model();
        Self::of_text(answer).map(|content| (content, attachments))
    }

    fn of_text(answer: ToolAnswer) -> Result<Self, AgentError> {
        match answer.into_data_and_notes() {
            Ok((json, notes)) => Ok(Self::Data { json, notes }),
            Err(answer) => {
                let is_missing =
                    || AgentError::new(AgentErrorKind::ToolExecution, "the call is not executed");
                Ok(Self::Text(answer.into_text().ok_or_else(is_missing)?))
            }
        }
    }
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingCall {
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) ticket: String,
}

impl PendingCall {
    /// Returns the model's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the ticket by which the call is resumed.
    #[must_use]
    pub fn ticket(&self) -> &str {
        &self.ticket
    }
}

impl SuspendedRun {
    /// Returns the calls that wait for a person, in the model's order.
    #[must_use]
    pub fn pending(&self) -> &[PendingCall] {
        &self.pending
    }

    /// Answers a waiting call by its execution, as [`ToolAnswer::for_model`] writes it.
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` if no such call waits, or the call has another tool;
    /// of the kind `ToolExecution` if the call is not executed. The run then still waits for the call.
    pub async fn answer(&mut self, call_id: &str, call: &ToolCall) -> Result<(), AgentError> {
        let waits =
            |pending: &PendingCall| pending.call_id == call_id && pending.tool == call.name();
        let Some(at) = self.pending.iter().position(waits) else {
            let message = "no call of this tool with this id waits; name one of the pending calls";
            return Err(AgentError::new(AgentErrorKind::Validation, message));
        };
        let (content, attachments) = AnswerText::of(ToolAnswer::for_model(call).await)?;
        self.pending.remove(at);
        // Ids are the model's, so that two calls of a turn may have the same one.
        let open = |answer: &&mut CallAnswer| {
            answer.call_id == call_id && answer.tool == call.name() && answer.content.is_none()
        };
        if let Some(answer) = self.answers.iter_mut().find(open) {
            (answer.content, answer.attachments) = (Some(content), attachments);
            answer.failed = call.output().is_none_or(|output| !output.is_ok());
        }
        Ok(())
    }
}

/// Shows counts only.
impl fmt::Debug for SuspendedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuspendedRun")
            .field("messages", &self.history.messages.len())
            .field("pending", &self.pending.len())
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of the version before results had files.
    const OLD: &str = r#"{"owner":{"tenant":"00000000-0000-0000-0000-000000000007","principal":"user:jane"},"history":{"messages":[{"user":"Pay 5."},{"assistant":{"text":"","calls":[{"call_id":"1","name":"add","arguments":"{}"},{"call_id":"2","name":"pay","arguments":"{}"}],"provider":[]}},{"tool_result":{"call_id":"0","text":"3"}}],"compacted":0,"savings":{"compressed_results":0,"compactions":0,"shorter_by":0,"new":0,"input_tokens":0,"repeated":0,"lost_cache":0.0}},"answers":[{"call_id":"1","tool":"add","content":{"data":{"json":"3","notes":[]}},"failed":false},{"call_id":"2","tool":"pay","content":null,"failed":true}],"pending":[{"call_id":"2","tool":"pay","ticket":"{}"}],"turns":1,"calls":2,"failed_turns":0,"usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":10}}"#;

    #[test]
    fn a_state_without_files_is_read_and_written_as_before() {
        let run: SuspendedRun = serde_json::from_str(OLD).expect("an old state is read");
        assert_eq!(serde_json::to_string(&run).expect("it is written"), OLD);
    }
}
