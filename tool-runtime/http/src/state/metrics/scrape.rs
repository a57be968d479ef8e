//! Collects all metrics when `/metrics` is requested.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text as encoding};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use tool_runtime_core::metrics::table::RECORDED;
use tool_runtime_core::metrics::{Metric, MetricKind, MetricUnit, Series};

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

/// Collects the metrics for one scrape.
#[derive(Debug)]
struct Scrape(SharedApp);

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let metrics = &self.0.metrics.0;
        for &metric in RECORDED {
            let mut family = describe(&mut encoder, metric)?;
            for recorder in [&metrics.recorder, metrics.calls.recorder()] {
                for series in recorder.all_series(metric) {
                    encode_series(&mut family, metric, &series)?;
                }
            }
        }
        for (metric, value) in observed::server_values(&self.0) {
            encode_value(&mut describe(&mut encoder, metric)?, metric, value)?;
        }
        Ok(())
    }
}

/// Begins the values of a metric with its name, its unit and its description.
fn describe<'e>(
    encoder: &'e mut DescriptorEncoder<'_>,
    metric: &'static Metric,
) -> Result<MetricEncoder<'e>, fmt::Error> {
    let unit = match metric.unit {
        MetricUnit::Seconds => Some(&Unit::Seconds),
        MetricUnit::Bytes => Some(&Unit::Bytes),
        MetricUnit::Amount | MetricUnit::Dimensionless | MetricUnit::Count(_) => None,
    };
    let kind = match metric.kind {
        MetricKind::Counter => MetricType::Counter,
        MetricKind::UpDown | MetricKind::Gauge => MetricType::Gauge,
        MetricKind::Histogram(_) => MetricType::Histogram,
    };
    encoder.encode_descriptor(metric.prometheus, metric.description, unit, kind)
}

fn encode_series(
    family: &mut MetricEncoder<'_>,
    metric: &'static Metric,
    series: &Series,
) -> fmt::Result {
    let labels = metric.labels.iter().copied().zip(series.labels.iter().map(|label| &**label));
    let labels: Vec<_> = labels.collect();
    // Braces without labels would be another name.
    if labels.is_empty() {
        return encode_value(family, metric, series.count());
    }
    let mut encoder = family.encode_family(&labels)?;
    if matches!(metric.unit, MetricUnit::Amount) {
        return encode_amount(&mut encoder, metric, series.sum());
    }
    if !matches!(metric.kind, MetricKind::Histogram(_)) {
        return encode_value(&mut encoder, metric, series.count());
    }
    let buckets = series.buckets();
    let count = buckets.iter().map(|(_, count)| count).sum();
    encoder.encode_histogram::<NoLabelSet>(series.sum(), count, &buckets, None)
}

/// Writes the value of a counter or a gauge.
fn encode_value(encoder: &mut MetricEncoder<'_>, metric: &Metric, value: u64) -> fmt::Result {
    match metric.kind {
        MetricKind::Counter => encoder.encode_counter::<NoLabelSet, _, u64>(&value, None),
        MetricKind::UpDown | MetricKind::Gauge | MetricKind::Histogram(_) => {
            encoder.encode_gauge(&i64::try_from(value).unwrap_or(i64::MAX))
        }
    }
}

/// Writes an amount in its unit.
fn encode_amount(encoder: &mut MetricEncoder<'_>, metric: &Metric, amount: f64) -> fmt::Result {
    match metric.kind {
        MetricKind::Counter => encoder.encode_counter::<NoLabelSet, _, u64>(&amount, None),
        MetricKind::UpDown | MetricKind::Gauge | MetricKind::Histogram(_) => {
            encoder.encode_gauge(&amount)
        }
    }
}
