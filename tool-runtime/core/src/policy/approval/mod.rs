//! Approvals: by rules, standing grants, an approver in this process, or a ticket.

mod approver;
mod grants;
mod issuing;
mod preview_binding;
mod resuming;
mod waiting_calls;

use std::sync::Arc;
use std::time::Duration;

use tool_contracts::{CallStatus, ErrorCode, Permission, ToolErrorDetail};

use self::approver::DecisionKind;
pub use self::approver::{ApprovalRequest, Approver, Decision, GrantFor, approver_fn};
pub use self::grants::{GrantError, Grants};
pub use self::issuing::TicketIssueError;
pub(super) use self::preview_binding::{fingerprint, not_canonical};
pub use self::resuming::Tickets;
pub use self::waiting_calls::{WaitingCall, WaitingCalls};
use super::access::{AccessPolicy, AccessRequest, AccessVerdict};
use super::events::EventAnnouncer;
use super::idempotency::{EarlierRun, KeyClaims, key_reused};
use super::spending::SpendingLimits;
use super::store_client::StoreClient;
use crate::call::{ApprovalError, ToolCall};
use crate::dispatch::pipeline::PolicyDecision;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{AwaitedTicket, CallApproval, RedeemedTicket, TicketWithdrawal, is_name};
use crate::failure::Failure;
use crate::key_ring::KeyRing;
use crate::refusal_reason::RefusalReason;
use crate::store::TicketEnd;
use crate::tool::{ToolOutput, guarded};

/// The most times an approver is asked again because its edited arguments are invalid.
const MAX_EDITS: usize = 3;

impl ToolCall {
    /// Returns the approval of the call.
    pub fn approval(&self) -> &CallApproval {
        &self.approval
    }

    /// Returns the approval of the call, to change it.
    pub fn approval_mut(&mut self) -> &mut CallApproval {
        &mut self.approval
    }

    /// Lets the call exceed those budgets that ask when they are exceeded.
    ///
    /// The host says so only for an approver with the right to it, beside [`approve`](Self::approve).
    pub fn exceed_budgets(&mut self) {
        self.approval.may_exceed_budgets = true;
    }
}

/// Decides which calls may run: by rules, grants, the approver, and tickets.
pub(super) struct Approvals {
    pub(super) stores: Arc<StoreClient>,
    pub(super) claims: Arc<KeyClaims>,
    pub(super) spending: Arc<SpendingLimits>,
    pub(super) events: Arc<EventAnnouncer>,
    /// None if the host sets no keys and the system has no random bytes.
    pub(super) keys: Option<Arc<KeyRing>>,
    pub(super) access: Option<Arc<dyn AccessPolicy>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) ticket_lifetime: Duration,
    /// The quota of one caller's waiting calls.
    pub(super) tickets_per_caller: usize,
}

impl Approvals {
    /// Decides whether a pending call may run, is refused, or needs an approval; asks no approver.
    pub(super) async fn authorize(&self, call: &ToolCall) -> Result<PolicyDecision, Box<Refusal>> {
        let withholds_effect = call.scope().is_some_and(|scope| scope.withholds_effect());
        let decision = self.evaluate(call).await?;
        // An approved call has its decision; a dry run of a write spends nothing.
        let decision = if call.approver().is_some() || withholds_effect {
            decision
        } else {
            self.rule_of_budgets(call, decision).await?
        };
        Ok(match decision {
            // A dry run of a write has no effect and needs no approval; that of a read gives its
            // data.
            PolicyDecision::RequireApproval(_) if call.approver().is_some() || withholds_effect => {
                PolicyDecision::Allow
            }
            // A call behind a ticket needs an approval, even if the rules allow it by now.
            PolicyDecision::Allow
                if call.approval().ticket.is_some() && call.approver().is_none() =>
            {
                PolicyDecision::RequireApproval(None)
            }
            ruling @ (PolicyDecision::Allow | PolicyDecision::RequireApproval(_)) => ruling,
        })
    }

