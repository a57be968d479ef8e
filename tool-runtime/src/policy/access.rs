//! The host's own rule about who may do what.

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use serde::Deserialize;
use tool_contracts::{ToolContext, ToolSpec};

use crate::call::{CallScope, Preview, ToolCall};

/// Decides about each call by a rule of the host's: who calls, which tool, with which arguments.
///
/// It is asked when a call is executed, before anybody else is. Its word wins over the tool's
/// [`Permission`](tool_contracts::Permission), but for a tool that is denied altogether. It fails
/// closed: an error or a panic denies the call.
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::policy::{AccessPolicy, AccessRequest, AccessVerdict, async_trait};
///
/// /// Small refunds need nobody's word.
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
    /// Whatever keeps it from deciding: the call is denied, and only the log reads the error.
    async fn decide(
        &self,
        request: &AccessRequest<'_>,
    ) -> Result<AccessVerdict, Box<dyn Error + Send + Sync>>;
}

/// What the host's rule decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessVerdict {
    /// The tool's own permission decides.
    ByPermission,
    /// The call may run.
    Allow,
    /// A person is asked, and told why.
    Ask {
        /// Why, for the person.
        reason: String,
    },
    /// The call may not run, and the model is told why.
    Deny {
        /// Why, for the model.
        reason: String,
    },
}

impl AccessVerdict {
    /// Asks a person, and tells them why.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask { reason: reason.into() }
    }

    /// Denies the call, and tells the model why.
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

    /// Returns who calls, for whom.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.scope.cx()
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {
        self.scope.tool()
    }

    /// Describes the call as a person would see it, secrets masked.
    #[must_use]
    pub fn preview(&self) -> Preview<'c> {
        self.call.preview()
    }

    /// Reads the arguments into a type: all of them, secrets too.
    ///
    /// # Errors
    /// The type cannot be read from arguments that the tool's schema admits.
    pub fn arguments<T: Deserialize<'c>>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.scope.arguments())
    }
}

impl fmt::Debug for AccessRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessRequest").field("tool", &self.tool().name()).finish_non_exhaustive()
    }
}
