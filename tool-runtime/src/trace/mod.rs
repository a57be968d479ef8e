//! Traces and logs: a span and one line a call, and headers to send on.
//!
//! With the feature `trace` every call is in a [`tracing`](https://docs.rs/tracing) span of its own,
//! `execute_tool {tool}`, and leaves one event at its end. Nothing has to be set up but a
//! subscriber; where nobody listens, a call costs a look at the level and allocates nothing.
//! [`conventions`] has all names. No argument, no answer, no credential and no message of an error
//! is in any of them, at any level. Ids of users, sessions and sites are in a span where the host asks
//! for them by [`SpanIds`], and nowhere else.
//!
//! # Spans
//! The span opens when everybody who has to allow the call has done so, and ends with it: also when
//! it panics, times out, or when `execute` is dropped half way. All attempts are in the one span,
//! and so are the spans that the tool opens, also on the thread of a blocking tool. A call that never
//! ran has a span of no length. With the feature `otel` and a layer of tracing-opentelemetry, the
//! span's parent is the current span of this process; without one, it is the caller's, as
//! [`ToolContext::trace_context`](crate::contracts::ToolContext::trace_context) says, also where the
//! host's trace id is not one of W3C. If both are there and belong to different traces, the span that
//! the caller named is linked.
//!
//! In OpenTelemetry a call's span ends with the call even where a blocking tool runs on after its
//! deadline. Other subscribers close it when the last span in it closes.
//!
//! # The line for the log
//! One event a call, at `INFO` for an answer and at `WARN` for an error, with the fields of
//! [`LogLine`] but its `timestamp`, which every subscriber writes itself, and its `detail`. What only
//! a log may read (a panic's text, an error and its sources) is in an event of its own, under the
//! target `tool_runtime::detail`, and in no span. [`JsonLog`] writes the lines without a subscriber.
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
//! let runtime = Runtime::builder().tool::<Add>().observe(log.clone()).build()?;
//! # let _ = runtime;
//! log.flush(); // before the program ends
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod conventions;
mod headers;
mod json_log;
mod line;
#[cfg(feature = "otel")]
mod metrics;
#[cfg(feature = "otel")]
mod parent;
mod span;
mod span_ids;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::trace_context::SpanId;
use tracing::Instrument;

pub use self::headers::TraceHeaders;
pub use self::json_log::JsonLog;
pub use self::line::LogLine;
#[cfg(feature = "otel")]
pub use self::metrics::Metrics;
use self::span::CallSpan;
pub use self::span_ids::SpanIds;
use crate::RuntimeBuilder;
use crate::call::CallScope;
use crate::dispatch::CallRecord;
use crate::dispatch::pipeline::CallOutcome;
use crate::dispatch::seams::CallInstrument;
use crate::timer::Job;

/// What a runtime tells of its calls.
#[derive(Debug, Clone)]
pub(crate) struct Tracing {
    spans: bool,
    ids: SpanIds,
    #[cfg(feature = "otel")]
    metrics: Option<Metrics>,
}

/// What surrounds a call that is under way.
#[derive(Debug, Default)]
struct Inside {
    span: CallSpan,
    /// What stands for the span in headers, where nobody records it.
    own: Option<SpanId>,
    #[cfg(feature = "otel")]
    active: Option<metrics::Active>,
}

impl Default for Tracing {
    fn default() -> Self {
        Self {
            spans: true,
            ids: SpanIds::none(),
            #[cfg(feature = "otel")]
            metrics: None,
        }
    }
}

impl Tracing {
    /// What the runtime surrounds its calls with; none if nothing is to be told.
    pub(crate) fn surround(self) -> Option<Arc<dyn CallInstrument>> {
        let tells = self.spans || self.measures();
        tells.then(|| Arc::new(self) as Arc<dyn CallInstrument>)
    }

    fn traces(&self) -> bool {
        self.spans && span::is_wanted()
    }
}

#[cfg(feature = "otel")]
impl Tracing {
    fn measures(&self) -> bool {
        self.metrics.is_some()
    }

    fn count_begun(&self, scope: &CallScope, inside: &mut Inside) {
        inside.active = self.metrics.as_ref().map(|metrics| metrics.begun(scope));
    }

    fn count_closed(&self, record: &CallRecord<'_>) {
        if let Some(metrics) = &self.metrics {
            metrics.closed(record);
        }
    }
}

/// Without OpenTelemetry nothing is counted.
#[cfg(not(feature = "otel"))]
#[allow(clippy::unused_self, reason = "the feature has something to look at")]
impl Tracing {
    fn measures(&self) -> bool {
        false
    }

    fn count_begun(&self, _: &CallScope, _: &mut Inside) {}

    fn count_closed(&self, _: &CallRecord<'_>) {}
}

impl CallInstrument for Tracing {
    fn is_enabled(&self) -> bool {
        self.measures() || self.traces()
    }

    fn instrument<'c>(
        &'c self,
        scope: &'c CallScope,
        run: BoxFuture<'c, CallOutcome>,
    ) -> BoxFuture<'c, CallOutcome> {
        let span = if self.traces() { CallSpan::of(scope, self.ids) } else { CallSpan::default() };
        let entered = span.entered().cloned();
        scope.span_slot().with(|inside: &mut Inside| {
            inside.span = span;
            self.count_begun(scope, inside);
        });
        match entered {
            Some(entered) => run.instrument(entered).boxed(),
            None => run,
        }
    }

    fn instrument_job(&self, job: Job) -> Job {
        if self.traces() { span::instrument_job(job) } else { job }
    }

    fn closed(&self, record: &CallRecord<'_>) {
        let inside = record.call().scope().and_then(|scope| scope.span_slot().take::<Inside>());
        self.count_closed(record);
        if self.traces() {
            let span = inside.map(|inside| inside.span).unwrap_or_default();
            span.or_at_once(record, self.ids).close(record);
        }
    }
}

impl RuntimeBuilder {
    /// Makes no spans and no events for `tracing`; both are made if it is not called.
    #[must_use]
    pub fn without_tracing(mut self) -> Self {
        self.tracing.spans = false;
        self
    }

    /// Puts ids of users, sessions or sites into the calls' spans; none of them is if not called.
    #[must_use]
    pub fn span_ids(mut self, ids: SpanIds) -> Self {
        self.tracing.ids = ids;
        self
    }

    /// Counts and measures calls, with the instruments of this meter; nothing is if not called.
    #[cfg(feature = "otel")]
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.tracing.metrics = Some(metrics);
        self
    }
}
