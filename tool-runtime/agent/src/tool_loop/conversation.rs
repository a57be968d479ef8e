//! Checks that each call of a conversation has its answer, as servers of models require.

use crate::error::{AgentError, AgentErrorKind, AgentErrorReason};
use crate::model::{ModelCall, ModelMessage};

/// Checks that each call is answered once, directly after the message that requests it.
pub(super) fn check(messages: &[ModelMessage]) -> Result<(), AgentError> {
    let mut unanswered: Vec<&ModelCall> = Vec::new();
    for message in messages {
        match message {
            ModelMessage::ToolResult { call_id, .. } => {
                let answered = unanswered.iter().position(|call| call.call_id() == call_id);
                let Some(answered) = answered else { return Err(answers_no_call(call_id)) };
                unanswered.remove(answered);
            }
            ModelMessage::Assistant(answer) => {
                all_answered(&unanswered)?;
                unanswered = answer.calls().iter().collect();
            }
            ModelMessage::System(_) | ModelMessage::User(_) => all_answered(&unanswered)?,
        }
    }
    all_answered(&unanswered)
}

fn all_answered(unanswered: &[&ModelCall]) -> Result<(), AgentError> {
    let Some(call) = unanswered.first() else { return Ok(()) };
    let (id, tool) = (call.call_id(), call.name());
    let message = format!(
        "the call `{id}` of `{tool}` has no answer, and servers refuse such a conversation; continue \
         the suspended run, or close it by `ToolLoop::close`, which answers its calls"
    );
    Err(invalid(message, id).with_detail("tool", tool))
}

fn answers_no_call(id: &str) -> AgentError {
    let message = format!(
        "the result of `{id}` answers no call of the message before it, and servers refuse such a \
         conversation; leave out a call together with its result"
    );
    invalid(message, id)
}

fn invalid(message: String, call_id: &str) -> AgentError {
    AgentError::new(AgentErrorKind::Validation, message)
        .with_reason(AgentErrorReason::UnansweredCall)
        .with_detail("call_id", call_id)
}
