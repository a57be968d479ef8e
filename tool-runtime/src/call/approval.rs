//! What people decided about a call, and what their decision is bound to.

use tool_contracts::has_hidden_characters;
use uuid::Uuid;

use super::ToolCall;

/// What people decided about a call.
#[derive(Debug, Default)]
pub(crate) struct CallApproval {
    /// Who allowed it.
    pub(crate) approver: Option<String>,
    /// When they did, in milliseconds since the epoch, where somebody keeps a record of it.
    pub(crate) approved_at_ms: Option<u64>,
    /// The ticket that it came back by, to be used up before it runs.
    pub(crate) ticket: Option<RedeemedTicket>,
    /// The caller that asked for the call, as its transport wrote it: sealed with a call that waits.
    pub(crate) asker: Option<Box<str>>,
    /// Whether the arguments were changed after the call was taken up by its ticket.
    pub(crate) edited: bool,
    /// The hash of the dry run's answer that was shown, where the decision is bound to it.
    pub(crate) preview: Option<[u8; 32]>,
    /// Whether nobody was asked because the call was answered before: then it may not run.
    pub(crate) replays: bool,
    /// How the call was withdrawn, where its ticket has still to hear of it.
    pub(crate) withdrawn: Option<TicketWithdrawal>,
}

/// The ticket that a call came back by.
#[derive(Debug, Clone)]
pub(crate) struct RedeemedTicket {
    pub(crate) id: Uuid,
    /// Its JSON text.
    pub(crate) json: Box<str>,
    /// When its time is over, in milliseconds since the epoch.
    pub(crate) expires_at_ms: u64,
    /// Whether an approver took the call up by the ticket's id, and does not hold the ticket.
    pub(crate) by_approver: bool,
    /// Whether it was used up by a run that never ended: only that run's key may let it run again.
    pub(crate) is_used: bool,
}

/// Who withdrew a call before it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TicketWithdrawal {
    Declined,
    Superseded,
    Expired,
}

#[cfg(feature = "http")]
impl ToolCall {
    /// Notes the caller that asks for this call, if the call may have to wait for approval.
    pub(crate) fn set_asker(&mut self, asker: impl FnOnce() -> Box<str>) {
        if self.scope().is_some_and(|scope| scope.registered().policy_stages.consult) {
            self.approval_mut().asker = Some(asker());
        }
    }
}

/// Returns whether an approver can have this name: it is not blank, and has no characters that
/// cannot be seen.
pub(crate) fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && !has_hidden_characters(name)
}
