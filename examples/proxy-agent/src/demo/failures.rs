//! Failures of the model's server, and what the client makes of them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tool_runtime::agent::{AgentError, ChatModel as _, ChatReply, ChatRequest};

use crate::models::Models;
use crate::script;

/// The time limit of an attempt that is never answered.
const PATIENCE: Duration = Duration::from_millis(300);

/// Asks a model that is busy at first, and returns the pieces of the streamed answer too.
///
/// # Errors
/// The model does not answer at the second attempt either.
pub async fn busy(models: &Models) -> Result<(ChatReply, Vec<String>), AgentError> {
    let model = models.client(script::BUSY).build()?;
    let pieces = Mutex::new(Vec::new());
    let request = ChatRequest::new("Do you have a moment?");
    let keep = |piece: &str| {
        pieces.lock().unwrap_or_else(PoisonError::into_inner).push(piece.to_owned());
    };
    let reply = model.chat_streamed(&request, &keep).await?;
    Ok((reply, pieces.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Asks a model that always fails, which has a fallback model.
///
/// # Errors
/// The fallback model does not answer either.
pub async fn broken(models: &Models) -> Result<ChatReply, AgentError> {
    let model = models
        .client(script::BROKEN)
        .fallback_model(script::STANDBY)
        .first_delay(Duration::from_millis(50))
        .build()?;
    model.chat(&ChatRequest::new("Are you there?")).await
}

/// Asks a model that never answers, for as long as the client waits.
///
/// # Errors
/// Returns the client's error, whose details say that it waited for too long.
pub async fn slow(models: &Models) -> Result<ChatReply, AgentError> {
    let model = models.client(script::SLOW).timeout(PATIENCE).max_attempts(2);
    let model = model.first_delay(Duration::from_millis(50)).build()?;
    model.chat(&ChatRequest::new("Are you there?")).await
}
