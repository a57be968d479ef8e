//! Tracing: a span and a log event for each call, propagation headers, and metrics.
//!
//! With the feature `trace`, every call has a [`tracing`](https://docs.rs/tracing) span,
//! `execute_tool {tool}`, and emits one event at its end. It needs a subscriber only; without
//! one, a call checks the level and allocates nothing. [`conventions`] defines all names. Spans
//! and events contain no arguments, answers, credentials or error messages, at any level. Ids of
//! users, sessions and sites are in a span only if the host enables them with [`SpanIds`].
//!
//! # Spans
//! The span opens when the call is approved, and ends with the call, also if it panics, times out,
//! or `execute` is dropped. All attempts are in one span, and so are the spans that the tool
//! opens, also on the thread of a blocking tool. A call that never ran has a span of zero length.
//! With the feature `otel` and a layer of tracing-opentelemetry, the span's parent is the current
//! span of this process; without one, it is the caller's span, as in
//! [`ToolContext::trace_context`](tool_contracts::ToolContext::trace_context), also if the
//! host's trace id is not a W3C id. If both exist and belong to different traces, the caller's
//! span is linked.
//!
//! In OpenTelemetry, a call's span ends with the call, even if a blocking tool continues after its
//! deadline. Other subscribers close it when the last span in it closes.
//!
//! # Log events
//! Each call emits one event, at `INFO` for an answer and at `WARN` for an error, with the fields
//! of [`LogLine`] except `timestamp`, which subscribers write themselves, and `detail`. The detail
//! (a panic's text, an error and its sources) is for logs only: it is a separate event under the
//! target `tool_runtime::detail`, outside of any span. [`JsonLog`] writes the lines without a
//! subscriber.
//!
//! ```
//! use tool_runtime::prelude::*;
//! use tool_runtime::trace::JsonLog;
//! # /// Adds two numbers.
//! # #[ai_tool(effect = "read")]
//! # async fn add(
//! #     /// The first.
//! #     a: i64,
//! #     /// The second.
//! #     b: i64,
//! # ) -> i64 { a + b }
//!
//! let log = JsonLog::new(std::io::stdout())?;
//! let runtime = Runtime::builder().tool::<AddTool>().observe(log.clone()).build()?;
//! # let _ = runtime;
//! log.flush(); // before the program ends
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod conventions;
mod headers;
mod json_log;
mod log_line;
#[cfg(not(feature = "otel"))]
mod no_otel;
#[cfg(feature = "otel")]
mod otel;
mod span;
mod span_ids;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::trace_context::SpanId;
use tracing::Instrument;

pub use self::headers::TraceHeaders;
pub use self::json_log::JsonLog;
pub use self::log_line::LogLine;
#[cfg(not(feature = "otel"))]
use self::no_otel as otel;
#[cfg(feature = "otel")]
pub use self::otel::Metrics;
use self::span::CallSpan;
pub use self::span_ids::SpanIds;
use crate::RuntimeBuilder;
use crate::dispatch::CallRecord;
use crate::dispatch::hooks::CallInstrument;
use crate::dispatch::outcome::CallOutcome;
use crate::timer::Job;
use crate::tool::{CallScope, JobInstrument};

/// The instruments of calls, and of the jobs of blocking tools.
type Instruments = (Option<Arc<dyn CallInstrument>>, Option<Arc<dyn JobInstrument>>);

/// The tracing settings of a runtime.
#[derive(Debug, Clone)]
pub(crate) struct Tracing {
    spans: bool,
    ids: SpanIds,
}

/// The tracing state of a running call.
#[derive(Debug, Default)]
struct CallTrace {
    span: CallSpan,
    /// The span id in propagation headers, if OpenTelemetry does not record the span.
    header_span_id: Option<SpanId>,
}

impl Default for Tracing {
    fn default() -> Self {
        Self { spans: true, ids: SpanIds::none() }
    }
}

impl Tracing {
    /// Returns the instruments of the runtime's calls; none if spans are off.
    pub(crate) fn into_instruments(self) -> Instruments {
        if !self.spans {
            return (None, None);
        }
        let tracing = Arc::new(self);
        (Some(tracing.clone()), Some(tracing))
    }

    fn traces(&self) -> bool {
        self.spans && span::is_enabled()
    }
}

impl CallInstrument for Tracing {
    fn is_enabled(&self) -> bool {
        self.traces()
    }

    fn instrument<'c>(
        &'c self,
        scope: &'c CallScope,
        run: BoxFuture<'c, CallOutcome>,
    ) -> BoxFuture<'c, CallOutcome> {
        let span = if self.traces() { CallSpan::new(scope, self.ids) } else { CallSpan::default() };
        let entered = span.entered().cloned();
        scope.span_slot().with(|trace: &mut CallTrace| trace.span = span);
        match entered {
            Some(entered) => run.instrument(entered).boxed(),
            None => run,
        }
    }

    fn call_ended(&self, record: &CallRecord<'_>) {
        let trace = record.facts.scope.and_then(|scope| scope.span_slot().take::<CallTrace>());
        if self.traces() {
            let span = trace.map(|trace| trace.span).unwrap_or_default();
            span.or_zero_length(record, self.ids).close(record);
        }
    }
}

impl JobInstrument for Tracing {
    fn instrument_job(&self, job: Job) -> Job {
        if self.traces() { span::instrument_job(job) } else { job }
    }
}

impl RuntimeBuilder {
    /// Turns off spans and events for `tracing`, which are on by default.
    #[must_use]
    pub fn without_tracing(mut self) -> Self {
        self.tracing.spans = false;
        self
    }

    /// Adds ids of users, sessions or sites to the calls' spans; none by default.
    #[must_use]
    pub fn span_ids(mut self, ids: SpanIds) -> Self {
        self.tracing.ids = ids;
        self
    }
}
