//! The record of an ended call, which observers receive once.

use std::fmt;
use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ToolContext, ToolSpec};
use uuid::Uuid;

use super::call_approval::CallApproval;
use super::outcome::{AnswerOrigin, CallOutcome};
use super::spending_record::SpendingRecord;
use crate::tool::{CallScope, ToolOutput};

/// Observes the end of every call: executed, refused, declined, interrupted or dropped.
///
/// The observer runs on the thread that ends the call, so it must be quick and must not block.
pub trait Observe: Send + Sync + 'static {
    /// Receives the record of one ended call.
    fn call_ended(&self, record: &CallRecord<'_>);
}

/// A closure is an observer too.
impl<F: Fn(&CallRecord<'_>) + Send + Sync + 'static> Observe for F {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self(record);
    }
}

/// One ended call.
pub struct CallRecord<'c> {
    pub facts: CallFacts<'c>,
    pub ended: &'c CallOutcome,
}

/// The facts about a call that do not depend on how it ended.
pub struct CallFacts<'c> {
    /// The name that was called.
    pub name: &'c str,
    pub call_id: Option<&'c str>,
    pub cx: &'c ToolContext,
    /// None if no tool has the name.
    pub scope: Option<&'c CallScope>,
    pub approval: &'c CallApproval,
    /// In milliseconds since the epoch; 0 without a ledger.
    #[allow(dead_code, reason = "only the feature `ledger` records it")]
    pub opened_at_ms: u64,
    /// The time at which the call began to run, if it did.
    pub(crate) started: Option<Instant>,
    /// True if the instrument has to learn of the call's end.
    pub(crate) is_instrumented: bool,
}

impl fmt::Debug for CallFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFacts").finish_non_exhaustive()
    }
}

impl<'c> CallRecord<'c> {
    pub(super) fn new(facts: CallFacts<'c>, ended: &'c CallOutcome) -> Self {
        Self { facts, ended }
    }

    /// Returns the name that was called.
    #[must_use]
    pub fn tool(&self) -> &'c str {
        self.facts.name
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&'c str> {
        self.facts.call_id
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.facts.cx
    }

    /// Returns how the call ended.
    #[must_use]
    pub fn status(&self) -> CallStatus {
        self.ended.status
    }

    /// Returns the answer, as the caller gets it.
    #[must_use]
    pub fn output(&self) -> &'c ToolOutput {
        &self.ended.output
    }

    /// Returns the tool, unless the name is unknown.
    #[must_use]
    pub fn spec(&self) -> Option<&'c ToolSpec> {
        self.facts.scope.map(CallScope::tool)
    }

    /// Returns how long the call ran, until now; nothing for a call that never did.
    ///
    /// The time counts from the last approval that the call needed.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        let (scope, started) = (self.facts.scope?, self.facts.started?);
        Some(scope.environment().elapsed_since(started))
    }

    /// Returns how often the tool was tried: 1 for most calls, 0 for one that never ran.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.facts.scope.map_or(0, |scope| scope.started_attempts())
    }

    /// Returns the origin of the answer.
    #[must_use]
    pub fn origin(&self) -> AnswerOrigin {
        self.ended.origin
    }

    /// Returns the name of the approver, if the call was approved.
    ///
    /// An approval without effect is left out: that of a call which was then rejected, for example
    /// because another decision had used its ticket.
    #[must_use]
    pub fn approver(&self) -> Option<&'c str> {
        let approver = self.facts.approval.approver.as_deref();
        approver.filter(|_| self.ended.status != CallStatus::Rejected)
    }

    /// Returns the name under which the call was declined, if it was.
    #[must_use]
    pub fn decliner(&self) -> Option<&'c str> {
        let decliner = self.facts.approval.decliner.as_deref();
        decliner.filter(|_| self.ended.status == CallStatus::Declined)
    }

    /// Returns whether this is the dry run of a call that waits for a decision.
    #[must_use]
    pub fn is_approval_dry_run(&self) -> bool {
        self.facts.scope.is_some_and(CallScope::is_approval_dry_run)
    }

    /// Returns the invocation that this call replays, to see whether its answer is still the same.
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {
        self.facts.scope.and_then(CallScope::replay_of)
    }

    /// Returns what the call asked of budgets, and what became of these amounts; often nothing.
    #[must_use]
    pub fn spending(&self) -> Vec<SpendingRecord> {
        self.facts.scope.map_or_else(Vec::new, |scope| scope.spending())
    }

    /// Returns the text for logs only: a panic's text, an error and its sources. Often empty.
    #[must_use]
    pub fn log(&self) -> &'c str {
        &self.ended.log
    }
}

/// Shows neither arguments nor answer.
impl fmt::Debug for CallRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRecord")
            .field("tool", &self.tool())
            .field("call_id", &self.call_id())
            .field("status", &self.status())
            .field("log", &self.log())
            .finish_non_exhaustive()
    }
}
