//! The place of a request in a distributed trace, as W3C Trace Context has it.
//!
//! [`TraceContext`] reads and writes the headers `traceparent` and `tracestate` by
//! [level 2](https://www.w3.org/TR/trace-context-2/) of the specification, strictly: what it says
//! must or should not be accepted is not. This module does not send or receive headers.
//!
//! Three rules decide most cases:
//!
//! - No `traceparent`, more than one, or one that does not hold: the request starts a trace, and
//!   what its `tracestate` says is not read.
//! - A `tracestate` that does not hold is dropped as a whole; the parent is not concerned.
//! - A service that forwards a request uses a span of its own, and so a [`child`](TraceContext::child).
//!
//! ```
//! use tool_contracts::trace_context::{SpanId, TraceContext};
//!
//! let incoming = [
//!     ("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
//!     ("Tracestate", "congo=t61rcWkgMzE"),
//! ];
//! let received = TraceContext::from_fields(incoming).unwrap_or_else(|_| TraceContext::start());
//!
//! let sent = received.child("b7ad6b7169203331".parse()?);
//! assert_eq!(
//!     sent.to_headers().collect::<Vec<_>>(),
//!     [
//!         ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01".to_owned()),
//!         ("tracestate", "congo=t61rcWkgMzE".to_owned()),
//!     ],
//! );
//! # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
//! ```

mod error;
mod flags;
mod ids;
mod parent;
mod state;

use std::iter;

pub use self::{
    error::TraceContextError,
    flags::TraceFlags,
    ids::{SpanId, TraceId},
    parent::TraceParent,
    state::TraceState,
};
use crate::Trace;

/// Names the header that says the trace, the caller's span and the flags.
pub const TRACEPARENT: &str = "traceparent";

/// Names the header that says what vendors add to a trace.
pub const TRACESTATE: &str = "tracestate";

/// The whitespace that HTTP admits around a value (RFC 9110, section 5.6.3).
const WHITESPACE: [char; 2] = [' ', '\t'];

/// Places a request in a distributed trace: its parent, and what vendors add to it.
///
/// Inside a host it travels in a [`ToolContext`](crate::ToolContext), which takes it by
/// [`trace_context`](crate::ToolContextBuilder::trace_context) and gives it back unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceContext {
    parent: TraceParent,
    state: TraceState,
}

impl TraceContext {
    /// Creates a context without a state.
    #[must_use]
    pub fn new(parent: TraceParent) -> Self {
        Self { parent, state: TraceState::default() }
    }

    /// Starts a trace with random ids, not sampled; the flags say that they are random.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceContext;
    ///
    /// let started = TraceContext::start().with_sampled(true);
    /// assert_eq!(started.parent().flags().to_string(), "03");
    /// assert!(started.state().is_empty());
    /// ```
    #[must_use]
    pub fn start() -> Self {
        Self::new(TraceParent::start())
    }

    /// Reads the values of all headers of either name, in their order.
    ///
    /// Values are bytes or text, as the host's HTTP library has them. A state that does not hold
    /// is dropped; [`TraceState::parse`] says why.
    ///
    /// ```
    /// use tool_contracts::trace_context::{TraceContext, TraceContextError};
    ///
    /// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let received = TraceContext::from_headers([parent], ["rojo=1", "congo=2"])?;
    /// assert_eq!(received.state().as_str(), "rojo=1,congo=2");
    ///
    /// let none = TraceContext::from_headers(None::<&[u8]>, ["rojo=1"]);
    /// assert_eq!(none, Err(TraceContextError::Missing));
    /// # Ok::<(), TraceContextError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no `traceparent`, more than one, or one that breaks the rules:
    /// start a trace.
    pub fn from_headers(
        traceparent: impl IntoIterator<Item: AsRef<[u8]>>,
        tracestate: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<Self, TraceContextError> {
        let mut parents = traceparent.into_iter();
        let parent = TraceParent::parse(parents.next().ok_or(TraceContextError::Missing)?);
        if parents.next().is_some() {
            return Err(TraceContextError::Repeated);
        }
        Ok(Self { parent: parent?, state: TraceState::parse(tracestate).unwrap_or_default() })
    }

    /// Picks the two headers out of all that a request has, by name in any case, and reads them.
    ///
    /// # Errors
    /// As [`from_headers`](Self::from_headers).
    pub fn from_fields(
        fields: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)>,
    ) -> Result<Self, TraceContextError> {
        let (mut parents, mut states) = (Vec::new(), Vec::new());
        for (name, value) in fields {
            match name.as_ref() {
                name if name.eq_ignore_ascii_case(TRACEPARENT) => parents.push(value),
                name if name.eq_ignore_ascii_case(TRACESTATE) => states.push(value),
                _ => {}
            }
        }
        Self::from_headers(parents, states)
    }

    /// Sets what vendors add.
    #[must_use]
    pub fn with_state(self, state: TraceState) -> Self {
        Self { state, ..self }
    }

    /// Returns whether the trace is recorded from here on.
    ///
    /// The specification allows that only together with a new parent id: call it on a
    /// [`child`](Self::child), or where a trace starts.
    #[must_use]
    pub fn with_sampled(self, sampled: bool) -> Self {
        Self { parent: self.parent.with_sampled(sampled), ..self }
    }

    /// Returns the trace, the caller's span and the flags.
    #[must_use]
    pub const fn parent(&self) -> &TraceParent {
        &self.parent
    }

    /// Returns what vendors add.
    #[must_use]
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns the context that a request from this span takes along.
    ///
    /// Trace, flags and state stay.
    #[must_use]
    pub fn child(&self, span_id: SpanId) -> Self {
        Self { parent: self.parent.child(span_id), state: self.state.clone() }
    }

    /// Returns the headers to send, each name in lower case; an empty state is left out.
    ///
    /// The state is passed on whole, in at most 16447 characters; a host that cannot afford that
    /// cuts it by [`TraceState::within`] first.
    pub fn to_headers(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let state = (!self.state.is_empty()).then(|| (TRACESTATE, self.state.to_string()));
        iter::once((TRACEPARENT, self.parent.to_string())).chain(state)
    }

    /// Returns the part that is not the trace's id, as a tool's context holds it.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceContext;
    ///
    /// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let trace = TraceContext::from_headers([parent], None::<&str>)?.to_trace();
    /// assert_eq!(serde_json::to_string(&trace)?, r#"{"span_id":"00f067aa0ba902b7","flags":"01"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_trace(&self) -> Trace {
        Trace::of(self)
    }
}
