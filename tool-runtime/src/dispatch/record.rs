//! What the host hears of every call, once, when it has ended.

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

/// Hears of every call's end: executed, refused, declined, interrupted or dropped.
///
/// It is called on the thread that ends the call, so it must be quick and must not block.
pub trait Observe: Send + Sync + 'static {
    /// Takes note of one ended call.
    fn closed(&self, record: &CallRecord<'_>);
}

/// A closure hears of it too.
impl<F: Fn(&CallRecord<'_>) + Send + Sync + 'static> Observe for F {
    fn closed(&self, record: &CallRecord<'_>) {
        self(record);
    }
}

/// Where the answer of a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// From this very call: its tool ran, or it was refused.
    #[default]
    Call,
    /// From an earlier call that asked the same, and is still fresh.
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
    /// It counts from the moment at which everybody who had to allow the call had done so.
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

    /// Tells where the answer comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.ended.origin
    }

    /// Returns who approved the call, if somebody was asked.
    ///
    /// An approval of a call that was then rejected did not count, and is left out: its ticket had
    /// been used, say, by another decision.
    #[must_use]
    pub fn approver(&self) -> Option<&'c str> {
        self.call.approver().filter(|_| self.ended.status != CallStatus::Rejected)
    }

    /// Tells whether the tool may have run for it, now or in the call that it repeats.
    #[cfg(feature = "ledger")]
    pub(crate) fn may_have_run(&self) -> bool {
        self.ended.effect != EffectOutcome::NotRun || self.ended.origin != Origin::Call
    }

    pub(crate) fn call(&self) -> &'c ToolCall {
        self.call
    }

    /// Tells whether this is the dry run of a call that somebody has to decide about.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.call.scope().is_some_and(CallScope::is_rehearsal)
    }

    /// Returns the invocation that this call repeats, where it was made only to see whether its
    /// answer is still the same.
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {
        self.call.scope().and_then(CallScope::replay_of)
    }

    /// Returns the digest of the snapshot that this call left as evidence.
    #[cfg(feature = "ledger")]
    pub(crate) fn snapshot_digest(&self) -> Option<crate::canonical::Digest> {
        self.ended.evidence_draft.as_ref()?.snapshot
    }

    /// Returns what only a log may hold: a panic's text, an error and its sources. Often empty.
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

/// Tells every observer that a call has ended.
///
/// Returns the number of its record, where the answer has to wait for that.
pub(crate) fn closed(runtime: &Runtime, call: &ToolCall, ended: &CallOutcome) -> Option<u64> {
    let record = CallRecord { call, ended };
    // A panic of theirs must not take the call's answer with it.
    let closed = runtime.recorder().map(|recorder| guard(|| recorder.closed(&record)));
    let number = closed.and_then(std::result::Result::unwrap_or_default);
    let heard = |instrument: &&dyn CallInstrument| call.is_instrumented() || instrument.wants();
    if let Some(instrument) = runtime.instrument().filter(heard) {
        drop(guard(|| instrument.closed(&record)));
    }
    for observer in runtime.observers() {
        drop(guard(|| observer.closed(&record)));
    }
    number
}
