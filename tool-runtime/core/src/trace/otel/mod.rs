//! OpenTelemetry: the host's meter, and the parents, links and ids of their spans.

mod metrics;
mod span_context;

pub use self::metrics::Metrics;
pub(super) use self::span_context::{context_of_current, current, end, set_parent};

use crate::RuntimeBuilder;

impl RuntimeBuilder {
    /// Exports the metrics of calls, and of a server that serves the runtime, by this meter; none by
    /// default.
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.meter = Some(metrics.into_meter());
        self
    }
}
