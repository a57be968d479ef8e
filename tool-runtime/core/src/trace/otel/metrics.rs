//! The host's OpenTelemetry meter.

use std::fmt;
use std::sync::Arc;

use crate::metrics::{Meter, OtelExporter};

/// The meter by which a runtime exports its metrics; set with
/// [`RuntimeBuilder::metrics`](crate::RuntimeBuilder::metrics).
///
/// | metric | kind | attributes |
/// | --- | --- | --- |
/// | `gen_ai.execute_tool.duration` | histogram, s | tool, type, `error.type` |
/// | `tool_runtime.call.duration` | histogram, s | tool, `error.type` |
/// | `tool_runtime.calls` | counter | tool, `tool_runtime.call.status`, `error.type` |
/// | `tool_runtime.active_calls` | up-down counter | tool |
/// | `tool_runtime.retries` | counter | tool |
/// | `tool_runtime.cache_hits`, `tool_runtime.replays` | counters | tool |
/// | `tool_runtime.refusals` | counter | tool, `error.type` |
///
/// The tool is `gen_ai.tool.name`. All attributes have few values: an unknown tool and a code that the
/// tool does not declare count as `_OTHER`, and ids of callers are not included. The duration of the
/// tool covers all attempts of calls whose tool ran; refusals and answers from the cache are not
/// included.
///
/// A server of the feature `http` exports the metrics of its requests and connections by the same
/// meter, among them `http.server.request.duration`; the guide to traces lists them. They describe
/// one server: give each of several servers in one process its own meter.
///
/// ```
/// use tool_runtime::Runtime;
/// use tool_runtime::trace::Metrics;
/// # use tool_runtime::prelude::*;
/// # /// Tells the time.
/// # #[ai_tool(effect = "read")]
/// # async fn now(cx: &ToolContext) -> String { cx.now_iso().to_string() }
///
/// // The global meter provider of the program.
/// let meter = opentelemetry::global::meter("tool-runtime");
/// let runtime = Runtime::builder().tool::<NowTool>().metrics(Metrics::new(&meter)).build()?;
/// # let _ = runtime;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Metrics(Meter);

impl Metrics {
    /// Exports by this meter.
    #[must_use]
    pub fn new(meter: &opentelemetry::metrics::Meter) -> Self {
        Self(Arc::new(OtelExporter(meter.clone())))
    }

    pub(in crate::trace) fn into_meter(self) -> Meter {
        self.0
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
