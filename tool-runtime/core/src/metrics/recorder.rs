//! Records values: in the series of `/metrics`, and by the exporter of the host.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::table::{Metric, MetricKind};

/// The most configured names, such as names of models, that are values of labels.
const MAX_NAMES: usize = 100;

/// The host's exporter of metrics.
pub type Meter = Arc<dyn MetricExporter>;

/// Exports the metrics of the table to another system than `/metrics`.
pub trait MetricExporter: fmt::Debug + Send + Sync {
    /// Returns the instrument that exports the recorded values of this metric.
    fn instrument(&self, metric: &'static Metric) -> Arc<dyn MetricInstrument>;

    /// Exports a value that is read for each export; nothing while it is `None`.
    fn observe(&self, metric: &'static Metric, read: Box<dyn Fn() -> Option<u64> + Send + Sync>);
}

/// Exports the recorded values of one metric.
pub trait MetricInstrument: fmt::Debug + Send + Sync {
    /// Exports the change of a counter, or a value of a histogram, with the values of the metric's
    /// attributes in their order.
    fn record(&self, value: f64, attributes: &[AttributeValue<'_>]);
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy)]
pub enum AttributeValue<'v> {
    /// The attribute is left out.
    Absent,
    Text(&'static str),
    Shared(&'v Arc<str>),
    Number(u16),
    /// A number as text.
    Decimal(u16),
}

/// The series of the recorded metrics, by the labels of `/metrics`.
#[derive(Debug, Default)]
pub struct Recorder {
    meter: Option<Meter>,
    /// By the metric's name; locked when a series is looked up or listed, not when a value is recorded.
    families: Mutex<BTreeMap<&'static str, Family>>,
    names: Mutex<BTreeSet<Arc<str>>>,
}

/// The series of one metric, sorted by their labels.
#[derive(Debug)]
struct Family {
    instrument: Option<Arc<dyn MetricInstrument>>,
    series: Vec<Arc<Series>>,
}

/// The values that were recorded under the same labels.
#[derive(Debug)]
pub struct Series {
    pub labels: Box<[Box<str>]>,
    instrument: Option<Arc<dyn MetricInstrument>>,
    /// The count of a counter; the sum of a histogram, in millionths of its unit.
    total: AtomicU64,
    /// The upper bounds of a histogram's buckets.
    bounds: &'static [f64],
    /// One bucket more than there are bounds, for greater values.
    buckets: Box<[AtomicU64]>,
}

/// A series that is created with its first value, and then recorded without a lookup.
#[derive(Debug, Default)]
pub struct LazySeries(OnceLock<Arc<Series>>);

impl Recorder {
    /// Creates a recorder without series; its values are exported by this meter.
    #[must_use]
    pub fn new(meter: Option<Meter>) -> Self {
        Self { meter, ..Self::default() }
    }

    /// Returns the meter of the host.
    pub fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// Returns the series with these labels, which it creates if there is none.
    pub fn series<const N: usize>(
        &self,
        metric: &'static Metric,
        labels: [&str; N],
    ) -> Arc<Series> {
        debug_assert_eq!(metric.labels.len(), N, "{} has other labels", metric.prometheus);
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(metric.prometheus).or_insert_with(|| Family {
            instrument: self.meter.as_ref().map(|meter| meter.instrument(metric)),
            series: Vec::new(),
        });
        let order = |series: &Arc<Series>| series.labels.iter().map(|label| &**label).cmp(labels);
        match family.series.binary_search_by(order) {
            Ok(position) => family.series[position].clone(),
            Err(position) => {
                let series = Arc::new(Series::new(metric, &labels, family.instrument.clone()));
                family.series.insert(position, series.clone());
                series
            }
        }
    }

    /// Returns the series of a metric, sorted by their labels.
    pub fn all_series(&self, metric: &Metric) -> Vec<Arc<Series>> {
        let families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        families.get(metric.prometheus).map(|family| family.series.clone()).unwrap_or_default()
    }

    /// Returns whether a configured name may be a label; further ones count as unknown.
    pub fn admits_name(&self, name: &Arc<str>) -> bool {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.contains(name) || names.len() < MAX_NAMES && names.insert(name.clone())
    }
}

impl Series {
    fn new(
        metric: &Metric,
        labels: &[&str],
        instrument: Option<Arc<dyn MetricInstrument>>,
    ) -> Self {
        let (bounds, buckets) = match metric.kind {
            MetricKind::Histogram(bounds) => (bounds, bounds.len() + 1),
            MetricKind::Counter | MetricKind::UpDown | MetricKind::Gauge => (&[][..], 0),
        };
        Self {
            labels: labels.iter().map(|label| Box::from(*label)).collect(),
            instrument,
            total: AtomicU64::new(0),
            bounds,
            buckets: (0..buckets).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Increases a counter.
    pub fn add(&self, count: u64, attributes: &[AttributeValue<'_>]) {
        self.total.fetch_add(count, Ordering::Relaxed);
        self.export(float(count), attributes);
    }

    /// Decreases a count that also goes down.
    pub fn subtract(&self, count: u64, attributes: &[AttributeValue<'_>]) {
        self.total.fetch_sub(count, Ordering::Relaxed);
        self.export(-float(count), attributes);
    }

    /// Adds a duration to a histogram in seconds.
    pub fn record(&self, took: Duration, attributes: &[AttributeValue<'_>]) {
        let millionths = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.distribute(took.as_secs_f64(), millionths, attributes);
    }

    /// Adds a count of things to a histogram.
    pub fn record_count(&self, count: u64, attributes: &[AttributeValue<'_>]) {
        self.distribute(float(count), count.saturating_mul(1_000_000), attributes);
    }

    /// Adds to a sum of amounts, in millionths.
    pub fn add_amount(&self, millionths: u64, attributes: &[AttributeValue<'_>]) {
        let add = |total: u64| Some(total.saturating_add(millionths));
        let _ = self.total.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        self.export(float(millionths) / 1e6, attributes);
    }

    /// Replaces an amount, in millionths.
    pub fn set_amount(&self, millionths: u64, attributes: &[AttributeValue<'_>]) {
        self.total.store(millionths, Ordering::Relaxed);
        self.export(float(millionths) / 1e6, attributes);
    }

    fn distribute(&self, value: f64, millionths: u64, attributes: &[AttributeValue<'_>]) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.total.fetch_add(millionths, Ordering::Relaxed);
        self.export(value, attributes);
    }

    fn export(&self, value: f64, attributes: &[AttributeValue<'_>]) {
        if let Some(instrument) = &self.instrument {
            instrument.record(value, attributes);
        }
    }

    /// Returns the count of a counter.
    pub fn count(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Returns the sum of a histogram, or of amounts, in its unit.
    pub fn sum(&self) -> f64 {
        float(self.count()) / 1e6
    }

    /// Returns the upper bounds of a histogram, each with the number of values in its bucket.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        bounds.zip(self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed))).collect()
    }
}

impl LazySeries {
    /// Returns the series, which always has the same labels.
    pub fn get<const N: usize>(
        &self,
        recorder: &Recorder,
        metric: &'static Metric,
        labels: [&str; N],
    ) -> &Series {
        self.0.get_or_init(|| recorder.series(metric, labels))
    }
}

impl From<&'static str> for AttributeValue<'_> {
    fn from(text: &'static str) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&'static str>> for AttributeValue<'_> {
    fn from(text: Option<&'static str>) -> Self {
        text.map_or(Self::Absent, Self::Text)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_bound_are_not_admitted() {
        let recorder = Recorder::default();
        for number in 0..2 * MAX_NAMES {
            let name = Arc::from(number.to_string());
            for _ in 0..2 {
                assert_eq!(recorder.admits_name(&name), number < MAX_NAMES, "{number}");
            }
        }
    }
}
