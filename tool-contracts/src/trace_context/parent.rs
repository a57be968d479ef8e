//! The header `traceparent`.

use std::{
    fmt,
    str::{self, FromStr},
};

use super::{SpanId, TraceContextError, TraceFlags, TraceId, WHITESPACE, ids};

/// The content of the header `traceparent`: the trace, the caller's span and the flags.
///
/// It is written in version 00, the one that the specification describes. Of a later version, the
/// fields of version 00 are read.
///
/// ```
/// use tool_contracts::trace_context::TraceParent;
///
/// let parent = TraceParent::parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-new")?;
/// assert_eq!(
///     parent.to_string(),
///     "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
/// );
/// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace_id: TraceId,
    parent_id: SpanId,
    flags: TraceFlags,
}

impl TraceParent {
    /// Creates a parent from its parts.
    #[must_use]
    pub const fn new(trace_id: TraceId, parent_id: SpanId, flags: TraceFlags) -> Self {
        Self { trace_id, parent_id, flags }
    }

    /// Starts a trace with random ids, not sampled; the flag `RANDOM` is set.
    ///
    /// ```
    /// use tool_contracts::trace_context::{TraceFlags, TraceParent};
    ///
    /// assert_eq!(TraceParent::start().flags(), TraceFlags::RANDOM);
    /// ```
    #[must_use]
    pub fn start() -> Self {
        Self::new(TraceId::random(), SpanId::random(), TraceFlags::RANDOM)
    }

    /// Reads a header's value, with or without whitespace around it.
    ///
    /// # Errors
    /// Returns an error if the value breaks the rules of its version. The request then has no
    /// parent.
    pub fn parse(value: impl AsRef<[u8]>) -> Result<Self, TraceContextError> {
        str::from_utf8(value.as_ref()).map_err(|_| TraceContextError::Form)?.parse()
    }

    /// Returns the trace's id.
    #[must_use]
    pub const fn trace_id(&self) -> TraceId {
        self.trace_id
    }

    /// Returns the id of the caller's span.
    #[must_use]
    pub const fn parent_id(&self) -> SpanId {
        self.parent_id
    }

    /// Returns the flags.
    #[must_use]
    pub const fn flags(&self) -> TraceFlags {
        self.flags
    }

    /// Returns the parent for a request that this span sends: the same trace, the same flags.
    ///
    /// ```
    /// use tool_contracts::trace_context::{SpanId, TraceParent};
    ///
    /// let parent = TraceParent::start();
    /// let child = parent.child(SpanId::random());
    /// assert_eq!(child.trace_id(), parent.trace_id());
    /// assert_ne!(child.parent_id(), parent.parent_id());
    /// ```
    #[must_use]
    pub const fn child(&self, span_id: SpanId) -> Self {
        Self { parent_id: span_id, ..*self }
    }

    /// Sets whether the trace is recorded from here on.
    ///
    /// The specification allows this only together with a new parent id: call it on a
    /// [`child`](Self::child) or on a new trace.
    #[must_use]
    pub const fn with_sampled(&self, sampled: bool) -> Self {
        Self { flags: self.flags.with_sampled(sampled), ..*self }
    }
}

/// Writes the header's value, in version 00.
impl fmt::Display for TraceParent {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "00-{}-{}-{}", self.trace_id, self.parent_id, self.flags)
    }
}

impl FromStr for TraceParent {
    type Err = TraceContextError;

    fn from_str(value: &str) -> Result<Self, TraceContextError> {
        let mut fields = value.trim_matches(WHITESPACE).splitn(5, '-');
        let mut next = || fields.next().unwrap_or_default();
        let version = next();
        if !ids::is_hex(version, 2) || version == "ff" {
            return Err(TraceContextError::Version);
        }
        let parent = Self::new(next().parse()?, next().parse()?, next().parse()?);
        // Fields after the flags of a later version are ignored.
        if version == "00" && fields.next().is_some() {
            return Err(TraceContextError::Form);
        }
        Ok(parent)
    }
}
