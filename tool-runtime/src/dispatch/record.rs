//! The record of an ended call, which observers receive once.

use std::fmt;
use std::time::Duration;

use tool_contracts::{CallStatus, ToolContext, ToolSpec};
use uuid::Uuid;

use super::Runtime;
use super::pipeline::CallOutcome;
#[cfg(feature = "ledger")]
use super::pipeline::EffectOutcome;
use super::seams::CallInstrument;
use crate::call::{CallScope, ToolCall, ToolOutput, guard};

/// Observes the end of every call: executed, refused, declined, interrupted or dropped.
///
/// The observer runs on the thread that ends the call, so it must be quick and must not block.
pub trait Observe: Send + Sync + 'static {
    /// Receives the record of one ended call.
    fn closed(&self, record: &CallRecord<'_>);
}

/// A closure is an observer too.
impl<F: Fn(&CallRecord<'_>) + Send + Sync + 'static> Observe for F {
    fn closed(&self, record: &CallRecord<'_>) {
        self(record);
    }
}

/// The origin of a call's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// From this very call: its tool ran, or it was refused.
    #[default]
    Call,
    /// From an earlier call with the same arguments, whose answer is still fresh.
    Cache,
    /// From an earlier call under the same idempotency key.
    Replay,
}

/// One ended call.
pub struct CallRecord<'c> {
    call: &'c ToolCall,
    ended: &'c CallOutcome,
}

impl<'c> CallRecord<'c> {
    /// Returns the name that was called.
    #[must_use]
    pub fn tool(&self) -> &'c str {
        self.call.name()
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&'c str> {
        self.call.call_id()
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.call.cx()
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
        self.call.tool()
    }

    /// Returns how long the call ran, until now; nothing for a call that never did.
    ///
    /// The time counts from the last approval that the call needed.
    #[must_use]
    pub fn took(&self) -> Option<Duration> {
        let started = self.call.started()?;
        Some(self.call.runtime().timer().now().duration_since(started))
    }

    /// Returns how often the tool was tried: 1 for most calls, 0 for one that never ran.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.call.scope().map_or(0, CallScope::tries)
    }

    /// Returns the origin of the answer.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.ended.origin
    }

    /// Returns the name of the approver, if the call was approved.
    ///
    /// An approval without effect is left out: that of a call which was then rejected, for example
    /// because another decision had used its ticket.
    #[must_use]
    pub fn approver(&self) -> Option<&'c str> {
        self.call.approver().filter(|_| self.ended.status != CallStatus::Rejected)
    }

    /// Returns whether the tool may have run for this answer, now or in the call that it repeats.
    #[cfg(feature = "ledger")]
    pub(crate) fn may_have_run(&self) -> bool {
        self.ended.effect != EffectOutcome::NotRun || self.ended.origin != Origin::Call
    }

    pub(crate) fn call(&self) -> &'c ToolCall {
        self.call
    }

    /// Returns whether this is the dry run of a call that waits for a decision.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.call.scope().is_some_and(CallScope::is_rehearsal)
    }

    /// Returns the invocation that this call replays, to see whether its answer is still the same.
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {
        self.call.scope().and_then(CallScope::replay_of)
    }

    /// Returns the digest of the snapshot that this call left as evidence.
    #[cfg(feature = "ledger")]
    pub(crate) fn snapshot_digest(&self) -> Option<crate::canonical::Digest> {
        self.ended.evidence_draft.as_ref()?.snapshot
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

/// Passes the record of an ended call to the recorder, the instrument and every observer.
///
/// Returns the number of the record if the answer has to wait for it.
pub(crate) fn closed(runtime: &Runtime, call: &ToolCall, ended: &CallOutcome) -> Option<u64> {
    let record = CallRecord { call, ended };
    // A panic of an observer must not lose the call's answer.
    let closed = runtime.recorder().map(|recorder| guard(|| recorder.closed(&record)));
    let number = closed.and_then(std::result::Result::unwrap_or_default);
    let is_enabled =
        |instrument: &&dyn CallInstrument| call.is_instrumented() || instrument.is_enabled();
    if let Some(instrument) = runtime.instrument().filter(is_enabled) {
        drop(guard(|| instrument.closed(&record)));
    }
    for observer in runtime.observers() {
        drop(guard(|| observer.closed(&record)));
    }
    number
}
