//! The purpose of a call: most calls run, and some repeat another one for a reason of their own.

use uuid::Uuid;

use super::CallScope;

/// The purpose for which a call's tool is started.
#[allow(dead_code, reason = "the features `policy` and `evidence` reconcile and replay calls")]
pub(super) enum Purpose {
    /// The call of a model or a host.
    Run,
    /// The same, with arguments that an approver edited.
    Edited(Box<ArgumentEdit>),
    /// The dry run of a call that waits for a decision.
    ApprovalDryRun,
    /// The call of the tool's `reconcile` function, about an earlier run.
    Reconciliation,
    /// A repeat of the call with this invocation id, to compare the answers.
    Replay(Uuid),
}

/// The edit of a call's arguments by its approver.
pub(super) struct ArgumentEdit {
    /// The call as it was sent: its arguments are echoed to the caller.
    pub(super) sent: CallScope,
    /// The JSON Pointers of the differences.
    pub(super) pointers: Vec<String>,
}

impl Purpose {
    pub(super) fn edit(&self) -> Option<&ArgumentEdit> {
        match self {
            Self::Edited(edit) => Some(edit),
            Self::Run | Self::ApprovalDryRun | Self::Reconciliation | Self::Replay(_) => None,
        }
    }

    pub(super) fn is_approval_dry_run(&self) -> bool {
        match self {
            Self::ApprovalDryRun => true,
            Self::Run | Self::Edited(_) | Self::Reconciliation | Self::Replay(_) => false,
        }
    }

    pub(super) fn is_reconciliation(&self) -> bool {
        match self {
            Self::Reconciliation => true,
            Self::Run | Self::Edited(_) | Self::ApprovalDryRun | Self::Replay(_) => false,
        }
    }

    pub(super) fn replay_of(&self) -> Option<Uuid> {
        match self {
            Self::Replay(earlier) => Some(*earlier),
            Self::Run | Self::Edited(_) | Self::ApprovalDryRun | Self::Reconciliation => None,
        }
    }
}
