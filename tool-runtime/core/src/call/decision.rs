//! Decisions of people about a pending call: approval, edited arguments, refusal, withdrawal.

use thiserror::Error;
use tool_contracts::{CallStatus, ToolErrorDetail};

use super::{CallTarget, ToolCall};
use crate::arguments::{Arguments, or_none};
use crate::dispatch::decode::decode;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{TicketWithdrawal, is_name};
use crate::tool::ToolOutput;

/// The error of a decision that did not take effect. The call is as it was before.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// The call is not pending: it has been answered, declined or withdrawn.
    #[error("the call is not pending, so it cannot be approved or declined")]
    NotPending,
    /// The call was refused before anyone could decide: its arguments are invalid, or it was resumed
    /// by a ticket that was used, has expired or belongs to another principal; see the detail.
    #[error("the call was refused, so it cannot be approved or declined: {}", .0.message())]
    Refused(Box<ToolErrorDetail>),
    /// The name of the person is blank, or has characters that cannot be seen.
    #[error("an approver has a name: not blank, and without invisible characters")]
    InvalidApprover,
    /// The edited arguments are not valid; the detail lists every violation.
    #[error("the edited arguments are refused: {}", .0.message())]
    InvalidArguments(Box<ToolErrorDetail>),
}

impl ApprovalError {
    /// Returns what was wrong with the call or the edited arguments, if that is the error.
    #[doc(hidden)]
    #[must_use]
    pub fn into_detail(self) -> Option<ToolErrorDetail> {
        match self {
            Self::InvalidArguments(detail) | Self::Refused(detail) => Some(*detail),
            Self::NotPending | Self::InvalidApprover => None,
        }
    }
}

/// The error of a decision about a call that is not pending any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the call is not pending: it has been answered, declined or withdrawn")]
pub struct NotPending;

/// The reason why a host withdraws a pending call.
///
/// The model reads a message and `details.reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withdrawal {
    /// A newer message of the user makes the call obsolete: `reason: "superseded"`.
    Superseded,
    /// No decision about the call was made in time: `reason: "expired"`.
    Expired,
    /// The model's response was cut off before it was complete: `reason: "cut_off"`.
    CutOff,
}

impl ToolCall {
    /// Approves this call, if its tool asks for permission first.
    ///
    /// The host names the approver, never the model. The last approval counts.
    ///
    /// # Errors
    /// [`ApprovalError::Refused`] with the reason for a call that was refused, such as by its ticket;
    /// [`ApprovalError::NotPending`] for another one that is not [`Pending`](CallStatus::Pending);
    /// [`ApprovalError::InvalidApprover`] for a name that is blank or has characters that cannot be
    /// seen.
    pub fn approve(&mut self, approver: impl Into<String>) -> Result<(), ApprovalError> {
        let approver = self.valid_approver(approver.into())?;
        self.set_approver(approver);
        self.approval.replays = false;
        Ok(())
    }

