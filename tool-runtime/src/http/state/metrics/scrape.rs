//! Collects all metrics when `/metrics` is requested.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use super::MetricsState;
use super::series::{Durations, ToolSeries};
use crate::http::state::drain::Drain;
use crate::ledger::Ledger;
use crate::policy::OutcomeCounts;

/// Collects the metrics for one scrape.
pub(super) struct Scrape {
    pub(super) metrics: Arc<MetricsState>,
    pub(super) drain: Drain,
    pub(super) ledger: Option<Ledger>,
    pub(super) outcomes: OutcomeCounts,
    /// `None` if tokens are not accepted.
    pub(super) token_keys_fail: Option<bool>,
    pub(super) held: LimitMetrics,
}

/// Metrics of the limits by caller.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct LimitMetrics {
    /// Bytes of responses that clients have not read.
    pub(in crate::http) unread_bytes: usize,
    /// Refusals that were counted without a record of their own.
    pub(in crate::http) left_out: u64,
    /// Summaries of such refusals that are not yet recorded.
    pub(in crate::http) summaries: usize,
}

impl Collector for Scrape {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut encoder = MetricsEncoder(encoder);
        self.requests(&mut encoder)?;
        self.calls(&mut encoder)?;
        self.connections(&mut encoder)?;
        self.token_keys(&mut encoder)?;
        self.outcomes(&mut encoder)?;
        self.ledger(&mut encoder)
    }
}

impl Scrape {
    fn requests(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let routes = || self.metrics.routes.iter();
        let mut family = encoder.family("requests", "Requests that were answered.", Counter)?;
        for (label, series) in routes() {
            for (status, count) in series.read() {
                let labels = [("route", *label), ("status", status)];
                count_of(family.encode_family(&labels)?, count)?;
            }
        }
        let help = "Requests that were refused before a call was opened.";
        let mut family = encoder.family("refusals", help, Counter)?;
        for (status, count) in self.metrics.refusals.read() {
            count_of(family.encode_family(&[("status", status)])?, count)?;
        }
        let help = "Refusals that were counted without a record of their own.";
        encoder.counter("refusals_left_out", help, self.held.left_out)?;
        let help = "Summaries of refusals that are not yet recorded.";
        encoder.gauge("refusal_summaries_pending", help, whole(self.held.summaries))?;
        let help = "Bytes of responses that clients have not read.";
        encoder.gauge("unread_answer_bytes", help, whole(self.held.unread_bytes))?;
        let help = "Time until a response begins.";
        let mut family = encoder.durations("request_duration", help)?;
        for (label, series) in routes() {
            took(&mut family, ("route", *label), &series.took)?;
        }
        let in_flight = self.drain.counters().in_flight();
        encoder.gauge("requests_in_flight", "Requests that are being answered.", in_flight)
    }

    fn calls(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let mut family = encoder.family("calls", "Calls that were answered.", Counter)?;
        for (tool, series) in self.tools() {
            for (status, code, count) in series.read() {
                let labels = [("tool", tool), ("status", status), ("code", code)];
                count_of(family.encode_family(&labels)?, count)?;
            }
        }
        let mut family = encoder.durations("call_duration", "Duration of calls.")?;
        for (tool, series) in self.tools() {
            took(&mut family, ("tool", tool), &series.took)?;
        }
        encoder.gauge("calls_in_flight", "Calls that are running.", whole(self.drain.count()))?;
        let (now, ever) = &self.metrics.orphans;
        let help = "Running calls whose clients have disconnected.";
        encoder.gauge("orphaned_calls_in_flight", help, now.load(Ordering::Relaxed))?;
        let help = "Calls that continued after their clients disconnected.";
        encoder.counter("orphaned_calls", help, ever.load(Ordering::Relaxed))?;
        let help = "Detected steps of the wall clock.";
        encoder.counter("wall_clock_steps", help, self.metrics.clock_steps.load(Ordering::Relaxed))
    }

