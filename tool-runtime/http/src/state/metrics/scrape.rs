//! Collects all metrics when `/metrics` is requested.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text as encoding};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use tool_runtime_core::metrics::table::{
    AGENT_CONTEXT_TOKENS, AGENT_REQUESTS, AGENT_RUN_TIMES, AGENT_RUNS, AGENT_SAVED_TOKENS,
    AGENT_STEP_TIMES, AGENT_TIMES, AGENT_TURNS, CALL_TIMES, CALLS_CACHED, CALLS_ENDED,
    CALLS_REFUSED, CALLS_REPLAYED, CALLS_RETRIED, MODEL_TIMES, MODEL_TOKENS, REQUEST_TIMES,
    REQUESTS, REQUESTS_REFUSED, TOOL_TIMES,
};
use tool_runtime_core::metrics::{Distribution, Metric, MetricKind, MetricUnit, ToolSeries};

use super::observed;
use crate::state::app::SharedApp;

/// Writes all metrics in the text format of `OpenMetrics`.
pub(crate) fn text(app: &SharedApp) -> String {
    let mut registry = Registry::with_prefix("tool_server");
    registry.register_collector(Box::new(Scrape(app.clone())));
    let mut written = String::new();
    // Writing into a `String` cannot fail.
    let _ = encoding::encode(&mut written, &registry);
    written
}

/// Reads a counter of a tool.
type ReadCount = fn(&ToolSeries) -> u64;

/// Reads a histogram of a tool.
type ReadDurations = fn(&ToolSeries) -> &Distribution;

/// Collects the metrics for one scrape.
#[derive(Debug)]
struct Scrape(SharedApp);

impl Collector for Scrape {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut encoder = MetricsEncoder(encoder);
        self.requests(&mut encoder)?;
        self.calls(&mut encoder)?;
        self.agents(&mut encoder)?;
        let active = observed::active_calls(&self.0);
        let values = [active].into_iter().chain(observed::server_values(&self.0));
        for (metric, value) in values {
            encoder.value(metric, value)?;
        }
        Ok(())
    }
}

impl Scrape {
    fn requests(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let metrics = &self.0.metrics.0;
        let mut family = encoder.family(&REQUESTS)?;
        for (route, series) in &metrics.routes {
            for (status, count) in series.read() {
                family.count([route, status], count)?;
            }
        }
        let mut family = encoder.family(&REQUESTS_REFUSED)?;
        for (status, count) in metrics.refusals.read() {
            family.count([status], count)?;
        }
        let mut family = encoder.family(&REQUEST_TIMES)?;
        for (route, series) in &metrics.routes {
            family.distribution([route], &series.took)?;
        }
        Ok(())
    }

    fn calls(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let calls = self.0.metrics.0.calls.tools();
        let mut family = encoder.family(&CALLS_ENDED)?;
        for (tool, series) in &calls {
            for ([status, code], count) in series.ended() {
                family.count([tool, status, code], count)?;
            }
        }
        let mut family = encoder.family(&CALLS_REFUSED)?;
        for (tool, series) in &calls {
            for (code, count) in series.refused() {
                family.count([tool, code], count)?;
            }
        }
        let counters: [(_, ReadCount); 3] = [
            (&CALLS_RETRIED, ToolSeries::retries),
            (&CALLS_CACHED, ToolSeries::cache_hits),
            (&CALLS_REPLAYED, ToolSeries::replays),
        ];
        for (metric, read) in counters {
            let mut family = encoder.family(metric)?;
            for (tool, series) in &calls {
                match read(series) {
                    0 => {}
                    count => family.count([tool], count)?,
                }
            }
        }
        let histograms: [(_, ReadDurations); 2] =
            [(&CALL_TIMES, ToolSeries::call_times), (&TOOL_TIMES, ToolSeries::tool_times)];
        for (metric, read) in histograms {
            let mut family = encoder.family(metric)?;
            for (tool, series) in &calls {
                family.distribution([tool], read(series))?;
            }
        }
        Ok(())
    }

