//! What the host hears of every call, once, when it has ended.

use std::fmt;

use tool_contracts::{CallStatus, ToolContext};

use super::Runtime;
use super::pipeline::Ended;
use crate::call::{CallScope, ToolCall, ToolOutput, guard};

/// Hears of every call's end: executed, refused, declined, interrupted or dropped.
///
/// It is called on the thread that ends the call, so it must be quick and must not block.
pub trait Observe: Send + Sync + 'static {
    /// Takes note of one ended call.
    fn closed(&self, record: &CallRecord<'_>);
}

/// One ended call.
pub struct CallRecord<'c> {
    call: &'c ToolCall,
    ended: &'c Ended,
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

    /// Returns who approved the call, if somebody was asked.
    #[must_use]
    pub fn approver(&self) -> Option<&'c str> {
        self.call.approver()
    }

    /// Tells whether this is the dry run of a call that somebody has to decide about.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.call.scope().is_some_and(CallScope::is_rehearsal)
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
pub(crate) fn closed(runtime: &Runtime, call: &ToolCall, ended: &Ended) {
    for observer in runtime.observers() {
        // An observer's panic must not take the call's answer with it.
        drop(guard(|| observer.closed(&CallRecord { call, ended })));
    }
}
