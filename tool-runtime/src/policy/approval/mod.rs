//! Asks whoever has to be asked before a call runs, here or by a ticket.

mod approver;
mod binding;
mod deferring;
mod grants;
mod resuming;
mod waiting;

use tool_contracts::{CallStatus, ErrorCode, Permission, ToolErrorDetail};

use self::approver::Kind;
pub use self::approver::{ApprovalRequest, Approver, Decision, GrantFor};
pub(super) use self::binding::{fingerprint, not_canonical};
pub use self::deferring::TicketError;
pub use self::grants::GrantError;
pub use self::waiting::{WaitingCall, WaitingCalls};
use super::access::{AccessRequest, AccessVerdict};
use super::governor::State;
use super::idempotency::Known;
use crate::call::{ApprovalError, CallScope, TicketWithdrawal, ToolCall, ToolOutput, guarded};
use crate::dispatch::call_policy::PolicyDecision;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::store::TicketEnd;

/// How often somebody is asked again because the arguments they wrote are not valid.
const MOST_EDITS: usize = 3;

impl State {
    /// Decides whether a pending call may run, must not, or needs somebody's word; asks nobody.
    pub(super) async fn rule(&self, call: &ToolCall) -> Result<PolicyDecision, Box<Refusal>> {
        let withholds_effect = call.scope().is_some_and(CallScope::withholds_effect);
        Ok(match self.judge(call).await? {
            // A dry run of a write has no effect to ask about; a read gives its data all the same.
            PolicyDecision::RequireApproval(_) if call.approver().is_some() || withholds_effect => {
                PolicyDecision::Allow
            }
            // Whoever put it away wanted a person's word, whatever the rules say by now.
            PolicyDecision::Allow
                if call.approval().ticket.is_some() && call.approver().is_none() =>
            {
                PolicyDecision::RequireApproval(None)
            }
            ruling => ruling,
        })
    }

    /// Asks whoever has to be asked about a call.
    pub(super) async fn ask(
        &self,
        call: &mut ToolCall,
        reason: Option<String>,
    ) -> Result<(), Box<Refusal>> {
        // A call that came back by its ticket waits for a name, not for a grant.
        if let Some(ticket) = &call.approval().ticket {
            return Err(needs_confirmation(&ticket.json));
        }
        // Where the host's own rule asks, no grant of an earlier day speaks for a person.
        let known = match call.scope() {
            Some(scope) => self.known(scope, call.approval()).await?,
            None => Known::No,
        };
        // A repeat is let through to the answer that is kept for it, and to nothing else.
        call.approval_mut().replays = known == Known::Answered;
        if known == Known::Answered || reason.is_none() && self.use_grant(call).await? {
            return Ok(());
        }
        // What an earlier run may have done already cannot be rehearsed again.
        let rehearsal = if known == Known::No { self.rehearse(call).await? } else { None };
        self.ask_somebody(call, reason.as_deref(), rehearsal.as_ref()).await
    }

    /// Asks the tool's permission and the host's own rule.
    async fn judge(&self, call: &ToolCall) -> Result<PolicyDecision, Box<Refusal>> {
        let Some(scope) = call.scope() else { return Ok(PolicyDecision::Allow) };
        let verdict = match &self.access {
            None => AccessVerdict::ByPermission,
            Some(access) => {
                let request = AccessRequest::new(call, scope);
                // Inside of the guard also where it is called: an implementation by hand may panic there.
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

    /// Asks the approver of this process; without one, or if they defer, by a ticket.
    async fn ask_somebody(
        &self,
        call: &mut ToolCall,
        reason: Option<&str>,
        rehearsal: Option<&ToolOutput>,
    ) -> Result<(), Box<Refusal>> {
        let mut refused = None;
        for _ in 0..=MOST_EDITS {
            let decision = self.decision(call, reason, rehearsal, refused.as_ref()).await;
            match decision {
                Kind::Defer => break,
                Kind::Decline { feedback } => return Err(Refusal::declined(&feedback)),
                Kind::Approve { approver, arguments, always } => {
                    let edited = arguments.is_some();
                    match approve(call, approver, arguments) {
                        Approved::Yes => {
                            // The host's own rule has not seen these arguments yet.
                            if edited {
                                self.rule(call).await?;
                            }
                            return self.keep_grant(call, always).await;
                        }
                        Approved::NotValid(detail) => refused = Some(detail),
                        Approved::Nobody => break,
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
        rehearsal: Option<&ToolOutput>,
        refused: Option<&ToolErrorDetail>,
    ) -> Kind {
        let (Some(approver), Some(scope)) = (&self.approver, call.scope()) else {
            return Kind::Defer;
        };
        let request = ApprovalRequest { call, scope, reason, rehearsal, refused };
        let decision = guarded(async { approver.decide(&request).await });
        decision.await.map_or(Kind::Defer, |decision| decision.0)
    }
}

/// What came of an approver's yes.
enum Approved {
    Yes,
    /// The arguments that they wrote are not valid.
    NotValid(ToolErrorDetail),
    /// They have no name, or the call waits no more.
    Nobody,
}

fn approve(call: &mut ToolCall, approver: String, arguments: Option<crate::Arguments>) -> Approved {
    let Some(arguments) = arguments else {
        return if call.approve(approver).is_ok() { Approved::Yes } else { Approved::Nobody };
    };
    match call.approve_edited(approver, arguments) {
        Ok(()) => Approved::Yes,
        Err(ApprovalError::InvalidArguments(detail)) => Approved::NotValid(*detail),
        Err(_) => Approved::Nobody,
    }
}

/// The answer of a call that waits for a person: the ticket leads back to it.
fn needs_confirmation(ticket: &str) -> Box<Refusal> {
    let mut failure = Failure::of(ErrorCode::NeedsUserConfirmation);
    if let Ok(ticket) = serde_json::from_str::<serde_json::Value>(ticket) {
        failure = failure.with_detail("ticket", ticket);
    }
    Refusal::new(CallStatus::NotExecuted, failure)
}

fn denied(reason: &str) -> Box<Refusal> {
    let mut failure = Failure::of(ErrorCode::Forbidden);
    if !reason.is_empty() {
        failure = failure.with_message(format!("this call is not allowed: {reason}"));
    }
    Refusal::new(CallStatus::Rejected, failure.with_detail("reason", "denied_by_policy"))
}

/// The host's rule could not decide: the call is denied.
fn undecided(log: &str) -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Forbidden)
        .with_message("whether this call is allowed could not be decided, so it is not")
        .with_detail("reason", "policy_failed")
        .with_log(format!("the access policy failed: {log}"));
    Refusal::new(CallStatus::Rejected, failure)
}

/// How a ticket ends whose call was withdrawn.
pub(super) fn end_of(how: TicketWithdrawal) -> TicketEnd {
    match how {
        TicketWithdrawal::Declined => TicketEnd::Declined,
        TicketWithdrawal::Superseded => TicketEnd::Overtaken,
        TicketWithdrawal::Expired => TicketEnd::Expired,
    }
}
