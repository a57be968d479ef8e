//! Who is asked in this process, what they see, and what they may answer.

use std::fmt;

use async_trait::async_trait;
use tool_contracts::{ToolContext, ToolErrorDetail, ToolSpec};

use crate::arguments::Arguments;
use crate::call::{CallScope, Preview, ToolCall, ToolOutput};

/// Decides about calls that ask for permission, in this process: at a terminal, in a window.
///
/// A call waits for it without a deadline, since deadlines count execution; give it one of its own
/// and [defer](Decision::defer) when it is over. A panic defers too, and a call that is deferred is
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
///         Decision::decline("not today")
///     }
/// }
/// ```
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Decides about one call.
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision;
}

/// A call that somebody has to decide about.
#[derive(Clone, Copy)]
pub struct ApprovalRequest<'c> {
    pub(super) call: &'c ToolCall,
    pub(super) scope: &'c CallScope,
    pub(super) reason: Option<&'c str>,
    pub(super) rehearsal: Option<&'c ToolOutput>,
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

    /// Returns for whom the call is made.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.scope.cx()
    }

    /// Returns the arguments as JSON text, secrets and all, to be edited.
    #[must_use]
    pub fn arguments(&self) -> &'c str {
        self.scope.arguments()
    }

    /// Returns why the host's own rule asks, if it does.
    #[must_use]
    pub fn reason(&self) -> Option<&'c str> {
        self.reason
    }

    /// Returns the dry run's answer that the decision is bound to, if
    /// [`bind_preview`](crate::policy::Rules::bind_preview) is on.
    #[must_use]
    pub fn rehearsal(&self) -> Option<&'c ToolOutput> {
        self.rehearsal
    }

    /// Returns what was wrong with the arguments that the last decision brought, if it is asked
    /// again for that.
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

/// What somebody decided about a call.
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision(pub(super) Kind);

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Approve { approver: String, arguments: Option<Arguments>, always: Option<GrantFor> },
    Decline { feedback: String },
    Defer,
}

/// What a standing grant is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantFor {
    /// The tool, whatever its arguments.
    Tool,
    /// The tool with the very arguments of this call.
    TheseArguments,
}

impl Decision {
    /// Lets the call run; the approver is named by the host.
    pub fn approve(approver: impl Into<String>) -> Self {
        Self(Kind::Approve { approver: approver.into(), arguments: None, always: None })
    }

    /// Says no, and tells the model why.
    pub fn decline(feedback: impl Into<String>) -> Self {
        Self(Kind::Decline { feedback: feedback.into() })
    }

    /// Decides nothing: the call is answered with a ticket.
    pub fn defer() -> Self {
        Self(Kind::Defer)
    }

    /// Lets an approved call run with other arguments. They are checked like a model's, and the
    /// model is told what was changed; if they are not valid, somebody is asked again.
    pub fn with_arguments(mut self, edited: impl Into<Arguments>) -> Self {
        if let Kind::Approve { arguments, .. } = &mut self.0 {
            *arguments = Some(edited.into());
        }
        self
    }

    /// Approves such calls from now on, until the tool's schema changes. A destructive tool is
    /// approved this once all the same.
    pub fn always(mut self, what: GrantFor) -> Self {
        if let Kind::Approve { always, .. } = &mut self.0 {
            *always = Some(what);
        }
        self
    }
}
