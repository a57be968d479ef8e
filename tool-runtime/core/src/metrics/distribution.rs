//! The distribution of the values of a histogram.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::table::{Metric, MetricKind};

/// The values of one series of a histogram: durations, or counts of something.
#[derive(Debug)]
pub struct Distribution {
    /// Upper bounds, in the unit of the metric.
    pub(super) bounds: &'static [f64],
    /// One bucket more than there are bounds, for greater values.
    pub(super) buckets: Box<[AtomicU64]>,
    /// In millionths of the unit.
    pub(super) sum: AtomicU64,
}

impl Distribution {
    /// Creates an empty series of this histogram.
    #[must_use]
    pub fn new(metric: &Metric) -> Self {
        let bounds = match metric.kind {
            MetricKind::Histogram(bounds) => bounds,
            MetricKind::Counter | MetricKind::UpDown | MetricKind::Gauge => &[],
        };
        let buckets = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, buckets, sum: AtomicU64::new(0) }
    }

    /// Adds a value of a metric in seconds.
    pub fn add_duration(&self, took: Duration) {
        self.add(took.as_secs_f64(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Adds a value in the unit of the metric, and in millionths of it.
    pub(super) fn add(&self, value: f64, millionths: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(millionths, Ordering::Relaxed);
    }
}
