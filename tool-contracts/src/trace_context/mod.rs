//! The position of a request in a distributed trace, by W3C Trace Context.
//!
//! [`TraceContext`] reads and writes the headers `traceparent` and `tracestate` by
//! [level 2](https://www.w3.org/TR/trace-context-2/) of the specification, strictly: it refuses
//! values that must not or should not be accepted. This module does not send or receive headers.
//!
//! Three rules decide most cases:
//!
//! - If `traceparent` is missing, repeated or invalid, the request starts a trace, and its
//!   `tracestate` is not read.
//! - An invalid `tracestate` is dropped as a whole; the parent stays valid.
//! - A service that forwards a request uses a span of its own, and so a
//!   [`child`](TraceContext::child).
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

/// The name of the header with the trace, the caller's span and the flags.
pub const TRACEPARENT: &str = "traceparent";

/// The name of the header with the data that vendors add to a trace.
pub const TRACESTATE: &str = "tracestate";

/// The whitespace that HTTP allows around a value (RFC 9110, section 5.6.3).
const WHITESPACE: [char; 2] = [' ', '\t'];

/// The position of a request in a distributed trace: its parent, and the data that vendors add.
///
/// Inside a host it is part of a [`ToolContext`](crate::ToolContext), which accepts it by
/// [`trace_context`](crate::ToolContextBuilder::trace_context) and returns it unchanged.
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

    /// Starts a trace with random ids, not sampled; the flag `RANDOM` is set.
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
    /// Values are bytes or text, as in the host's HTTP library. An invalid state is dropped;
    /// [`TraceState::parse`] returns the error.
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
    /// Returns an error if there is no `traceparent`, more than one, or an invalid one. The request
    /// then starts a trace.
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

    /// Finds the two headers among all headers of a request, by name in any case, and reads them.
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

    /// Sets the data that vendors add.
    #[must_use]
    pub fn with_state(self, state: TraceState) -> Self {
        Self { state, ..self }
    }

    /// Sets whether the trace is recorded from here on.
    ///
    /// The specification allows this only together with a new parent id: call it on a
    /// [`child`](Self::child) or on a new trace.
    #[must_use]
    pub fn with_sampled(self, sampled: bool) -> Self {
        Self { parent: self.parent.with_sampled(sampled), ..self }
    }

    /// Returns the trace, the caller's span and the flags.
    #[must_use]
    pub const fn parent(&self) -> &TraceParent {
        &self.parent
    }

    /// Returns the data that vendors add.
    #[must_use]
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns the context for a request that this span sends.
    ///
    /// Trace, flags and state are unchanged.
    #[must_use]
    pub fn child(&self, span_id: SpanId) -> Self {
        Self { parent: self.parent.child(span_id), state: self.state.clone() }
    }

    /// Returns the headers to send, each name in lower case; an empty state is omitted.
    ///
    /// The state is sent whole, in at most 16447 characters; a host that must send less shortens it
    /// by [`TraceState::within`] first.
    pub fn to_headers(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let state = (!self.state.is_empty()).then(|| (TRACESTATE, self.state.to_string()));
        iter::once((TRACEPARENT, self.parent.to_string())).chain(state)
    }

    /// Returns everything but the trace id, in the form that a tool's context contains.
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
        Trace::from_trace_context(self)
    }
}
