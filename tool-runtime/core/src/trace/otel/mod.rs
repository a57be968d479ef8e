//! OpenTelemetry: the host's meter, and the parents, links and ids of their spans.

mod metrics;
mod span_context;

pub use self::metrics::Metrics;
pub(super) use self::span_context::{context_of_current, current, end, set_parent};

use crate::RuntimeBuilder;

impl RuntimeBuilder {
    /// Exports metrics of calls by this meter, and those of a server that serves the runtime; none by
    /// default.
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.meter = Some(metrics.into_meter());
        self
    }
}
