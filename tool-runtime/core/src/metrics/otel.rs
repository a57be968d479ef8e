//! Exports the metrics of the table by OpenTelemetry.

use std::sync::Arc;

use opentelemetry::metrics::{
    AsyncInstrumentBuilder, Counter, Gauge, Histogram, Meter, UpDownCounter,
};
use opentelemetry::{KeyValue, StringValue, Value};

use super::recorder::{AttributeValue, MetricExporter, MetricInstrument};
use super::table::{Metric, MetricKind, MetricUnit};

/// Exports by the host's OpenTelemetry meter.
#[derive(Debug)]
pub(crate) struct OtelExporter(pub(crate) Meter);

/// The instrument of one metric.
#[derive(Debug)]
struct OtelInstrument {
    metric: &'static Metric,
    kind: InstrumentKind,
}

#[derive(Debug)]
enum InstrumentKind {
    Counter(Counter<u64>),
    UpDown(UpDownCounter<i64>),
    Histogram(Histogram<f64>),
    Amounts(Counter<f64>),
    Amount(Gauge<f64>),
}

impl MetricExporter for OtelExporter {
    fn instrument(&self, metric: &'static Metric) -> Arc<dyn MetricInstrument> {
        let (name, unit, about) = (metric.otel, metric.unit.as_ucum(), metric.description);
        let kind = match metric.kind {
            MetricKind::Counter if matches!(metric.unit, MetricUnit::Amount) => {
                let builder = self.0.f64_counter(name).with_unit(unit).with_description(about);
                InstrumentKind::Amounts(builder.build())
            }
            MetricKind::Gauge if matches!(metric.unit, MetricUnit::Amount) => {
                let builder = self.0.f64_gauge(name).with_unit(unit).with_description(about);
                InstrumentKind::Amount(builder.build())
            }
            MetricKind::Counter => InstrumentKind::Counter(
                self.0.u64_counter(name).with_unit(unit).with_description(about).build(),
            ),
            MetricKind::UpDown | MetricKind::Gauge => InstrumentKind::UpDown(
                self.0.i64_up_down_counter(name).with_unit(unit).with_description(about).build(),
            ),
            MetricKind::Histogram(bounds) => {
                let builder = self.0.f64_histogram(name).with_unit(unit).with_description(about);
                InstrumentKind::Histogram(builder.with_boundaries(bounds.to_vec()).build())
            }
        };
        Arc::new(OtelInstrument { metric, kind })
    }

    fn observe(&self, metric: &'static Metric, read: Box<dyn Fn() -> Option<u64> + Send + Sync>) {
        let signed = |value| i64::try_from(value).unwrap_or(i64::MAX);
        // The meter keeps the callbacks; the instruments' handles are not needed.
        match metric.kind {
            MetricKind::Counter => {
                let _ = observed(self.0.u64_observable_counter(metric.otel), metric, read).build();
            }
            MetricKind::Gauge => {
                let _ = observed(self.0.u64_observable_gauge(metric.otel), metric, read).build();
            }
            MetricKind::UpDown | MetricKind::Histogram(_) => {
                let builder = self.0.i64_observable_up_down_counter(metric.otel);
                let _ = observed(builder, metric, move || read().map(signed)).build();
            }
        }
    }
}

impl MetricInstrument for OtelInstrument {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are whole")]
    fn record(&self, value: f64, attributes: &[AttributeValue<'_>]) {
        let names = self.metric.attributes;
        debug_assert_eq!(names.len(), attributes.len(), "{} has others", self.metric.otel);
        let pairs = names.iter().zip(attributes);
        let pairs: Vec<_> =
            pairs.filter_map(|(name, text)| Some(KeyValue::new(*name, text.to_otel()?))).collect();
        match &self.kind {
            InstrumentKind::Counter(counter) => counter.add(value as u64, &pairs),
            InstrumentKind::UpDown(counter) => counter.add(value as i64, &pairs),
            InstrumentKind::Histogram(histogram) => histogram.record(value, &pairs),
            InstrumentKind::Amounts(counter) => counter.add(value, &pairs),
            InstrumentKind::Amount(gauge) => gauge.record(value, &pairs),
        }
    }
}

impl AttributeValue<'_> {
    fn to_otel(self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Text(text) => Some(text.into()),
            Self::Shared(text) => Some(StringValue::from(text.clone()).into()),
            Self::Number(number) => Some(i64::from(number).into()),
            Self::Decimal(number) => Some(number.to_string().into()),
        }
    }
}

/// Adds the metric's texts, and the function that reads its value.
fn observed<'m, I, M>(
    builder: AsyncInstrumentBuilder<'m, I, M>,
    metric: &Metric,
    read: impl Fn() -> Option<M> + Send + Sync + 'static,
) -> AsyncInstrumentBuilder<'m, I, M> {
    let builder = builder.with_unit(metric.unit.as_ucum()).with_description(metric.description);
    builder.with_callback(move |observer| {
        if let Some(value) = read() {
            observer.observe(value, &[]);
        }
    })
}
