//! The approval state of a call, and what the approval is bound to.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};
use tool_contracts::{Attachment, Evidence, ToolErrorDetail, has_hidden_characters};
use uuid::Uuid;

/// The approval state of a call.
#[derive(Debug, Default)]
pub struct CallApproval {
    /// The name of the approver.
    pub(crate) approver: Option<String>,
    /// The name under which the call was declined.
    pub(crate) decliner: Option<String>,
    /// The time of the decision, in milliseconds since the epoch; none without a ledger.
    pub decided_at_ms: Option<u64>,
    /// The ticket that the call was resumed from, to be marked as used before the call runs.
    pub ticket: Option<RedeemedTicket>,
    /// The ticket in the answer of a call that waits for a decision.
    #[allow(dead_code, reason = "only the feature `policy` has tickets")]
    pub awaited_ticket: Option<AwaitedTicket>,
    /// The ticket that a call could not be resumed from.
    #[allow(dead_code, reason = "only the feature `ledger` records it")]
    pub rejected_ticket: Option<Uuid>,
    /// The JSON text of a ticket that can no longer be used, whose refusal is the call's answer.
    #[allow(dead_code, reason = "only the feature `agent` answers suspended runs")]
    pub ended_ticket: Option<Box<str>>,
    /// The caller that asked for the call, as its transport wrote it: sealed with a call that waits.
    #[allow(dead_code, reason = "only the feature `policy` seals calls")]
    pub requester: Option<Box<str>>,
    /// True if a person edited the arguments in this process; an edit that was sealed with a ticket
    /// does not count.
    pub(crate) edited: bool,
    /// The hash of the dry run's answer that the approver saw, if the approval is bound to it.
    pub(crate) preview: Option<[u8; 32]>,
    /// The result of the tool's preview function, once it has run for these arguments.
    pub(crate) preview_result: Option<PreviewResult>,
    /// The approver's notes about budgets: the amounts that the call uses, and those that are left.
    #[allow(dead_code, reason = "only the feature `policy` has budgets")]
    pub(crate) budget_notes: Vec<String>,
    /// Those of budgets that the caller may see.
    #[allow(dead_code, reason = "only the feature `policy` has budgets")]
    pub(crate) visible_budget_notes: Vec<String>,
    /// True if a person with the right to it lets the call exceed budgets.
    #[allow(dead_code, reason = "only the feature `policy` has budgets")]
    pub(crate) may_exceed_budgets: bool,
    /// The SHA-256 of each proof of what the call may spend, as the approver saw it; none if no approver was asked.
    #[allow(dead_code, reason = "only the feature `policy` has budgets")]
    pub(crate) proofs: Option<Vec<Box<str>>>,
    /// True if no approval was requested because the call was answered before: then it may not run.
    pub(crate) replays: bool,
    /// The withdrawal that its ticket has still to record.
    pub(crate) withdrawn: Option<TicketWithdrawal>,
}

/// The approval state of a call, which is allocated when it is first written.
#[derive(Debug, Default)]
pub(crate) struct ApprovalSlot(Option<Box<CallApproval>>);

/// The state of a call about which no decision was made.
static UNDECIDED: CallApproval = CallApproval {
    approver: None,
    decliner: None,
    decided_at_ms: None,
    ticket: None,
    awaited_ticket: None,
    rejected_ticket: None,
    ended_ticket: None,
    requester: None,
    edited: false,
    preview: None,
    preview_result: None,
    budget_notes: Vec::new(),
    visible_budget_notes: Vec::new(),
    may_exceed_budgets: false,
    proofs: None,
    replays: false,
    withdrawn: None,
};

impl Deref for ApprovalSlot {
    type Target = CallApproval;

    fn deref(&self) -> &CallApproval {
        self.0.as_deref().unwrap_or(&UNDECIDED)
    }
}

impl DerefMut for ApprovalSlot {
    fn deref_mut(&mut self) -> &mut CallApproval {
        self.0.get_or_insert_default()
    }
}

/// The result of a tool's preview function, as an approver sees it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum PreviewResult {
    /// The answer as JSON text, secrets masked.
    Answer(Box<str>),
    /// The same with what the function attached.
    AnswerWithAttachments(Box<str>, Vec<Attachment>),
    /// The function failed: the call cannot be shown, so it does not run.
    Failure(Box<PreviewFailure>),
}

impl PreviewResult {
    /// Returns the answer as JSON text, secrets masked.
    pub(crate) fn answer(&self) -> Option<&str> {
        match self {
            Self::Answer(answer) | Self::AnswerWithAttachments(answer, _) => Some(answer),
            Self::Failure(_) => None,
        }
    }

    /// Returns what the function attached.
    pub(crate) fn attachments(&self) -> &[Attachment] {
        match self {
            Self::AnswerWithAttachments(_, attachments) => attachments,
            Self::Answer(_) | Self::Failure(_) => &[],
        }
    }

    pub(crate) fn failure(&self) -> Option<&PreviewFailure> {
        match self {
            Self::Failure(failure) => Some(failure),
            Self::Answer(_) | Self::AnswerWithAttachments(..) => None,
        }
    }
}

/// The error of a preview function, with the evidence that it left.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PreviewFailure {
    pub(crate) detail: ToolErrorDetail,
    pub(crate) evidence: Option<Box<Evidence>>,
}

/// The ticket that a call was resumed from.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "only the feature `policy` has tickets")]
pub struct RedeemedTicket {
    pub id: Uuid,
    /// Its JSON text.
    pub json: Box<str>,
    /// The time at which it expires, in milliseconds since the epoch.
    pub(crate) expires_at_ms: u64,
    /// True if an approver resumed the call by the ticket's id, without the ticket itself.
    pub(crate) by_approver: bool,
    /// True if a run that never ended has used the ticket: only that run's key may let it run again.
    pub(crate) is_used: bool,
}

/// The ticket by which a call that waits for a decision is resumed.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "only the feature `policy` has tickets")]
pub struct AwaitedTicket {
    pub id: Uuid,
    /// Its JSON text.
    pub json: Box<str>,
}

/// The way in which a resumed call was withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TicketWithdrawal {
    Declined,
    Superseded,
    Expired,
}

/// Returns whether an approver can have this name: it is not blank, and has no invisible characters.
pub(crate) fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && !has_hidden_characters(name)
}
