//! The events of a run, for a listener of the host.

use std::fmt;
use std::sync::Arc;

use tool_runtime_core::call::ToolCall;

use crate::model::{ChatReply, ModelCall};

/// An event of a run, as [`ToolLoop::on_event`](super::ToolLoop::on_event) reports it.
///
/// A turn is any number of `Text`, one `Replied`, one `CallOpened` or `ClientCall` for each call that
/// may run, and one `CallAnswered` for each call that has an answer at the end of the turn. A call that
/// waits has none; the run then ends as suspended.
///
/// The set is exhaustive on purpose: a transport that does not know an event must not compile.
#[derive(Debug, Clone, Copy)]
pub enum LoopEvent<'e> {
    /// A piece of the model's text.
    Text(&'e str),
    /// The whole answer of the model, with its calls.
    Replied(&'e ChatReply),
    /// A call of the runtime's tools was opened; it has not run. Its
    /// [preview](ToolCall::preview) masks the secrets of its arguments.
    CallOpened {
        /// The position of the call in the turn.
        position: usize,
        /// The call.
        call: &'e ToolCall,
    },
    /// The model called a tool of the client, which waits for the client's result.
    ClientCall {
        /// The position of the call in the turn.
        position: usize,
        /// The call as the model wrote it.
        call: &'e ModelCall,
    },
    /// A call was answered, or does not run. The text is what the model reads, before compression.
    CallAnswered {
        /// The position of the call in the turn.
        position: usize,
        /// The answer.
        text: &'e str,
    },
}

/// The function of the host that receives events.
#[derive(Clone)]
pub(super) struct EventListener(Arc<dyn Fn(LoopEvent<'_>) + Send + Sync>);

impl EventListener {
    pub(super) fn new(listen: impl Fn(LoopEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listen))
    }

    pub(super) fn notify(&self, event: LoopEvent<'_>) {
        (self.0)(event);
    }
}

impl fmt::Debug for EventListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventListener").finish_non_exhaustive()
    }
}
