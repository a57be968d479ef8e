//! All figures, as they are at the moment when somebody reads them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use super::Figures;
use super::measured::Route;
use super::series::{Durations, ToolSeries};
use crate::http::Drain;
use crate::ledger::Ledger;
use crate::policy::OutcomeCounts;

/// Reads the figures when they are asked for.
pub(super) struct Scrape {
    pub(super) figures: Arc<Figures>,
    pub(super) drain: Drain,
    pub(super) ledger: Option<Ledger>,
    pub(super) outcomes: OutcomeCounts,
    /// None where no tokens are taken.
    pub(super) token_keys_fail: Option<bool>,
    pub(super) held: HeldBack,
}

/// Figures of what the server bounds by caller.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct HeldBack {
    /// Bytes of answers that their callers have not read.
    pub(in crate::http) unread_bytes: usize,
    /// Refusals that were counted and not recorded one by one.
    pub(in crate::http) left_out: u64,
    /// Summaries of such refusals that are not recorded yet.
    pub(in crate::http) summaries: usize,
}

impl Collector for Scrape {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut page = Page(encoder);
        self.requests(&mut page)?;
        self.calls(&mut page)?;
        self.connections(&mut page)?;
        self.token_keys(&mut page)?;
        self.outcomes(&mut page)?;
        self.ledger(&mut page)
    }
}

impl Scrape {
    fn requests(&self, page: &mut Page<'_>) -> fmt::Result {
        let routes = || Route::ALL.into_iter().zip(&self.figures.routes);
        let mut family = page.family("requests", "Requests that were answered.", Counter)?;
        for (route, series) in routes() {
            for (status, count) in series.read() {
                let labels = [("route", route.as_str()), ("status", status)];
                count_of(family.encode_family(&labels)?, count)?;
            }
        }
        let help = "Requests that were refused before there was a call.";
        let mut family = page.family("refusals", help, Counter)?;
        for (status, count) in self.figures.refusals.read() {
            count_of(family.encode_family(&[("status", status)])?, count)?;
        }
        let help = "Refusals that were counted and not recorded one by one.";
        page.counter("refusals_left_out", help, self.held.left_out)?;
        let help = "Summaries of refusals that wait for the end of their minute.";
        page.gauge("refusal_summaries_pending", help, whole(self.held.summaries))?;
        let help = "Bytes of answers that wait to be read.";
        page.gauge("unread_answer_bytes", help, whole(self.held.unread_bytes))?;
        let help = "Time until an answer begins.";
        let mut family = page.durations("request_duration", help)?;
        for (route, series) in routes() {
            took(&mut family, ("route", route.as_str()), &series.took)?;
        }
        let in_flight = self.drain.counters().in_flight();
        page.gauge("requests_in_flight", "Requests that are being answered.", in_flight)
    }

    fn calls(&self, page: &mut Page<'_>) -> fmt::Result {
        let mut family = page.family("calls", "Calls that were answered.", Counter)?;
        for (tool, series) in self.tools() {
            for (status, code, count) in series.read() {
                let labels = [("tool", tool), ("status", status), ("code", code)];
                count_of(family.encode_family(&labels)?, count)?;
            }
        }
        let mut family = page.durations("call_duration", "Time that a call took in all.")?;
        for (tool, series) in self.tools() {
            took(&mut family, ("tool", tool), &series.took)?;
        }
        page.gauge("calls_in_flight", "Calls that are running.", whole(self.drain.count()))?;
        let (now, ever) = &self.figures.orphans;
        let help = "Calls that run although their callers have hung up.";
        page.gauge("calls_left_running", help, now.load(Ordering::Relaxed))?;
        let help = "Calls that ran on when their callers hung up.";
        page.counter("calls_left", help, ever.load(Ordering::Relaxed))?;
        let help = "Times that the wall clock was found set.";
        page.counter("wall_clock_steps", help, self.figures.clock_steps.load(Ordering::Relaxed))
    }

    fn connections(&self, page: &mut Page<'_>) -> fmt::Result {
        let counters = self.drain.counters();
        page.gauge("connections", "Connections that are open.", counters.open())?;
        let taken = counters.accepted.read();
        page.counter("connections_accepted", "Connections that were taken.", taken)?;
        let help = "Times that a connection could not be taken.";
        page.counter("connections_failed", help, counters.failed.read())?;
        let help = "Connections that were closed because their address had its share of them.";
        page.counter("connections_refused", help, counters.refused.read())?;
        let help = "Connections that were closed because they were too slow.";
        page.counter("connections_timed_out", help, counters.timed_out.read())?;
        let help = "Connections whose TLS handshake failed.";
        page.counter("tls_handshakes_failed", help, counters.handshakes_failed.read())?;
        page.gauge("draining", "1 while the server is ending.", self.drain.has_begun().into())
    }

    fn token_keys(&self, page: &mut Page<'_>) -> fmt::Result {
        let Some(fail) = self.token_keys_fail else { return Ok(()) };
        let help = "1 while newer keys of tokens cannot be read.";
        page.gauge("token_keys_failing", help, fail.into())
    }

    fn ledger(&self, page: &mut Page<'_>) -> fmt::Result {
        let Some(status) = self.ledger.as_ref().map(Ledger::status) else { return Ok(()) };
        page.counter("ledger_written", "Calls that are on the record.", status.written)?;
        page.counter("ledger_shed", "Calls that the record leaves out.", status.shed)?;
        page.counter("ledger_lost", "Calls whose record was given up.", status.lost)?;
        let unconfirmed = "Answers that were given before their records were safe.";
        page.counter("ledger_unconfirmed", unconfirmed, status.unconfirmed)?;
        page.gauge("ledger_waiting", "Calls that wait to be written.", status.waiting())?;
        let failing = status.write_error.is_some().into();
        page.gauge("ledger_failing", "1 while the ledger cannot be written.", failing)
    }

    fn outcomes(&self, page: &mut Page<'_>) -> fmt::Result {
        let counts = &self.outcomes;
        let help = "Keyed calls whose outcome became unknown.";
        page.counter("outcomes_unknown", help, counts.unknown)?;
        let help = "Unknown outcomes that a person resolved.";
        page.counter("outcomes_resolved", help, counts.resolved)?;
        let help = "Unknown outcomes that stayed unresolved and were archived.";
        page.counter("outcomes_archived", help, counts.archived)?;
        let help = "Keyed calls that were refused because the record of their key is damaged.";
        page.counter("outcomes_damaged", help, counts.damaged)?;
        let help = "Calls that were refused because their caller has its share of the store.";
        page.counter("outcomes_over_share", help, counts.over_quota)
    }

    fn tools(&self) -> impl Iterator<Item = (&str, &ToolSeries)> {
        let tools = self.figures.tools.iter().map(|(name, series)| (&**name, series));
        tools.chain([("unknown", &self.figures.unknown)])
    }
}

use MetricType::{Counter, Gauge, Histogram};

/// The text that is being written.
struct Page<'p>(DescriptorEncoder<'p>);

impl Page<'_> {
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

/// Writes how long things took, if there were any.
fn took(family: &mut MetricEncoder<'_>, label: (&str, &str), took: &Durations) -> fmt::Result {
    let (sum, count, sizes) = took.read();
    if count == 0 {
        return Ok(());
    }
    let labels = [label];
    family.encode_family(&labels)?.encode_histogram::<NoLabelSet>(sum, count, &sizes, None)
}

impl fmt::Debug for Scrape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrape").finish_non_exhaustive()
    }
}
