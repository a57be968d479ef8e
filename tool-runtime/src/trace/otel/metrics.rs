//! OpenTelemetry metrics of calls.

use std::fmt;
use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter, UpDownCounter};
use tool_contracts::{CallStatus, ToolSpec};

use crate::dispatch::{AnswerOrigin, CallRecord};
use crate::tool::CallScope;
use crate::trace::conventions as names;
use crate::trace::span::error_code;

/// The metrics of a runtime's calls; set with
/// [`RuntimeBuilder::metrics`](crate::RuntimeBuilder::metrics).
///
/// | metric | kind | attributes |
/// | --- | --- | --- |
/// | `gen_ai.execute_tool.duration` | histogram, s | tool, type, `error.type` |
/// | `tool_runtime.calls` | counter | tool, `tool_runtime.call.status`, `error.type` |
/// | `tool_runtime.active_calls` | up-down counter | tool |
/// | `tool_runtime.retries` | counter | tool |
/// | `tool_runtime.cache_hits`, `tool_runtime.replays` | counters | tool |
/// | `tool_runtime.refusals` | counter | tool, `error.type` |
///
/// The tool is `gen_ai.tool.name`. All attributes have few values: an unknown tool counts as
/// `_OTHER`, and ids of callers are not included. The duration covers all attempts of calls whose
/// tool ran; refusals and answers from the cache are not included.
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
pub struct Metrics(Arc<Instruments>);

struct Instruments {
    duration: Histogram<f64>,
    calls: Counter<u64>,
    active: UpDownCounter<i64>,
    retries: Counter<u64>,
    cache_hits: Counter<u64>,
    replays: Counter<u64>,
    refusals: Counter<u64>,
}

impl Metrics {
    /// Creates the instruments.
    #[must_use]
    pub fn new(meter: &Meter) -> Self {
        let counter = |name, unit, description| {
            meter.u64_counter(name).with_unit(unit).with_description(description).build()
        };
        let duration = meter
            .f64_histogram(names::DURATION)
            .with_unit("s")
            .with_description("The duration of a single tool execution.")
            .with_boundaries(names::DURATION_BOUNDARIES.to_vec());
        let active = meter
            .i64_up_down_counter(names::ACTIVE_CALLS)
            .with_unit("{call}")
            .with_description("The number of running calls.");
        Self(Arc::new(Instruments {
            duration: duration.build(),
            calls: counter(names::CALLS, "{call}", "The number of ended calls."),
            active: active.build(),
            retries: counter(names::RETRIES, "{attempt}", "Attempts after a failed one."),
            cache_hits: counter(names::CACHE_HITS, "{call}", "Calls answered from the cache."),
            replays: counter(
                names::REPLAYS,
                "{call}",
                "Calls answered by an earlier call under the same key.",
            ),
            refusals: counter(names::REFUSALS, "{call}", "Calls refused before their tool ran."),
        }))
    }

    /// Counts a call as running until the returned value is dropped.
    pub(super) fn started(&self, scope: &CallScope) -> ActiveCall {
        let active = ActiveCall { metrics: self.clone(), tool: [tool(Some(scope.tool()))] };
        self.0.active.add(1, &active.tool);
        active
    }

    /// Counts a call that has ended.
    pub(super) fn call_ended(&self, record: &CallRecord<'_>) {
        let to = &*self.0;
        let by_tool = [tool(record.spec())];
        let status = KeyValue::new(names::CALL_STATUS, record.status().as_str());
        to.calls.add(1, &with_error(record, [by_tool[0].clone(), status]));
        let attempts = record.attempts();
        if attempts > 1 {
            to.retries.add(u64::from(attempts - 1), &by_tool);
        }
        match record.origin() {
            AnswerOrigin::Cache => to.cache_hits.add(1, &by_tool),
            AnswerOrigin::Replay => to.replays.add(1, &by_tool),
            AnswerOrigin::Call if is_refusal(record) => {
                to.refusals.add(1, &with_error(record, by_tool));
            }
            AnswerOrigin::Call => self.record_duration(record, by_tool),
        }
    }

    fn record_duration(&self, record: &CallRecord<'_>, by_tool: [KeyValue; 1]) {
        if let (Some(took), 1..) = (record.took(), record.attempts()) {
            let [tool] = by_tool;
            let kind = KeyValue::new(names::TOOL_TYPE, names::FUNCTION);
            self.0.duration.record(took.as_secs_f64(), &with_error(record, [tool, kind]));
        }
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// A running call; decrements the count on drop.
#[derive(Debug)]
pub(super) struct ActiveCall {
    metrics: Metrics,
    tool: [KeyValue; 1],
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        self.metrics.0.active.add(-1, &self.tool);
    }
}

/// Returns whether a call ended in an error before its tool ran.
fn is_refusal(record: &CallRecord<'_>) -> bool {
    let dropped = record.status() == CallStatus::Interrupted;
    record.attempts() == 0 && !record.output().is_ok() && !dropped
}

fn tool(spec: Option<&ToolSpec>) -> KeyValue {
    KeyValue::new(names::TOOL_NAME, spec.map_or(names::OTHER, ToolSpec::name).to_owned())
}

fn with_error(
    record: &CallRecord<'_>,
    others: impl IntoIterator<Item = KeyValue>,
) -> Vec<KeyValue> {
    let error = error_code(record).map(|code| KeyValue::new(names::ERROR_TYPE, code.to_owned()));
    others.into_iter().chain(error).collect()
}