    /// Requires an approval where a budget asks. A call that cannot be paid is refused, unless an earlier run under its
    /// key has left an answer or is in doubt.
    async fn rule_of_budgets(
        &self,
        call: &ToolCall,
        decision: PolicyDecision,
    ) -> Result<PolicyDecision, Box<Refusal>> {
        let refusal = match self.spending.reason_to_ask(call).await {
            Ok(None) => return Ok(decision),
            Ok(Some(reason)) => {
                let reason = match decision {
                    PolicyDecision::RequireApproval(Some(other)) => format!("{other}; {reason}"),
                    PolicyDecision::Allow | PolicyDecision::RequireApproval(None) => reason,
                };
                return Ok(PolicyDecision::RequireApproval(Some(reason)));
            }
            Err(refusal) => refusal,
        };
        let earlier = match call.scope() {
            Some(scope) => self.claims.earlier_run(scope, call.approval()).await?,
            None => EarlierRun::None,
        };
        if earlier == EarlierRun::None { Err(refusal) } else { Ok(decision) }
    }

    /// Gets the approval that a call needs: from a stored answer, a grant, the approver, or a
    /// ticket.
    pub(super) async fn request_approval(
        &self,
        call: &mut ToolCall,
        reason: Option<String>,
    ) -> Result<(), Box<Refusal>> {
        // A call that was resumed by its ticket needs an approver, not a grant.
        if let Some(RedeemedTicket { id, json, .. }) = &call.approval().ticket {
            let ticket = AwaitedTicket { id: *id, json: json.clone() };
            return Err(needs_confirmation(call, ticket));
        }
        // If the host's access policy asks, a standing grant is not enough.
        let earlier = match call.scope() {
            Some(scope) => self.claims.earlier_run(scope, call.approval()).await?,
            None => EarlierRun::None,
        };
        // No decision could let it run.
        if earlier == EarlierRun::OtherArguments {
            return Err(key_reused());
        }
        // A repeat needs no approval to get its stored answer, and may do nothing else.
        call.approval_mut().replays = earlier == EarlierRun::Answered;
        if earlier == EarlierRun::Answered || reason.is_none() && self.use_grant(call).await? {
            return Ok(());
        }
        // No person is asked about a call that cannot be paid; the numbers are those of now.
        if earlier == EarlierRun::None {
            let spending = self.spending.look(call).await?;
            if let Some((spending, scope)) = spending.zip(call.scope()) {
                spending.must_fit(scope)?;
                let proofs = spending.proofs().into_iter().map(|proof| proof.sha256).collect();
                call.approval_mut().proofs = Some(proofs);
                call.approval_mut().budget_notes = spending.notes();
                call.approval_mut().visible_budget_notes = spending.visible_notes();
            }
        }
        // After an earlier run that may have had its effect, a dry run could not be compared.
        let dry_run = if earlier == EarlierRun::None { self.dry_run(call).await? } else { None };
        self.ask_approver(call, reason.as_deref(), dry_run.as_ref()).await
    }

    /// Evaluates the tool's permission and the host's access policy.
    async fn evaluate(&self, call: &ToolCall) -> Result<PolicyDecision, Box<Refusal>> {
        let Some(scope) = call.scope() else { return Ok(PolicyDecision::Allow) };
        let verdict = match &self.access {
            None => AccessVerdict::ByPermission,
            Some(access) => {
                let request = AccessRequest::new(call, scope);
                // The call itself is inside the guard: a hand-written implementation may panic
                // there.
                match guarded(async { access.decide(&request).await }).await {
                    Ok(Ok(verdict)) => verdict,
                    Ok(Err(error)) => return Err(undecided(&error.to_string())),
                    Err(_) => return Err(undecided("panicked")),
                }
            }
        };
        match (verdict, scope.tool().permission()) {
            (AccessVerdict::Deny { reason }, _) => Err(denied(&reason)),
            (_, Permission::Deny) => Err(Refusal::denied_tool()),
            (AccessVerdict::Ask { reason }, _) => Ok(PolicyDecision::RequireApproval(Some(reason))),
            (AccessVerdict::ByPermission, Permission::Ask) => {
                Ok(PolicyDecision::RequireApproval(None))
            }
            (AccessVerdict::Allow | AccessVerdict::ByPermission, _) => Ok(PolicyDecision::Allow),
        }
    }