    fn connections(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let counters = self.drain.counters();
        encoder.gauge("connections", "Open connections.", counters.open())?;
        let taken = counters.accepted.read();
        encoder.counter("connections_accepted", "Accepted connections.", taken)?;
        let help = "Failures to accept a connection.";
        encoder.counter("connections_failed", help, counters.failed.read())?;
        let help = "Connections that were closed because their address had too many.";
        encoder.counter("connections_refused", help, counters.refused.read())?;
        let help = "Connections that were closed by a time limit.";
        encoder.counter("connections_timed_out", help, counters.timed_out.read())?;
        let help = "Connections whose TLS handshake failed.";
        encoder.counter("tls_handshakes_failed", help, counters.handshakes_failed.read())?;
        encoder.gauge(
            "draining",
            "1 while the server is shutting down.",
            self.drain.has_begun().into(),
        )
    }

    fn token_keys(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let Some(fail) = self.token_keys_fail else { return Ok(()) };
        let help = "1 while the keys of tokens cannot be read.";
        encoder.gauge("token_keys_failing", help, fail.into())
    }

    fn ledger(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let Some(status) = self.ledger.as_ref().map(Ledger::status) else { return Ok(()) };
        encoder.counter(
            "ledger_written",
            "Calls that are recorded in the ledger.",
            status.written,
        )?;
        encoder.counter(
            "ledger_shed",
            "Calls that were left out of the ledger under overload.",
            status.shed,
        )?;
        encoder.counter("ledger_lost", "Calls whose record was lost.", status.lost)?;
        let unconfirmed = "Answers that were sent before their records were durable.";
        encoder.counter("ledger_unconfirmed", unconfirmed, status.unconfirmed)?;
        encoder.gauge(
            "ledger_waiting",
            "Calls that wait to be written to the ledger.",
            status.waiting(),
        )?;
        let failing = status.write_error.is_some().into();
        encoder.gauge("ledger_failing", "1 while the ledger cannot be written.", failing)
    }

    fn outcomes(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let counts = &self.outcomes;
        let help = "Keyed calls whose outcome became unknown.";
        encoder.counter("outcomes_unknown", help, counts.unknown)?;
        let help = "Unknown outcomes that a person resolved.";
        encoder.counter("outcomes_resolved", help, counts.resolved)?;
        let help = "Unknown outcomes that stayed unresolved and were archived.";
        encoder.counter("outcomes_archived", help, counts.archived)?;
        let help = "Keyed calls that were refused because the record of their key is damaged.";
        encoder.counter("outcomes_damaged", help, counts.damaged)?;
        let help =
            "Calls that were refused because their caller has used up its quota of the store.";
        encoder.counter("outcomes_over_quota", help, counts.over_quota)
    }

    fn tools(&self) -> impl Iterator<Item = (&str, &ToolSeries)> {
        let tools = self.metrics.tools.iter().map(|(name, series)| (&**name, series));
        tools.chain([("unknown", &self.metrics.unknown)])
    }
}

use MetricType::{Counter, Gauge, Histogram};

/// The encoder of one scrape.
struct MetricsEncoder<'p>(DescriptorEncoder<'p>);

impl MetricsEncoder<'_> {
    fn family<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        self.0.encode_descriptor(name, help, None, kind)
    }

    fn durations<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        self.0.encode_descriptor(name, help, Some(&Unit::Seconds), Histogram)
    }

    fn counter(&mut self, name: &str, help: &str, count: u64) -> fmt::Result {
        count_of(self.family(name, help, Counter)?, count)
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        self.family(name, help, Gauge)?.encode_gauge(&value)
    }
}

fn whole(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn count_of(mut metric: MetricEncoder<'_>, count: u64) -> fmt::Result {
    metric.encode_counter::<NoLabelSet, _, u64>(&count, None)
}

/// Writes a histogram of durations, unless it is empty.
fn took(family: &mut MetricEncoder<'_>, label: (&str, &str), took: &Durations) -> fmt::Result {
    let (sum, count, buckets) = took.read();
    if count == 0 {
        return Ok(());
    }
    let labels = [label];
    family.encode_family(&labels)?.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
}

impl fmt::Debug for Scrape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrape").finish_non_exhaustive()
    }
}
