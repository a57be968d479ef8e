//! The position of a call in a distributed trace.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer, de::Error as _};

use super::syntax;
use crate::{
    ContractError,
    contract_error::Problems,
    trace_context::{SpanId, TraceContext, TraceFlags, TraceId, TraceParent, TraceState},
    wire::{self, reads},
};

const NO_TRACE_ID: &str = "`trace_id`: expected 32 lower-case hex digits, not all zero; leave it \
    out if the context's own `trace_id` is the trace's";
const NO_FLAGS: &str = "`flags`: expected two lower-case hex digits, such as `01`";
const NO_STATE: &str = "`state`: expected a list of `key=value` as in the header `tracestate`, \
    each key once, nothing but commas between; leave it out if it is empty";

/// The position of a call in a distributed trace; the tool propagates it.
///
/// Span ids are the host's: those of W3C Trace Context, or any text, from which one is
/// [derived](SpanId::derived_from). [`TraceContext`] converts between them.
///
/// ```
/// use tool_contracts::{Trace, trace_context::TraceFlags};
///
/// let trace = Trace::new("00f067aa0ba902b7")?
///     .with_parent_span_id("53995c3f42cd8ad8")?
///     .with_flags(TraceFlags::SAMPLED);
/// assert_eq!(trace.parent_span_id(), Some("53995c3f42cd8ad8"));
/// assert_eq!(trace.flags(), Some(TraceFlags::SAMPLED));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("trace"))]
#[allow(clippy::struct_field_names, reason = "the wire names the trace's id as contexts do")]
pub struct Trace {
    /// The span that the call belongs to.
    #[schemars(length(min = 1))]
    span_id: String,
    /// The parent of the span.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    parent_span_id: Option<String>,
    /// The W3C Trace Context trace id, if it does not follow from the context's `trace_id`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_text")]
    #[schemars(
        with = "Option<String>",
        length(min = 32, max = 32),
        extend("pattern" = syntax::TRACE_ID)
    )]
    trace_id: Option<TraceId>,
    /// The W3C Trace Context flags, without undefined bits; sampled if omitted.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_text")]
    #[schemars(with = "Option<String>", extend("pattern" = syntax::FLAGS))]
    flags: Option<TraceFlags>,
    /// The data that vendors add: the W3C Trace Context `tracestate`, separated by commas only.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_text")]
    #[schemars(with = "Option<String>", extend("pattern" = syntax::STATE))]
    state: Option<TraceState>,
}

impl Trace {
    /// Creates a position in a trace.
    ///
    /// # Errors
    /// Returns an error if the id is empty.
    pub fn new(span_id: impl Into<String>) -> Result<Self, ContractError> {
        Self::at(span_id.into()).checked()
    }

    /// Sets the parent of the span.
    ///
    /// # Errors
    /// Returns an error if the id is empty.
    pub fn with_parent_span_id(self, span_id: impl Into<String>) -> Result<Self, ContractError> {
        Self { parent_span_id: Some(span_id.into()), ..self }.checked()
    }

