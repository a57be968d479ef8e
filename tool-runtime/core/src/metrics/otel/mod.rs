//! The OpenTelemetry instruments of the metrics in the table.

mod agent;
mod server;

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::metrics;
use opentelemetry::{KeyValue, StringValue, Value};

use crate::metrics::table::{Metric, MetricKind};

/// The meter of the host.
#[derive(Debug, Clone)]
pub struct Meter(metrics::Meter);

/// A counter.
#[derive(Debug)]
pub struct Counter(metrics::Counter<u64>, &'static Metric);

/// A count that also decreases.
#[derive(Debug)]
pub(crate) struct UpDownCounter(metrics::UpDownCounter<i64>, &'static Metric);

/// A histogram of durations or counts.
#[derive(Debug)]
pub struct Histogram(metrics::Histogram<f64>, &'static Metric);

/// The value of an attribute; `None` leaves the attribute out.
#[derive(Debug, Clone)]
pub struct AttributeValue(Option<Value>);

impl Meter {
    pub(crate) fn new(meter: &metrics::Meter) -> Self {
        Self(meter.clone())
    }

    #[must_use]
    pub fn counter(&self, metric: &'static Metric) -> Counter {
        let builder = self.0.u64_counter(metric.otel).with_unit(metric.unit.as_ucum());
        Counter(builder.with_description(metric.description).build(), metric)
    }

    pub(crate) fn up_down_counter(&self, metric: &'static Metric) -> UpDownCounter {
        let builder = self.0.i64_up_down_counter(metric.otel).with_unit(metric.unit.as_ucum());
        UpDownCounter(builder.with_description(metric.description).build(), metric)
    }

    #[must_use]
    pub fn histogram(&self, metric: &'static Metric) -> Histogram {
        let builder = self.0.f64_histogram(metric.otel).with_unit(metric.unit.as_ucum());
        let builder = builder.with_description(metric.description);
        let builder = match metric.kind {
            MetricKind::Histogram(bounds) => builder.with_boundaries(bounds.to_vec()),
            MetricKind::Counter | MetricKind::UpDown | MetricKind::Gauge => builder,
        };
        Histogram(builder.build(), metric)
    }
}

impl Counter {
    pub fn add<const N: usize>(&self, count: u64, values: [AttributeValue; N]) {
        self.0.add(count, &attributes(self.1, values));
    }
}

impl UpDownCounter {
    pub(crate) fn add<const N: usize>(&self, change: i64, values: [AttributeValue; N]) {
        self.0.add(change, &attributes(self.1, values));
    }
}

impl Histogram {
    pub fn record<const N: usize>(&self, took: Duration, values: [AttributeValue; N]) {
        self.0.record(took.as_secs_f64(), &attributes(self.1, values));
    }
}

impl AttributeValue {
    /// The attribute is left out.
    pub const NONE: Self = Self(None);

    #[must_use]
    pub fn text(text: &'static str) -> Self {
        Self(Some(text.into()))
    }

    #[must_use]
    pub fn shared(text: &Arc<str>) -> Self {
        Self(Some(Value::String(StringValue::from(text.clone()))))
    }
}

/// Pairs the values with the attributes of a metric, which are in the same order.
fn attributes<const N: usize>(metric: &Metric, values: [AttributeValue; N]) -> Vec<KeyValue> {
    debug_assert_eq!(metric.attributes.len(), N, "{} has other attributes", metric.otel);
    let pairs = metric.attributes.iter().zip(values);
    pairs.filter_map(|(name, value)| Some(KeyValue::new(*name, value.0?))).collect()
}