    /// Asks the approver of this process; without one, or if it defers, issues a ticket.
    async fn ask_approver(
        &self,
        call: &mut ToolCall,
        reason: Option<&str>,
        dry_run: Option<&ToolOutput>,
    ) -> Result<(), Box<Refusal>> {
        let mut refused = None;
        for _ in 0..=MAX_EDITS {
            let decision = self.decision(call, reason, dry_run, refused.as_ref()).await;
            match decision {
                DecisionKind::Defer => break,
                DecisionKind::Decline { by, .. } if !is_name(&by) => break,
                DecisionKind::Decline { by, feedback } => {
                    call.set_decliner(by);
                    return Err(Refusal::declined(&feedback));
                }
                DecisionKind::Approve { approver, arguments, always, exceeds_budgets } => {
                    let edited = arguments.is_some();
                    call.approval_mut().may_exceed_budgets = exceeds_budgets;
                    match approve(call, approver, arguments) {
                        ApprovalOutcome::Approved => {
                            // The access policy has not seen the edited arguments yet.
                            if edited {
                                self.authorize(call).await?;
                            }
                            return self.keep_grant(call, always).await;
                        }
                        ApprovalOutcome::InvalidArguments(detail) => refused = Some(detail),
                        ApprovalOutcome::NotApproved => break,
                    }
                }
            }
        }
        Err(self.defer(call, reason).await)
    }

    async fn decision(
        &self,
        call: &ToolCall,
        reason: Option<&str>,
        dry_run: Option<&ToolOutput>,
        refused: Option<&ToolErrorDetail>,
    ) -> DecisionKind {
        let (Some(approver), Some(scope)) = (&self.approver, call.scope()) else {
            return DecisionKind::Defer;
        };
        let request = ApprovalRequest { call, scope, reason, dry_run, refused };
        let decision = guarded(async { approver.decide(&request).await });
        decision.await.map_or(DecisionKind::Defer, |decision| decision.0)
    }
}

/// The outcome of an approver's approval.
enum ApprovalOutcome {
    Approved,
    /// The edited arguments are invalid.
    InvalidArguments(ToolErrorDetail),
    /// The approver has no name, or the call is not pending any more.
    NotApproved,
}

fn approve(
    call: &mut ToolCall,
    approver: String,
    arguments: Option<crate::Arguments>,
) -> ApprovalOutcome {
    let Some(arguments) = arguments else {
        return match call.approve(approver) {
            Ok(()) => ApprovalOutcome::Approved,
            Err(
                ApprovalError::NotPending
                | ApprovalError::Refused(_)
                | ApprovalError::InvalidApprover
                | ApprovalError::InvalidArguments(_),
            ) => ApprovalOutcome::NotApproved,
        };
    };
    match call.approve_edited(approver, arguments) {
        Ok(()) => ApprovalOutcome::Approved,
        Err(ApprovalError::InvalidArguments(detail)) => ApprovalOutcome::InvalidArguments(*detail),
        Err(
            ApprovalError::NotPending | ApprovalError::Refused(_) | ApprovalError::InvalidApprover,
        ) => ApprovalOutcome::NotApproved,
    }
}

/// Returns the refusal of a call that waits for a decision. Its ticket is in the details for the
/// host's client, and in the call's approval for the crates of the library.
fn needs_confirmation(call: &mut ToolCall, ticket: AwaitedTicket) -> Box<Refusal> {
    let mut failure = Failure::from_code(ErrorCode::NeedsUserConfirmation);
    if let Ok(ticket) = serde_json::from_str::<serde_json::Value>(&ticket.json) {
        failure = failure.with_detail("ticket", ticket);
    }
    if !call.approval().visible_budget_notes.is_empty() {
        failure = failure.with_detail("budgets", &call.approval().visible_budget_notes);
    }
    call.approval_mut().awaited_ticket = Some(ticket);
    Refusal::new(CallStatus::NotExecuted, failure)
}

fn denied(reason: &str) -> Box<Refusal> {
    let mut failure = Failure::from_code(ErrorCode::Forbidden);
    if !reason.is_empty() {
        failure = failure.with_message(format!("this call is not allowed: {reason}"));
    }
    Refusal::new(CallStatus::Rejected, failure.with_reason(RefusalReason::DeniedByPolicy))
}

/// Denies a call because the access policy failed.
fn undecided(log: &str) -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Forbidden)
        .with_message("this call is not allowed, because the access policy failed")
        .with_reason(RefusalReason::PolicyFailed)
        .with_log(format!("the access policy failed: {log}"));
    Refusal::new(CallStatus::Rejected, failure)
}

/// Converts a call's withdrawal to the end of its ticket.
pub(super) fn ticket_end_of(how: TicketWithdrawal) -> TicketEnd {
    match how {
        TicketWithdrawal::Declined => TicketEnd::Declined,
        TicketWithdrawal::Superseded => TicketEnd::Superseded,
        TicketWithdrawal::Expired => TicketEnd::Expired,
    }
}
