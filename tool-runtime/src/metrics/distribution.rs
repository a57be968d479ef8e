//! The distribution of the values of a histogram.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::table::{Metric, MetricKind};

/// The values of one series of a histogram: durations, or counts of something.
#[derive(Debug)]
pub(crate) struct Distribution {
    /// Upper bounds, in the unit of the metric.
    bounds: &'static [f64],
    /// One bucket more than there are bounds, for greater values.
    buckets: Box<[AtomicU64]>,
    /// In millionths of the unit.
    sum: AtomicU64,
}

/// The values that were counted.
#[derive(Debug)]
pub(crate) struct CountedValues {
    /// In the unit of the metric.
    pub(crate) sum: f64,
    pub(crate) count: u64,
    /// The upper bounds, each with its count.
    pub(crate) buckets: Vec<(f64, u64)>,
}

impl Distribution {
    /// Creates an empty series of this histogram.
    pub(crate) fn of(metric: &Metric) -> Self {
        let bounds = match metric.kind {
            MetricKind::Histogram(bounds) => bounds,
            MetricKind::Counter | MetricKind::UpDown | MetricKind::Gauge => &[],
        };
        let buckets = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, buckets, sum: AtomicU64::new(0) }
    }

    /// Adds a value of a metric in seconds.
    pub(crate) fn add_duration(&self, took: Duration) {
        self.add(took.as_secs_f64(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Adds a value of a metric that counts something.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(crate) fn add_count(&self, count: u64) {
        self.add(count as f64, count.saturating_mul(1_000_000));
    }

    fn add(&self, value: f64, millionths: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(millionths, Ordering::Relaxed);
    }

    /// Returns what was counted; `None` if nothing was.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(crate) fn read(&self) -> Option<CountedValues> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.sum.load(Ordering::Relaxed) as f64 / 1e6;
        (count > 0).then_some(CountedValues { sum, count, buckets })
    }
}
