//! The approver in this process: the request that it sees, and the decision that it returns.

use std::fmt;

use async_trait::async_trait;
use tool_contracts::{ToolContext, ToolErrorDetail, ToolSpec};

use crate::arguments::Arguments;
use crate::call::{Preview, ToolCall};
use crate::tool::{CallScope, ToolOutput};

/// Decides in this process about calls that need an approval: at a terminal, in a window.
///
/// A call waits for it without a deadline, because deadlines count execution only: use a timeout of
/// your own, and [defer](Decision::defer) when it is over. In a request to an agent the wait ends with
/// the request's time, and the call is answered `TIMEOUT`. A panic defers too. A deferred call is
/// answered with a ticket.
///
/// ```
/// use tool_runtime::policy::{ApprovalRequest, Approver, Decision, async_trait};
///
/// struct Terminal;
///
/// #[async_trait]
/// impl Approver for Terminal {
///     async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
///         println!("May it {}?", request.preview());
///         // … ask, without blocking the thread …
///         Decision::decline("jane", "not today")
///     }
/// }
/// ```
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Decides about one call.
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision;
}

/// Creates an approver from a closure, which needs no `#[async_trait]`.
///
/// The closure reads of the request what its future needs, since the future may not borrow it.
///
/// ```
/// use tool_runtime::policy::{ApprovalRequest, Decision, Policy, approver_fn};
///
/// let policy = Policy::new().approver(approver_fn(|request: &ApprovalRequest<'_>| {
///     let question = format!("May it {}?", request.preview());
///     async move {
///         println!("{question}");
///         // … ask, without blocking the thread …
///         Decision::decline("jane", "not today")
///     }
/// }));
/// # let _ = policy;
/// ```
pub fn approver_fn<F, Answer>(decide: F) -> impl Approver
where
    F: Fn(&ApprovalRequest<'_>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Decision> + Send + 'static,
{
    ApproverFn(decide)
}

/// A closure as an approver.
struct ApproverFn<F>(F);

#[async_trait]
impl<F, Answer> Approver for ApproverFn<F>
where
    F: Fn(&ApprovalRequest<'_>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Decision> + Send + 'static,
{
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        (self.0)(request).await
    }
}

/// A call that needs an approval.
#[derive(Clone, Copy)]
pub struct ApprovalRequest<'c> {
    pub(super) call: &'c ToolCall,
    pub(super) scope: &'c CallScope,
    pub(super) reason: Option<&'c str>,
    pub(super) dry_run: Option<&'c ToolOutput>,
    pub(super) refused: Option<&'c ToolErrorDetail>,
}

impl<'c> ApprovalRequest<'c> {
    /// Describes the call, secrets masked.
    #[must_use]
    pub fn preview(&self) -> Preview<'c> {
        self.call.preview()
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {
        self.scope.tool()
    }

    /// Returns the call's context: tenant, user, actor.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.scope.cx()
    }

    /// Returns the arguments as JSON text with their secrets, for editing in this process; show
    /// people the [preview](Self::preview), whose masks an edit may send back.
    #[must_use]
    pub fn arguments_with_secrets(&self) -> &'c str {
        self.scope.arguments()
    }

    /// Returns the reason of the host's access policy, if the policy asks.
    #[must_use]
    pub fn reason(&self) -> Option<&'c str> {
        self.reason
    }

    /// Returns the output of the dry run that the decision is bound to, if
    /// [`bind_preview`](crate::policy::ToolPolicy::bind_preview) is on.
    #[must_use]
    pub fn dry_run(&self) -> Option<&'c ToolOutput> {
        self.dry_run
    }

    /// Returns the error of the arguments in the last decision, if they were invalid and the
    /// approver is asked again.
    #[must_use]
    pub fn refused_edit(&self) -> Option<&'c ToolErrorDetail> {
        self.refused
    }
}

impl fmt::Debug for ApprovalRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalRequest")
            .field("tool", &self.tool().name())
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

/// A decision about a call.
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision(pub(super) DecisionKind);

#[derive(Debug, Clone)]
pub(super) enum DecisionKind {
    Approve {
        approver: String,
        arguments: Option<Arguments>,
        always: Option<GrantFor>,
        exceeds_budgets: bool,
    },
    Decline {
        by: String,
        feedback: String,
    },
    Defer,
}

/// The calls that a standing grant covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantFor {
    /// All calls of the tool.
    Tool,
    /// Calls of the tool with exactly the arguments of this call.
    TheseArguments,
}

impl Decision {
    /// Approves the call; the host names the approver.
    pub fn approve(approver: impl Into<String>) -> Self {
        Self(DecisionKind::Approve {
            approver: approver.into(),
            arguments: None,
            always: None,
            exceeds_budgets: false,
        })
    }

    /// Declines the call, with feedback for the model; the host names the person who declines. A
    /// name that is blank or has invisible characters decides nothing, as for an approval.
    pub fn decline(by: impl Into<String>, feedback: impl Into<String>) -> Self {
        Self(DecisionKind::Decline { by: by.into(), feedback: feedback.into() })
    }

    /// Decides nothing: the call is answered with a ticket.
    pub fn defer() -> Self {
        Self(DecisionKind::Defer)
    }

    /// Replaces the arguments of an approved call. They are validated like a model's, and the
    /// model is told which changed; if they are invalid, the approver is asked again. `"***"` in a
    /// secret stands for the secret, as in [`ToolCall::approve_edited`].
    pub fn with_arguments(mut self, edited: impl Into<Arguments>) -> Self {
        if let DecisionKind::Approve { arguments, .. } = &mut self.0 {
            *arguments = Some(edited.into());
        }
        self
    }

    /// Lets an approved call exceed those budgets that ask when they are exceeded.
    ///
    /// The host says so only for a person with the right to it.
    pub fn exceeding_budgets(mut self) -> Self {
        if let DecisionKind::Approve { exceeds_budgets, .. } = &mut self.0 {
            *exceeds_budgets = true;
        }
        self
    }

    /// Approves such calls from now on, until the tool's schema changes. For a destructive tool,
    /// only this call is approved.
    pub fn always(mut self, calls: GrantFor) -> Self {
        if let DecisionKind::Approve { always, .. } = &mut self.0 {
            *always = Some(calls);
        }
        self
    }
}
