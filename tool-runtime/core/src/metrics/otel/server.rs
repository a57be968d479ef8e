//! The methods of the instruments that only the metrics of the HTTP server use.

use super::{AttributeValue, Meter};
use crate::metrics::table::{Metric, MetricKind};

impl Meter {
    /// Exports a value that is read for each export; nothing while it is `None`.
    pub fn observe(
        &self,
        metric: &'static Metric,
        read: impl Fn() -> Option<u64> + Send + Sync + 'static,
    ) {
        let (name, unit, about) = (metric.otel, metric.unit.as_ucum(), metric.description);
        // The meter keeps the callbacks; the instruments' handles are not needed.
        match metric.kind {
            MetricKind::Counter => {
                let builder = self.0.u64_observable_counter(name).with_unit(unit);
                let builder = builder.with_description(about).with_callback(move |observer| {
                    if let Some(value) = read() {
                        observer.observe(value, &[]);
                    }
                });
                let _ = builder.build();
            }
            MetricKind::UpDown | MetricKind::Histogram(_) => {
                let builder = self.0.i64_observable_up_down_counter(name).with_unit(unit);
                let builder = builder.with_description(about).with_callback(move |observer| {
                    let value = read().map(|value| i64::try_from(value).unwrap_or(i64::MAX));
                    if let Some(value) = value {
                        observer.observe(value, &[]);
                    }
                });
                let _ = builder.build();
            }
            MetricKind::Gauge => {
                let builder = self.0.u64_observable_gauge(name).with_unit(unit);
                let builder = builder.with_description(about).with_callback(move |observer| {
                    if let Some(value) = read() {
                        observer.observe(value, &[]);
                    }
                });
                let _ = builder.build();
            }
        }
    }
}

impl AttributeValue {
    #[must_use]
    pub fn number(number: u16) -> Self {
        Self(Some(i64::from(number).into()))
    }
}
