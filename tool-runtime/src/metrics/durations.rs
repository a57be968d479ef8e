//! A histogram of durations.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::table::{Metric, MetricKind};

/// The durations of one series of a histogram.
#[derive(Debug)]
pub(crate) struct Durations {
    /// Upper bounds in seconds.
    bounds: &'static [f64],
    /// One bucket more than there are bounds, for longer durations.
    buckets: Box<[AtomicU64]>,
    micros: AtomicU64,
}

/// The durations that were counted.
#[derive(Debug)]
pub(crate) struct CountedDurations {
    /// In seconds.
    pub(crate) sum: f64,
    pub(crate) count: u64,
    /// The upper bounds in seconds, each with its count.
    pub(crate) buckets: Vec<(f64, u64)>,
}

impl Durations {
    /// Creates an empty series of this histogram.
    pub(crate) fn of(metric: &Metric) -> Self {
        let bounds = match metric.kind {
            MetricKind::Histogram(bounds) => bounds,
            MetricKind::Counter | MetricKind::UpDown | MetricKind::Gauge => &[],
        };
        let buckets = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, buckets, micros: AtomicU64::new(0) }
    }

    pub(crate) fn add(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = self.bounds.partition_point(|bound| *bound < seconds);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns what was counted; `None` if nothing was.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(crate) fn read(&self) -> Option<CountedDurations> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        (count > 0).then_some(CountedDurations { sum, count, buckets })
    }
}
