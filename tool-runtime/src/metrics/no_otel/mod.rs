//! The types of OpenTelemetry's instruments without the feature `otel`: there are none.

#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "http")]
mod server;

use std::sync::Arc;
use std::time::Duration;

use crate::metrics::table::Metric;

/// The meter of the host, of which there is none.
#[derive(Debug, Clone)]
pub(crate) enum Meter {}

/// A counter of a meter.
#[derive(Debug)]
pub(crate) struct Counter(Meter);

/// A count of a meter that also decreases.
#[derive(Debug)]
pub(crate) struct UpDownCounter(Meter);

/// A histogram of a meter.
#[derive(Debug)]
pub(crate) struct Histogram(Meter);

/// The value of an attribute.
#[derive(Debug, Clone)]
pub(crate) struct AttributeValue;

impl Meter {
    pub(crate) fn counter(&self, _: &'static Metric) -> Counter {
        match *self {}
    }

    pub(crate) fn up_down_counter(&self, _: &'static Metric) -> UpDownCounter {
        match *self {}
    }

    pub(crate) fn histogram(&self, _: &'static Metric) -> Histogram {
        match *self {}
    }
}

impl Counter {
    pub(crate) fn add<const N: usize>(&self, _: u64, _: [AttributeValue; N]) {
        match self.0 {}
    }
}

impl UpDownCounter {
    pub(crate) fn add<const N: usize>(&self, _: i64, _: [AttributeValue; N]) {
        match self.0 {}
    }
}

impl Histogram {
    pub(crate) fn record<const N: usize>(&self, _: Duration, _: [AttributeValue; N]) {
        match self.0 {}
    }
}

impl AttributeValue {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn text(_: &'static str) -> Self {
        Self
    }

    pub(crate) fn shared(_: &Arc<str>) -> Self {
        Self
    }
}
