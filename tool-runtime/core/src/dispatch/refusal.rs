//! The answers of calls whose tools do not run, and their texts for the model.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use tool_contracts::{CallStatus, Effect, ErrorCode, Evidence, ToolErrorDetail, Violation};
use tool_runtime_schema::schema::{Malformed, ValidationReport};

use crate::effect_state::EffectState;
use crate::failure::{Failure, LoggedFailure};
use crate::refusal_reason::RefusalReason;
use crate::tool::registry::Availability;
use crate::tool::{CallScope, ErrorAuthor};

/// An answer that needed no tool.
#[derive(Debug)]
pub struct Refusal {
    pub(crate) status: CallStatus,
    pub detail: ToolErrorDetail,
    /// For the log only.
    pub(crate) log: String,
    /// The evidence of a failed dry run that answers the call.
    pub(crate) evidence: Option<Box<Evidence>>,
}

/// The number of violations that the message lists; `details.violations` has all of them.
const SPELLED_OUT: usize = 3;

/// The log of a call on a thread where the timer does not work.
pub(super) const TIMER_NOT_READY: &str =
    "the timer is not ready here: is this thread inside a tokio runtime with time enabled?";

/// The message about calls of a response that was cut off.
pub const CUT_OFF: &str = "the response was cut off before it was complete, so none of its \
                                  calls was run; repeat them, with fewer or shorter calls if the \
                                  response was too long";

impl Refusal {
    /// Makes a refusal of a failure; what the failure keeps for the log goes there.
    #[must_use]
    pub fn new(status: CallStatus, failure: Failure) -> Box<Self> {
        let LoggedFailure { failure, log, .. } = LoggedFailure::plain(failure);
        Box::new(Self { status, detail: failure.into_detail(None), log, evidence: None })
    }

    /// Answers a call that does not run with an error that was made already.
    #[must_use]
    pub fn not_run(detail: ToolErrorDetail) -> Box<Self> {
        Box::new(Self {
            status: CallStatus::NotExecuted,
            detail,
            log: String::new(),
            evidence: None,
        })
    }

    /// Removes what is sensitive in the call; none if the refusal needs no change.
    pub(crate) fn scrubbed(&self, scope: &CallScope) -> Option<Self> {
        if self.log.is_empty() && !scope.has_sensitive_values() {
            return None;
        }
        Some(Self {
            status: self.status,
            detail: scope.scrub_detail(self.detail.clone(), ErrorAuthor::Runtime),
            log: scope.scrub_log(self.log.clone()),
            evidence: self.evidence.clone(),
        })
    }

    #[must_use]
    pub fn unknown_tool(closest: &[String]) -> Box<Self> {
        let mut message = String::from("no tool has this name");
        match closest {
            [] => {}
            [only] => drop(write!(message, "; the closest is `{only}`")),
            several => drop(write!(message, "; the closest are {}", quoted(several))),
        }
        let failure = Failure::from_code(ErrorCode::NotFound)
            .with_message(message)
            .with_detail("closest", closest);
        Self::new(CallStatus::Rejected, failure)
    }

    /// The tool is there, and no call of it is opened; none if calls are.
    #[must_use]
    pub fn unavailable_tool(availability: Availability) -> Option<Box<Self>> {
        match availability {
            Availability::Available => None,
            Availability::Denied => Some(Self::denied_tool()),
            Availability::Disabled => Some(Self::disabled_tool()),
        }
    }

    pub(crate) fn denied_tool() -> Box<Self> {
        let failure =
            Failure::from_code(ErrorCode::Forbidden).with_message("this tool may not be called");
        Self::new(CallStatus::Rejected, failure)
    }

