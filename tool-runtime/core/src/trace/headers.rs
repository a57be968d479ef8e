//! The propagation headers that a tool sends to other services.

use tool_contracts::trace_context::{SpanId, TraceContext};

use super::CallTrace;
use super::otel::context_of_current;
use crate::failure::Failure;
use crate::tool::{CallScope, FromCall};

/// The W3C Trace Context headers of a call, which its tool sends to other services: `traceparent`
/// and `tracestate`.
///
/// Their parent is the call's own span. If OpenTelemetry records it (feature `otel`, and a layer
/// of tracing-opentelemetry), that is the span around the tool; otherwise the call has a random
/// span id in the caller's trace, the same for all attempts. The caller's flags and state are
/// included.
///
/// A context with the host's own ids has a trace too: its ids are
/// [derived](tool_contracts::trace_context::TraceId::derived_from) from them. To send the host's
/// own id as well, add [`ToolContext::trace_id`](tool_contracts::ToolContext::trace_id) to the
/// request. The headers are empty only in a test that creates them [without a context](Self::new).
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
/// let runtime = Runtime::builder().tool::<AskTool>().build()?;
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
/// let sent: Vec<String> = call.execute().await.data()?;
/// assert!(sent[0].starts_with("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"));
/// assert!(!sent[0].contains("00f067aa0ba902b7")); // the call's span, not the caller's
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
    /// Creates headers for a unit test of a tool's function; empty without a context.
    #[must_use]
    pub fn new(context: impl Into<Option<TraceContext>>) -> Self {
        let context = context.into();
        let pairs = context.as_ref().map(|context| context.to_headers().collect());
        Self { pairs: pairs.unwrap_or_default(), context }
    }

    /// Iterates over the headers' names, in lower case, and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (*name, &**value))
    }

    /// Returns the context of the headers; none if they are empty.
    #[must_use]
    pub fn context(&self) -> Option<&TraceContext> {
        self.context.as_ref()
    }
}

impl FromCall for TraceHeaders {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        let caller = call.cx().trace_context();
        let recorded = context_of_current(&caller);
        Ok(Self::new(recorded.unwrap_or_else(|| caller.child(header_span_id(call)))))
    }
}

/// Returns the span id of a call that OpenTelemetry does not record.
fn header_span_id(call: &CallScope) -> SpanId {
    let of = |trace: &mut CallTrace| *trace.header_span_id.get_or_insert_with(SpanId::random);
    call.span_slot().with(of).unwrap_or_else(SpanId::random)
}