    fn agents(&self, encoder: &mut MetricsEncoder<'_>) -> fmt::Result {
        let series = self.0.metrics.0.calls.agents().series();
        let mut family = encoder.family(&AGENT_REQUESTS)?;
        series.requests.iter().try_for_each(|(labels, count)| family.count(*labels, *count))?;
        let mut family = encoder.family(&AGENT_CONTEXT_TOKENS)?;
        let mut tokens = series.context_tokens.iter();
        tokens.try_for_each(|(stage, count)| family.count([stage], *count))?;
        let mut family = encoder.family(&AGENT_RUNS)?;
        series.runs.iter().try_for_each(|(labels, count)| family.count(*labels, *count))?;
        let of_runs = [(&AGENT_TURNS, series.turns), (&AGENT_SAVED_TOKENS, series.saved_tokens)];
        for (metric, count) in of_runs {
            let family = encoder.family(metric)?;
            if !series.runs.is_empty() {
                count_of(family.encoder, count)?;
            }
        }
        let by_word = [
            (&AGENT_TIMES, &series.request_times),
            (&AGENT_STEP_TIMES, &series.step_times),
            (&AGENT_RUN_TIMES, &series.run_times),
        ];
        for (metric, series) in by_word {
            let mut family = encoder.family(metric)?;
            series.iter().try_for_each(|(label, values)| family.distribution([label], values))?;
        }
        let by_model = [(&MODEL_TIMES, &series.model_times), (&MODEL_TOKENS, &series.model_tokens)];
        for (metric, series) in by_model {
            let mut family = encoder.family(metric)?;
            for ((model, label), values) in series {
                family.distribution([model, label], values)?;
            }
        }
        Ok(())
    }
}

/// The encoder of one scrape.
struct MetricsEncoder<'p>(DescriptorEncoder<'p>);

/// The encoder of one metric's series.
struct FamilyEncoder<'s> {
    encoder: MetricEncoder<'s>,
    labels: &'static [&'static str],
}

impl MetricsEncoder<'_> {
    fn family(&mut self, metric: &'static Metric) -> Result<FamilyEncoder<'_>, fmt::Error> {
        let unit = match metric.unit {
            MetricUnit::Seconds => Some(&Unit::Seconds),
            MetricUnit::Bytes => Some(&Unit::Bytes),
            MetricUnit::Dimensionless | MetricUnit::Count(_) => None,
        };
        let (name, help) = (metric.prometheus, metric.description);
        let encoder = self.0.encode_descriptor(name, help, unit, kind(metric))?;
        Ok(FamilyEncoder { encoder, labels: metric.labels })
    }

    /// Writes a metric without labels.
    fn value(&mut self, metric: &'static Metric, value: u64) -> fmt::Result {
        let FamilyEncoder { mut encoder, .. } = self.family(metric)?;
        match metric.kind {
            MetricKind::Counter => count_of(encoder, value),
            MetricKind::UpDown | MetricKind::Gauge | MetricKind::Histogram(_) => {
                encoder.encode_gauge(&i64::try_from(value).unwrap_or(i64::MAX))
            }
        }
    }
}

impl FamilyEncoder<'_> {
    fn count<const N: usize>(&mut self, values: [&str; N], count: u64) -> fmt::Result {
        let labels = self.labels(values);
        count_of(self.encoder.encode_family(&labels)?, count)
    }

    /// Writes a histogram, unless it is empty.
    fn distribution<const N: usize>(
        &mut self,
        values: [&str; N],
        counted: &Distribution,
    ) -> fmt::Result {
        let Some(counted) = counted.read() else { return Ok(()) };
        let labels = self.labels(values);
        let mut series = self.encoder.encode_family(&labels)?;
        series.encode_histogram::<NoLabelSet>(counted.sum, counted.count, &counted.buckets, None)
    }

    fn labels<'v, const N: usize>(&self, values: [&'v str; N]) -> Vec<(&'static str, &'v str)> {
        debug_assert_eq!(self.labels.len(), N, "the metric has other labels");
        self.labels.iter().copied().zip(values).collect()
    }
}

const fn kind(metric: &Metric) -> MetricType {
    match metric.kind {
        MetricKind::Counter => MetricType::Counter,
        MetricKind::UpDown | MetricKind::Gauge => MetricType::Gauge,
        MetricKind::Histogram(_) => MetricType::Histogram,
    }
}

fn count_of(mut metric: MetricEncoder<'_>, count: u64) -> fmt::Result {
    metric.encode_counter::<NoLabelSet, _, u64>(&count, None)
}