    /// The host has disabled the tool; its reason is not for the model.
    fn disabled_tool() -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Forbidden)
            .with_message("this tool is disabled; do not call it again, continue without it")
            .with_reason(RefusalReason::ToolDisabled);
        Self::new(CallStatus::Rejected, failure)
    }

    /// The arguments do not match the schema, or are not JSON; the scope has the report.
    pub(crate) fn arguments(scope: &CallScope) -> Box<Self> {
        let failure = match scope.malformed() {
            Some(malformed) => malformed_arguments(malformed, scope.raw().len()),
            None => invalid_arguments(scope.violations()),
        };
        let mut refusal = Self::new(CallStatus::Rejected, failure);
        scope.refusal_log().clone_into(&mut refusal.log);
        refusal
    }

    /// The arguments break rules that the schema does not have.
    pub(crate) fn invalid_arguments(violations: &[Violation]) -> Box<Self> {
        Self::new(CallStatus::Rejected, invalid_arguments(violations))
    }

    /// Reading the arguments panicked.
    pub(crate) fn unreadable(log: String) -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Internal)
            .with_message("the tool failed while it read its arguments");
        let mut refusal = Self::new(CallStatus::Rejected, failure);
        refusal.log = log;
        refusal
    }

    #[must_use]
    pub fn needs_confirmation() -> Box<Self> {
        Self::new(CallStatus::NotExecuted, Failure::from_code(ErrorCode::NeedsUserConfirmation))
    }

    #[must_use]
    pub fn declined(feedback: &str) -> Box<Self> {
        let mut failure = Failure::from_code(ErrorCode::Declined);
        if !feedback.is_empty() {
            failure = failure
                .with_message(format!("a person declined this call: {feedback}"))
                .with_detail("feedback", feedback);
        }
        Self::new(CallStatus::Declined, failure)
    }

    /// A batch has used up the context's budget before this call's turn came.
    pub(crate) fn out_of_time() -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Timeout)
            .with_message("the time budget was used up before this call's turn came")
            .with_effect_none();
        Self::new(CallStatus::NotExecuted, failure)
    }

    /// No timer can enforce the deadline of a tool that may have an effect.
    pub(crate) fn no_executor() -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Unavailable).with_effect_none();
        let mut refusal = Self::new(CallStatus::NotExecuted, failure);
        TIMER_NOT_READY.clone_into(&mut refusal.log);
        refusal
    }

    /// The caller relies on an idempotency key, and no store keeps keys here.
    pub(crate) fn key_store_missing() -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Unavailable)
            .with_message("idempotency keys are not stored here, so this call was not run")
            .with_reason(RefusalReason::KeyNotKept)
            .with_effect_none();
        let mut refusal = Self::new(CallStatus::NotExecuted, failure);
        "the context has an idempotency key: turn on the feature `policy` and give the builder a store"
            .clone_into(&mut refusal.log);
        refusal
    }

    /// The context limits what its calls spend, and nothing here counts it.
    pub(crate) fn allowances_not_counted() -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::ComplianceBlocked)
            .with_message("what this call may spend is limited, and cannot be counted here, so it was not run")
            .with_reason(RefusalReason::BudgetExceeded)
            .with_effect_none();
        let mut refusal = Self::new(CallStatus::NotExecuted, failure);
        "the context has allowances: turn on the feature `budgets`, and add \
         `budgets::Allowances` to the policy with `Policy::budget`"
            .clone_into(&mut refusal.log);
        refusal
    }

    pub(crate) fn superseded() -> Box<Self> {
        Self::not_executed(
            RefusalReason::Superseded,
            "a newer message of the user has superseded this call",
        )
    }

    pub(crate) fn cut_off() -> Box<Self> {
        Self::not_executed(RefusalReason::CutOff, CUT_OFF)
    }

    pub(crate) fn expired() -> Box<Self> {
        Self::not_executed(RefusalReason::Expired, "no decision about this call was made in time")
    }

    pub(crate) fn dropped() -> Box<Self> {
        Self::not_executed(
            RefusalReason::Dropped,
            "the host dropped this call without executing it",
        )
    }

    pub(crate) fn cancelled() -> Box<Self> {
        Self::not_executed(RefusalReason::Cancelled, "the host cancelled this call before it ran")
    }

    fn not_executed(reason: RefusalReason, message: &'static str) -> Box<Self> {
        let failure = Failure::from_code(ErrorCode::Cancelled)
            .with_message(message)
            .with_reason(reason)
            .with_effect_none();
        Self::new(CallStatus::NotExecuted, failure)
    }
}

