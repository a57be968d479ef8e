//! What a tool sends on, so that the trace goes on with whom it asks.

use tool_contracts::trace_context::{SpanId, TraceContext};

use super::Inside;
use crate::call::{CallScope, FromCall};
use crate::failure::Failure;

/// Gives a tool the headers of W3C Trace Context to send on: `traceparent` and `tracestate`.
///
/// They name the call's own span. Where OpenTelemetry records it (feature `otel`, and a layer of
/// tracing-opentelemetry), that is the span around the tool; elsewhere the call gets an id of its
/// own, the same for all its attempts, in the caller's trace. The caller's flags and state go along.
///
/// A context whose ids are the host's own has a trace too: its ids are
/// [derived](crate::contracts::trace_context::TraceId::derived_from) from them. To give a service
/// the host's own id as well, send [`ToolContext::trace_id`](tool_contracts::ToolContext::trace_id) beside
/// these headers. They are empty only where a test makes them [without a context](Self::new).
///
/// ```
/// use tool_runtime::contracts::trace_context::TraceContext;
/// use tool_runtime::prelude::*;
/// use tool_runtime::trace::TraceHeaders;
///
/// /// Asks another service.
/// #[ai_tool(effect = "read")]
/// async fn ask(headers: &TraceHeaders) -> Vec<String> {
///     headers.iter().map(|(name, value)| format!("{name}: {value}")).collect()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<Ask>().build()?;
/// let received = TraceContext::from_headers(
///     ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
///     ["congo=t61rcWkgMzE"],
/// )?;
/// let cx = ToolContext::builder(Uuid::nil(), "replaced")
///     .run_id("run-1")
///     .trace_context(&received)
///     .build()?;
///
/// let mut call = runtime.call("ask", "{}", &cx);
/// let sent: Vec<String> = call.execute().await.data().expect("it answers")?;
/// assert!(sent[0].starts_with("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"));
/// assert!(!sent[0].contains("00f067aa0ba902b7")); // not the caller's span, but the call's
/// assert_eq!(sent[1], "tracestate: congo=t61rcWkgMzE");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceHeaders {
    context: Option<TraceContext>,
    pairs: Vec<(&'static str, String)>,
}

impl TraceHeaders {
    /// Makes a value for a unit test of a tool's function; without a context it is empty.
    #[must_use]
    pub fn new(context: impl Into<Option<TraceContext>>) -> Self {
        let context = context.into();
        let pairs = context.as_ref().map(|context| context.to_headers().collect());
        Self { pairs: pairs.unwrap_or_default(), context }
    }

    /// Goes through the headers' names, in lower case, and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (*name, &**value))
    }

    /// Returns the context that they are written from; none if they are empty.
    #[must_use]
    pub fn context(&self) -> Option<&TraceContext> {
        self.context.as_ref()
    }
}

impl FromCall for TraceHeaders {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        let caller = call.cx().trace_context();
        let recorded = context_of_current(&caller);
        Ok(Self::new(recorded.unwrap_or_else(|| caller.child(own_span(call)))))
    }
}

#[cfg(feature = "otel")]
use super::parent::context_of_current;

/// Without OpenTelemetry no span has an id that others know.
#[cfg(not(feature = "otel"))]
fn context_of_current(_: &TraceContext) -> Option<TraceContext> {
    None
}

/// The id that stands for the call where nobody records it.
fn own_span(call: &CallScope) -> SpanId {
    let of = |inside: &mut Inside| *inside.own.get_or_insert_with(SpanId::random);
    call.span_slot().with(of).unwrap_or_else(SpanId::random)
}