    /// Sets the W3C Trace Context trace id, for a host whose own trace id is different.
    ///
    /// ```
    /// use tool_contracts::{ToolContext, Trace, trace_context::TraceId};
    /// use uuid::Uuid;
    ///
    /// let id: TraceId = "4bf92f3577b34da6a3ce929d0e0e4736".parse()?;
    /// let trace = Trace::new("00f067aa0ba902b7")?.with_trace_id(id);
    /// let cx = ToolContext::builder(Uuid::nil(), "trace-xxx").run_id("run-1").trace(trace).build()?;
    /// assert_eq!(cx.trace_id(), "trace-xxx");
    /// assert_eq!(cx.trace_context().parent().trace_id(), id);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_trace_id(self, trace_id: TraceId) -> Self {
        Self { trace_id: Some(trace_id), ..self }
    }

    /// Sets the flags of W3C Trace Context.
    #[must_use]
    pub fn with_flags(self, flags: TraceFlags) -> Self {
        Self { flags: Some(flags), ..self }
    }

    /// Sets the data that vendors add to the trace; an empty state counts as absent.
    #[must_use]
    pub fn with_state(self, state: TraceState) -> Self {
        Self { state: Some(state).filter(|state| !state.is_empty()), ..self }
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("Trace");
        problems.filled("span_id", Some(&self.span_id));
        problems.filled("parent_span_id", self.parent_span_id.as_deref());
        problems.finish().map(|()| self)
    }

    /// Returns the span that the call belongs to.
    #[must_use]
    pub fn span_id(&self) -> &str {
        &self.span_id
    }

    /// Returns the parent of the span.
    #[must_use]
    pub fn parent_span_id(&self) -> Option<&str> {
        self.parent_span_id.as_deref()
    }

    /// Returns the W3C Trace Context trace id, if it does not follow from the context's own trace
    /// id.
    #[must_use]
    pub const fn trace_id(&self) -> Option<TraceId> {
        self.trace_id
    }

    /// Returns the flags of W3C Trace Context.
    #[must_use]
    pub const fn flags(&self) -> Option<TraceFlags> {
        self.flags
    }

    /// Returns the data that vendors add to the trace; never an empty state.
    #[must_use]
    pub const fn state(&self) -> Option<&TraceState> {
        self.state.as_ref()
    }

    /// Creates a position with only a span; the id must not be empty.
    pub(crate) const fn at(span_id: String) -> Self {
        Self { span_id, parent_span_id: None, trace_id: None, flags: None, state: None }
    }

    /// Returns everything but the trace id, which is a separate field of the context.
    pub(crate) fn from_trace_context(received: &TraceContext) -> Self {
        Self::at(received.parent().parent_id().to_string())
            .with_flags(received.parent().flags())
            .with_state(received.state().clone())
    }

    /// Returns the W3C context; without a trace id here, the host's own id determines the trace.
    pub(super) fn to_trace_context(&self, host_id: &str) -> TraceContext {
        let trace_id = self.trace_id.unwrap_or_else(|| TraceId::derived_from(host_id));
        let span_id = SpanId::derived_from(&self.span_id);
        let parent = TraceParent::new(trace_id, span_id, self.flags.unwrap_or(UNDECIDED));
        TraceContext::new(parent).with_state(self.state.clone().unwrap_or_default())
    }
}

/// The flags of a trace for which only ids are given.
///
/// Samplers that follow the parent would not record an unsampled trace in any service.
const UNDECIDED: TraceFlags = TraceFlags::SAMPLED;

/// Returns the context of a request without a span: one derived span is the parent of all its
/// calls.
pub(super) fn trace_context_of(host_id: &str) -> TraceContext {
    let ids = (TraceId::derived_from(host_id), SpanId::derived_from(host_id));
    TraceContext::new(TraceParent::new(ids.0, ids.1, UNDECIDED))
}

#[allow(clippy::ref_option, reason = "serde calls it with a reference")]
fn write_text<T: fmt::Display, S: Serializer>(text: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => to.collect_str(text),
        None => to.serialize_none(),
    }
}

/// Parses the state; `None` if it is not in the form that this crate writes.
fn state_of(text: &str) -> Option<TraceState> {
    text.parse().ok().filter(|state: &TraceState| state.as_str() == text)
}

reads! {
    Trace, "a place in a trace";
    required span_id = "span_id", leaf wire::FilledText;
    optional parent_span_id = "parent_span_id", leaf wire::FilledText;
    optional trace_id = "trace_id", leaf wire::FilledText;
    optional flags = "flags", leaf wire::FilledText;
    optional state = "state", leaf wire::FilledText;
    => Ok(Trace {
        span_id,
        parent_span_id,
        trace_id: trace_id
            .map(|text| text.parse().map_err(|_| A::Error::custom(NO_TRACE_ID)))
            .transpose()?,
        flags: flags
            .map(|text| text.parse().map_err(|_| A::Error::custom(NO_FLAGS)))
            .transpose()?,
        state: state
            .map(|text| state_of(&text).ok_or_else(|| A::Error::custom(NO_STATE)))
            .transpose()?,
    })
}
