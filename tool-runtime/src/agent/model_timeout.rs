//! Ends a model's answer at a deadline, also if the model ignores the timeout of its request.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};

use super::error::{AgentError, AgentErrorKind};
use super::model::ChatReply;
use crate::timer::Timer;
use crate::tool::catch_panic;

/// Waits for an answer, at most for `limit`.
///
/// # Errors
/// Returns the model's error, or one with the reason `timeout`.
pub(super) async fn within(
    timer: &dyn Timer,
    limit: Duration,
    answer: impl Future<Output = Result<ChatReply, AgentError>>,
) -> Result<ChatReply, AgentError> {
    let mut answer = pin!(answer);
    if let Some(ended) = answer.as_mut().now_or_never() {
        return ended;
    }
    match catch_panic(|| timer.sleep(limit)) {
        // A runtime without timers: the model's own timeout has to do.
        Err(_) => answer.await,
        Ok(sleep) => match select(answer, sleep).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => {
                let error =
                    AgentError::new(AgentErrorKind::Llm, "the model did not answer in time");
                Err(error.with_detail("reason", "timeout"))
            }
        },
    }
}
