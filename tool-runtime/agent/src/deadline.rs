//! Awaits code of the host and its models, which may hang or panic: ends it at a deadline, and catches
//! its panics.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tool_contracts::ToolContext;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::timer::whole_millis;
use tool_runtime_core::tool::guarded;

use super::error::{AgentError, AgentErrorKind, AgentErrorReason};
use super::model::{ChatModel, ChatReply, ChatRequest, OnText};

/// The end of a request's time, by the clock of its runtime.
#[derive(Debug, Clone)]
pub(crate) struct Deadline {
    runtime: Runtime,
    /// `None` if the request may take any time.
    ends: Option<Instant>,
}

/// Why code of the host gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostFailure {
    /// The deadline passed.
    TimedOut,
    /// It panicked.
    Panicked,
}

/// The model did not answer before the request's deadline.
#[derive(Debug)]
pub(crate) struct DeadlineExceeded;

impl Deadline {
    /// Ends after this time from now on; never without a limit, or if the clock ends before.
    pub(crate) fn after(runtime: &Runtime, limit: Option<Duration>) -> Self {
        let ends = limit.and_then(|limit| runtime.timer().now().checked_add(limit));
        Self { runtime: runtime.clone(), ends }
    }

    /// Returns the time at which it ends; none if the request may take any time.
    pub(crate) fn ends(&self) -> Option<Instant> {
        self.ends
    }

    /// Returns the time that is left.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.ends.map(|ends| ends.saturating_duration_since(self.runtime.timer().now()))
    }

    /// Limits the timeout of a context to the time that is left.
    pub(crate) fn limit(&self, cx: ToolContext) -> ToolContext {
        let Some(left) = self.left().map(whole_millis) else { return cx };
        cx.with_timeouts_ms(cx.timeouts_ms().map_or(left, |own| own.min(left)))
    }

    /// Returns whether no time is left.
    pub(crate) fn has_passed(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Returns a deadline that leaves half of the time for what comes next.
    pub(crate) fn halved(&self) -> Self {
        Self::after(&self.runtime, self.left().map(|left| left / 2))
    }

    /// Waits for code of the host.
    pub(crate) async fn wait_for<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, HostFailure> {
        let mut work = pin!(await_guarded(work));
        if let Some(ended) = work.as_mut().now_or_never() {
            return ended;
        }
        let Some(left) = self.left() else { return work.await };
        self.runtime.environment().within(left, work).await.unwrap_or(Err(HostFailure::TimedOut))
    }
}

/// Asks a model once, at most until the deadline; with a function for its text the answer is streamed.
///
/// # Errors
/// Returns [`DeadlineExceeded`] at the deadline. Before it the answer may be the model's own error, or
/// an error with the reason `panic`.
pub(crate) async fn chat_within(
    model: &dyn ChatModel,
    request: &ChatRequest,
    on_text: Option<&OnText<'_>>,
    deadline: &Deadline,
) -> Result<Result<ChatReply, AgentError>, DeadlineExceeded> {
    let chat = async {
        match on_text {
            Some(on_text) => model.chat_streamed(request, on_text).await,
            None => model.chat(request).await,
        }
    };
    match deadline.wait_for(chat).await {
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

/// Waits for code of the host under a panic guard. The text of a panic is dropped, because it may
/// repeat what the code was given; the panic hook prints its place.
pub(crate) async fn await_guarded<T>(work: impl Future<Output = T>) -> Result<T, HostFailure> {
    guarded(work).await.map_err(|_| HostFailure::Panicked)
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
