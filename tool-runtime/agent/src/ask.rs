//! Asks a model of the host within the time of a request: it may ignore its timeout, or panic.

use super::error::{AgentError, AgentErrorKind, AgentErrorReason};
use super::model::{ChatModel, ChatReply, ChatRequest};
use crate::assess::{Deadline, HostFailure};

/// The model did not answer before the request's deadline.
#[derive(Debug)]
pub(super) struct DeadlineExceeded;

/// Asks a model once, at most until the deadline.
///
/// # Errors
/// Returns [`DeadlineExceeded`] at the deadline. Before it the answer may be the model's own error, or
/// an error with the reason `panic`.
pub(super) async fn chat_within(
    model: &dyn ChatModel,
    request: &ChatRequest,
    deadline: &Deadline,
) -> Result<Result<ChatReply, AgentError>, DeadlineExceeded> {
    match deadline.wait_for(async { model.chat(request).await }).await {
        Err(HostFailure::TimedOut) => Err(DeadlineExceeded),
        Err(HostFailure::Panicked) => {
            let error = AgentError::new(AgentErrorKind::Llm, "the model's client panicked");
            Ok(Err(error.with_reason(AgentErrorReason::Panic)))
        }
        // A client that keeps to the deadline may be a little faster than the wait for it.
        Ok(Err(error)) if deadline.has_passed() && is_timeout(&error) => Err(DeadlineExceeded),
        Ok(ended) => Ok(ended),
    }
}

fn is_timeout(error: &AgentError) -> bool {
    error.reason() == Some(AgentErrorReason::Timeout)
}

impl From<DeadlineExceeded> for AgentError {
    fn from(DeadlineExceeded: DeadlineExceeded) -> Self {
        Self::new(AgentErrorKind::Llm, "the model did not answer in time")
            .with_reason(AgentErrorReason::Timeout)
    }
}