    /// Approves this call with arguments that a person edited; they are checked like a model's.
    ///
    /// `"***"` in a secret, as a [preview](Self::preview) shows it, stands for the secret that the call
    /// has at the same place, at any depth. A mask without such a secret is refused, and so is one in
    /// an array of which items were moved or removed.
    ///
    /// `meta.edits` of the answer lists the JSON Pointers of what was edited; the pointer to what is
    /// inside of a secret ends at the secret. The envelope's `input`
    /// stays the echo of what the model sent. An approval that was bound to a dry run of the earlier
    /// arguments is not bound to it any more.
    ///
    /// # Errors
    /// Those of [`approve`](Self::approve), and [`ApprovalError::InvalidArguments`] if the arguments
    /// are not valid. The call is as it was, and may be edited again.
    pub fn approve_edited(
        &mut self,
        approver: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<(), ApprovalError> {
        let approver = self.valid_approver(approver.into())?;
        let arguments = self.with_secrets(arguments.into())?;
        self.approval.edited |= self.edit(arguments)?;
        self.set_approver(approver);
        Ok(())
    }

    /// Declines a pending call; the model reads the feedback.
    ///
    /// `by` is the name of the person who declines, which the host gives and the ledger records; the
    /// model does not read it.
    ///
    /// # Errors
    /// Those of [`approve`](Self::approve).
    pub fn decline(
        &mut self,
        by: impl Into<String>,
        feedback: impl Into<String>,
    ) -> Result<(), ApprovalError> {
        let decliner = self.valid_approver(by.into())?;
        self.set_decliner(decliner);
        self.refuse(|| Refusal::declined(&feedback.into()))
            .map_err(|NotPending| ApprovalError::NotPending)?;
        self.withdraw_ticket(TicketWithdrawal::Declined);
        Ok(())
    }

    /// Withdraws a pending call; it never runs.
    ///
    /// # Errors
    /// The call is not pending.
    pub fn withdraw(&mut self, reason: Withdrawal) -> Result<(), NotPending> {
        match reason {
            Withdrawal::Superseded => {
                self.refuse(Refusal::superseded)?;
                self.withdraw_ticket(TicketWithdrawal::Superseded);
            }
            Withdrawal::Expired => {
                self.refuse(Refusal::expired)?;
                self.withdraw_ticket(TicketWithdrawal::Expired);
            }
            Withdrawal::CutOff => self.refuse(Refusal::cut_off)?,
        }
        Ok(())
    }

    /// Returns the approver's name if the call is pending and the name can be read.
    fn valid_approver(&self, approver: String) -> Result<String, ApprovalError> {
        if self.status != CallStatus::Pending {
            return Err(self.not_pending());
        }
        if is_name(&approver) { Ok(approver) } else { Err(ApprovalError::InvalidApprover) }
    }

    /// Returns the error of an approval that comes too late, with the reason of a refused call.
    fn not_pending(&self) -> ApprovalError {
        let is_refused =
            self.status == CallStatus::Rejected || matches!(self.target, CallTarget::Unknown(_));
        let detail = self.output.as_ref().filter(|_| is_refused).and_then(ToolOutput::error);
        detail.map_or(ApprovalError::NotPending, |it| ApprovalError::Refused(Box::new(it.clone())))
    }

    /// If the call was resumed by a ticket, records how the ticket ends.
    fn withdraw_ticket(&mut self, how: TicketWithdrawal) {
        if self.approval.ticket.is_some() {
            self.approval.withdrawn = Some(how);
        }
    }

    /// Puts the call's secrets in the place of the masks in edited arguments.
    fn with_secrets(&self, edited: Arguments) -> Result<Arguments, ApprovalError> {
        let Some(scope) = self.scope() else { return Err(ApprovalError::NotPending) };
        let (edited, limits) = (edited.into_text(), scope.environment().limits());
        match scope.registered().input.unmasked(&edited, scope.arguments(), limits) {
            Ok(Some(unmasked)) => Ok(unmasked.into()),
            Ok(None) => Ok(String::from(edited).into()),
            Err(violations) => {
                let refusal = Refusal::invalid_arguments(&violations);
                Err(ApprovalError::InvalidArguments(Box::new(refusal.detail)))
            }
        }
    }

    /// Changes the arguments and drops every approval of the earlier ones; returns whether they
    /// differ.
    pub(crate) fn edit(&mut self, arguments: Arguments) -> Result<bool, ApprovalError> {
        let (CallStatus::Pending, CallTarget::Known(scope)) = (self.status, &self.target) else {
            return Err(self.not_pending());
        };
        let limits = scope.environment().limits();
        let (arguments, _) = or_none(arguments.into_text(), limits);
        let input = &scope.registered().input;
        let changes = input.differences(scope.arguments(), &arguments, limits);
        let is_changed = !changes.is_empty();
        if is_changed {
            let sent = scope.original_call().arguments();
            let is_first_edit = sent == scope.arguments();
            let pointers =
                if is_first_edit { changes } else { input.differences(sent, &arguments, limits) };
            let edited = scope.edited(arguments, pointers);
            let decoded = decode(&edited)
                .map_err(|refusal| ApprovalError::InvalidArguments(Box::new(refusal.detail)))?;
            self.target = CallTarget::Known(edited);
            self.pending = Some(decoded);
            self.approval.preview = None;
            self.approval.preview_result = None;
            self.approval.approver = None;
        }
        Ok(is_changed)
    }
}
