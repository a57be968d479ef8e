//! The parent, the links and the propagated context of a call's span in OpenTelemetry.

use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState as OtelState,
};
use tool_contracts::ToolContext;
use tool_contracts::trace_context::{self, TraceContext, TraceParent, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Returns the current span of this thread; none if no span is recorded.
pub(in crate::trace) fn current() -> Option<SpanContext> {
    let of_tracing = Span::current().context().span().span_context().clone();
    let of_otel = || Context::current().span().span_context().clone();
    [of_tracing].into_iter().chain(std::iter::once_with(of_otel)).find(SpanContext::is_valid)
}

/// Sets the caller's span as the parent of a new span, unless it has a `local` parent.
///
/// The caller's span, if the caller sent one, is linked when the local parent is of another trace.
pub(in crate::trace) fn set_parent(span: &Span, local: Option<&SpanContext>, cx: &ToolContext) {
    if local.is_some() && cx.trace().is_none() {
        return;
    }
    let caller = to_otel(&cx.trace_context());
    match local {
        // It fails only without a layer of OpenTelemetry.
        None => drop(span.set_parent(Context::new().with_remote_span_context(caller))),
        Some(local) if local.trace_id() != caller.trace_id() => span.add_link(caller),
        Some(_) => {}
    }
}

/// Ends the span now, even if handles of it exist.
pub(in crate::trace) fn end(span: &Span) {
    span.context().span().end();
}

/// Returns the context to propagate from the current span, with the caller's flags and state.
pub(in crate::trace) fn context_of_current(caller: &TraceContext) -> Option<TraceContext> {
    // A tracer that does not record returns the caller's span.
    let span = current().filter(|span| !span.is_remote())?;
    let trace_id = trace_context::TraceId::from_bytes(span.trace_id().to_bytes()).ok()?;
    let span_id = trace_context::SpanId::from_bytes(span.span_id().to_bytes()).ok()?;
    let caller = Some(caller).filter(|caller| caller.parent().trace_id() == trace_id);
    let flags = trace_context::TraceFlags::from_bits(span.trace_flags().to_u8());
    // The SDK drops the caller's flag for a random id, which still applies.
    let flags =
        caller.map_or(flags, |caller| caller.parent().flags().with_sampled(span.is_sampled()));
    let state = TraceState::parse([span.trace_state().header()]).unwrap_or_default();
    let state = match caller {
        Some(caller) if state.is_empty() => caller.state().clone(),
        _ => state,
    };
    Some(TraceContext::new(TraceParent::new(trace_id, span_id, flags)).with_state(state))
}

fn to_otel(caller: &TraceContext) -> SpanContext {
    let parent = caller.parent();
    // The SDK accepts less than the specification; `context_of_current` restores a refused state.
    let state = OtelState::from_key_value(caller.state().iter()).unwrap_or_default();
    SpanContext::new(
        TraceId::from_bytes(parent.trace_id().to_bytes()),
        SpanId::from_bytes(parent.parent_id().to_bytes()),
        TraceFlags::new(parent.flags().bits()),
        true,
        state,
    )
}
