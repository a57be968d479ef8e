//! Stands in for OpenTelemetry without the feature `otel`: no metrics, and spans without ids.

use std::convert::Infallible;

use tool_contracts::ToolContext;
use tool_contracts::trace_context::TraceContext;
use tracing::Span;

use crate::dispatch::CallRecord;
use crate::tool::CallScope;

/// No metrics.
#[derive(Debug, Clone, Default)]
pub(super) struct CallMetrics;

/// No entry of a running call.
#[derive(Debug, Default)]
pub(super) struct RunningCall;

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl CallMetrics {
    pub(super) fn are_recorded(&self) -> bool {
        false
    }

    pub(super) fn call_started(&self, _: &CallScope) -> RunningCall {
        RunningCall
    }

    pub(super) fn call_ended(&self, _: &CallRecord<'_>) {}
}

pub(super) fn current() -> Option<Infallible> {
    None
}

pub(super) fn set_parent(_: &Span, _: Option<&Infallible>, _: &ToolContext) {}

pub(super) fn end(_: &Span) {}

pub(super) fn context_of_current(_: &TraceContext) -> Option<TraceContext> {
    None
}
