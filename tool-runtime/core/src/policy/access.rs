//! The host's own access rule.

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use serde::Deserialize;
use tool_contracts::{ToolContext, ToolSpec};
use tool_runtime_schema::json::from_text;

use crate::call::{Preview, ToolCall};
use crate::tool::CallScope;

/// Decides about each call by a rule of the host: by the caller, the tool and the arguments.
///
/// It runs when a call is executed, before any approver is asked. Its verdict overrides the tool's
/// [`Permission`](tool_contracts::Permission), except [`Deny`](tool_contracts::Permission::Deny).
/// It fails closed: an error or a panic denies the call.
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::policy::{AccessPolicy, AccessRequest, AccessVerdict, async_trait};
///
/// /// Small refunds need no approval.
/// struct Refunds;
///
/// #[derive(serde::Deserialize)]
/// struct Refund { cents: u64 }
///
/// #[async_trait]
/// impl AccessPolicy for Refunds {
///     async fn decide(
///         &self,
///         request: &AccessRequest<'_>,
///     ) -> Result<AccessVerdict, Box<dyn std::error::Error + Send + Sync>> {
///         if request.tool().name() != "refund" {
///             return Ok(AccessVerdict::ByPermission);
///         }
///         let refund: Refund = request.arguments()?;
///         Ok(match refund.cents {
///             0..=2_000 => AccessVerdict::Allow,
///             2_001..=50_000 => AccessVerdict::ask("a refund of more than 20.00"),
///             _ => AccessVerdict::deny("refunds of more than 500.00 are made by hand"),
///         })
///     }
/// }
/// ```
#[async_trait]
pub trait AccessPolicy: Send + Sync + 'static {
    /// Decides about one call.
    ///
    /// # Errors
    /// Any error denies the call; its text goes to the log only.
    async fn decide(
        &self,
        request: &AccessRequest<'_>,
    ) -> Result<AccessVerdict, Box<dyn Error + Send + Sync>>;
}

/// The verdict of an [`AccessPolicy`] on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessVerdict {
    /// The tool's own permission decides.
    ByPermission,
    /// The call may run.
    Allow,
    /// An approver decides, and is told the reason.
    Ask {
        /// The reason, for the approver.
        reason: String,
    },
    /// The call may not run, and the model is told the reason.
    Deny {
        /// The reason, for the model.
        reason: String,
    },
}

impl AccessVerdict {
    /// Requires an approval, with the reason for the approver.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask { reason: reason.into() }
    }

    /// Denies the call, with the reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// A call that is about to run.
#[derive(Clone, Copy)]
pub struct AccessRequest<'c> {
    call: &'c ToolCall,
    scope: &'c CallScope,
}

impl<'c> AccessRequest<'c> {
    pub(super) fn new(call: &'c ToolCall, scope: &'c CallScope) -> Self {
        Self { call, scope }
    }

    /// Returns the call's context: tenant, user, actor.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.scope.cx()
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {
        self.scope.tool()
    }

    /// Describes the call as an approver sees it, with secrets masked.
    #[must_use]
    pub fn preview(&self) -> Preview<'c> {
        self.call.preview()
    }

    /// Deserializes the arguments, including secrets.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit the type.
    pub fn arguments<T: Deserialize<'c>>(&self) -> serde_json::Result<T> {
        from_text(self.scope.arguments())
    }
}

impl fmt::Debug for AccessRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessRequest").field("tool", &self.tool().name()).finish_non_exhaustive()
    }
}
