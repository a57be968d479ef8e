//! The authenticated caller of an input, and its name as an approver.

use std::fmt;

use async_trait::async_trait;
use axum::http::request::Parts;
use thiserror::Error;
use tool_contracts::ToolContext;

/// Authenticates the requests of clients.
///
/// It runs before the body of a request is read, and must answer within the limit of
/// [`AgUiLimits`](crate::AgUiLimits).
#[async_trait]
pub trait Authenticator: fmt::Debug + Send + Sync {
    /// Returns the caller of a request, by its headers.
    ///
    /// # Errors
    /// Returns [`Unauthenticated`] if the request does not prove who sends it. It is answered with
    /// the status 401.
    async fn authenticate(&self, head: &Parts) -> Result<AgUiCaller, Unauthenticated>;
}

/// An authenticated caller: the context of its calls, and its name as an approver.
///
/// Without a name it approves and declines nothing: a ticket, which a model or a program may hold, is
/// no approval.
///
/// ```
/// use tool_runtime::ag_ui::AgUiCaller;
/// use tool_runtime::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane").build()?;
/// let person = AgUiCaller::new(cx.clone()).with_approver("Jane Doe");
/// assert_eq!(person.approver(), Some("Jane Doe"));
/// assert_eq!(AgUiCaller::new(cx).approver(), None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AgUiCaller {
    cx: ToolContext,
    approver: Option<String>,
}

impl AgUiCaller {
    /// Creates a caller that decides about no call. Its context needs a user or an actor, to whom
    /// the threads belong.
    #[must_use]
    pub const fn new(cx: ToolContext) -> Self {
        Self { cx, approver: None }
    }

    /// Sets the name under which the caller approves and declines calls: of a person whom the request
    /// has authenticated, never a text of its body.
    #[must_use]
    pub fn with_approver(self, name: impl Into<String>) -> Self {
        Self { approver: Some(name.into()), ..self }
    }

    /// Returns the context of the caller's calls.
    #[must_use]
    pub const fn cx(&self) -> &ToolContext {
        &self.cx
    }

    /// Returns the name under which the caller decides; none if it decides about no call.
    #[must_use]
    pub fn approver(&self) -> Option<&str> {
        self.approver.as_deref()
    }
}

/// A request that does not prove who sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Error)]
#[error("the request is not authenticated")]
#[non_exhaustive]
pub struct Unauthenticated;

impl Unauthenticated {
    /// Creates the refusal of a request.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}
