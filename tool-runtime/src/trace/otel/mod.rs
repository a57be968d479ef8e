//! OpenTelemetry: the metrics of calls, and the parents, links and ids of their spans.

mod metrics;
mod span_context;

pub use self::metrics::Metrics;
pub(super) use self::span_context::{context_of_current, current, end, set_parent};

use self::metrics::ActiveCall;
use crate::RuntimeBuilder;
use crate::dispatch::CallRecord;
use crate::tool::CallScope;

/// The metrics of a runtime, if it has some.
#[derive(Debug, Clone, Default)]
pub(super) struct CallMetrics(Option<Metrics>);

/// The entry of a running call in the metrics; removed on drop.
#[derive(Debug, Default)]
pub(super) struct RunningCall {
    _active: Option<ActiveCall>,
}

impl CallMetrics {
    pub(super) fn are_recorded(&self) -> bool {
        self.0.is_some()
    }

    /// Counts a call as running until the returned value is dropped.
    pub(super) fn call_started(&self, scope: &CallScope) -> RunningCall {
        RunningCall { _active: self.0.as_ref().map(|metrics| metrics.started(scope)) }
    }

    /// Counts a call that has ended.
    pub(super) fn call_ended(&self, record: &CallRecord<'_>) {
        if let Some(metrics) = &self.0 {
            metrics.call_ended(record);
        }
    }
}

impl RuntimeBuilder {
    /// Records metrics of calls with the instruments of this meter; none by default.
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.tracing.metrics = CallMetrics(Some(metrics));
        self
    }
}