/// The failure of a call that passed its deadline.
pub(crate) fn timed_out(effect: ReportedEffect, budget: Duration) -> Failure {
    let milliseconds = budget.as_millis();
    Failure::from_code(ErrorCode::Timeout)
        .with_message(format!("the tool did not end within {milliseconds} ms"))
        .with_effect(effect.state())
}

/// The failure of a call that was cancelled while it ran.
pub(crate) fn cancelled(effect: ReportedEffect) -> Failure {
    Failure::from_code(ErrorCode::Cancelled).with_effect(effect.state())
}

/// The failure of a call whose key another run has taken over.
pub(crate) fn lease_lost() -> Failure {
    Failure::from_code(ErrorCode::Conflict)
        .with_message("another run has taken over this call; the answer of that run counts")
        .with_reason(RefusalReason::LeaseLost)
        .with_effect_unknown()
}

/// The failure of a tool that returned a reconciliation without being asked for one.
pub(crate) fn unexpected_reconciliation() -> Failure {
    Failure::from_code(ErrorCode::Internal).with_log("a reconciliation that was not requested")
}

/// The failure of a tool that panicked.
pub(crate) fn panicked(effect: ReportedEffect) -> Failure {
    Failure::from_code(ErrorCode::Internal).with_effect(effect.state())
}

/// The effect that the answer reports for a tool that did not return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportedEffect {
    None,
    Unknown,
}

impl ReportedEffect {
    /// Returns `Unknown` for a write that had begun, unless it was a dry run or its effect is undone.
    pub(crate) fn for_call(scope: &CallScope, begun: bool) -> Self {
        let writes = scope.tool().effect() != Effect::Read && !scope.dry_run();
        if writes && begun && !scope.is_undone_at_end() { Self::Unknown } else { Self::None }
    }

    fn state(self) -> EffectState {
        match self {
            Self::None => EffectState::None,
            Self::Unknown => EffectState::Unknown,
        }
    }
}

/// The failure of a tool whose answer breaks its own schema.
pub(crate) fn invalid_output(violations: &[Violation]) -> Failure {
    Failure::from_code(ErrorCode::InvalidOutput).with_detail("violations", violations)
}

fn invalid_arguments(violations: &[Violation]) -> Failure {
    let pointers: BTreeSet<_> = violations.iter().map(Violation::pointer).collect();
    let mut message = match pointers.len() {
        1 => String::from("an argument is not valid"),
        // There may be more than are listed.
        count if violations.len() >= ValidationReport::MAX_LISTED => {
            format!("at least {count} arguments are not valid")
        }
        count => format!("{count} arguments are not valid"),
    };
    spell_out(violations, &mut message);
    Failure::from_code(ErrorCode::InvalidArgument)
        .with_message(message)
        .with_detail("violations", violations)
}

/// Adds the first few violations to a message, and how many more there are.
pub fn spell_out(violations: &[Violation], message: &mut String) {
    for (index, violation) in violations.iter().take(SPELLED_OUT).enumerate() {
        let separator = if index == 0 { ": " } else { "; " };
        let _ = write!(message, "{separator}{violation}");
    }
    if violations.len() > SPELLED_OUT {
        let _ = write!(message, "; and {} more", violations.len() - SPELLED_OUT);
    }
}

fn malformed_arguments(malformed: &Malformed, bytes: usize) -> Failure {
    Failure::from_code(ErrorCode::InvalidArgument)
        .with_message(format!("the arguments are not readable: {malformed}"))
        .with_detail("input_bytes", bytes)
        .with_detail("position", malformed.position())
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
