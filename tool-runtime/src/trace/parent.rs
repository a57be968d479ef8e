//! Where a call's span stands in a trace of OpenTelemetry.

use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState as OtelState,
};
use tool_contracts::ToolContext;
use tool_contracts::trace_context::{self, TraceContext, TraceParent, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The span that is current on this thread; none if nobody records one.
pub(super) fn current() -> Option<SpanContext> {
    let of_tracing = Span::current().context().span().span_context().clone();
    let of_otel = || Context::current().span().span_context().clone();
    [of_tracing].into_iter().chain(std::iter::once_with(of_otel)).find(SpanContext::is_valid)
}

/// Puts a new span under its caller's, unless there is a `local` one that it is in already.
///
/// A caller's span is linked only where the caller named one.
pub(super) fn adopt(span: &Span, local: Option<&SpanContext>, cx: &ToolContext) {
    if local.is_some() && cx.trace().is_none() {
        return;
    }
    let caller = to_otel(&cx.trace_context());
    match local {
        // It fails only where nothing of OpenTelemetry listens.
        None => drop(span.set_parent(Context::new().with_remote_span_context(caller))),
        Some(local) if local.trace_id() != caller.trace_id() => span.add_link(caller),
        Some(_) => {}
    }
}

/// Ends the span now, whoever still holds it.
pub(super) fn end(span: &Span) {
    span.context().span().end();
}

/// What to send on from the current span, with what its caller said of the trace.
pub(super) fn context_of_current(caller: &TraceContext) -> Option<TraceContext> {
    // A tracer that records nothing hands the caller's own span on.
    let here = current().filter(|here| !here.is_remote())?;
    let trace_id = trace_context::TraceId::from_bytes(here.trace_id().to_bytes()).ok()?;
    let span_id = trace_context::SpanId::from_bytes(here.span_id().to_bytes()).ok()?;
    let caller = Some(caller).filter(|caller| caller.parent().trace_id() == trace_id);
    let flags = trace_context::TraceFlags::from_bits(here.trace_flags().to_u8());
    // What the caller says of the id's randomness holds on; the SDK forgets it.
    let flags =
        caller.map_or(flags, |caller| caller.parent().flags().with_sampled(here.is_sampled()));
    let state = TraceState::parse([here.trace_state().header()]).unwrap_or_default();
    let state = match caller {
        Some(caller) if state.is_empty() => caller.state().clone(),
        _ => state,
    };
    Some(TraceContext::new(TraceParent::new(trace_id, span_id, flags)).with_state(state))
}

fn to_otel(caller: &TraceContext) -> SpanContext {
    let parent = caller.parent();
    // Where the SDK admits less than the specification, the state goes round it.
    let state = OtelState::from_key_value(caller.state().iter()).unwrap_or_default();
    SpanContext::new(
        TraceId::from_bytes(parent.trace_id().to_bytes()),
        SpanId::from_bytes(parent.parent_id().to_bytes()),
        TraceFlags::new(parent.flags().bits()),
        true,
        state,
    )
}
