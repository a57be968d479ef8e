//! Reads the counted values, for `/metrics`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::calls::{CallMetrics, ToolSeries, UNKNOWN};
use super::distribution::Distribution;
use super::instruments::Meter;

/// The values that were counted.
#[derive(Debug)]
pub struct CountedValues {
    /// In the unit of the metric.
    pub sum: f64,
    pub count: u64,
    /// The upper bounds, each with its count.
    pub buckets: Vec<(f64, u64)>,
}

impl CallMetrics {
    /// Returns the meter of the host.
    pub fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// Returns the series of all tools by the values of their label, the unknown one last.
    pub fn tools(&self) -> Vec<(Arc<str>, Arc<ToolSeries>)> {
        let tools = self.tools.load();
        let tool_series = tools.values().map(|series| (series.name.clone(), series.clone()));
        tool_series.chain([(UNKNOWN.into(), self.unknown.clone())]).collect()
    }

    /// Returns the number of running calls.
    pub fn active(&self) -> u64 {
        self.tools().iter().map(|(_, series)| read(&series.active)).sum()
    }
}

impl ToolSeries {
    /// Returns the ended calls by status and code, without those that have a count of 0.
    pub fn ended(&self) -> impl Iterator<Item = ([&str; 2], u64)> {
        let status = |code: &str| if code.is_empty() { "success" } else { "error" };
        let end_counts =
            self.by_code.iter().map(move |it| ([status(&it.code), &*it.code], read(&it.ended)));
        end_counts.filter(|(_, count)| *count > 0)
    }

    /// Returns the refused calls by code, without those that have a count of 0.
    pub fn refused(&self) -> impl Iterator<Item = (&str, u64)> {
        let refusal_counts = self.by_code.iter().map(|it| (&*it.code, read(&it.refused)));
        refusal_counts.filter(|(_, count)| *count > 0)
    }

    pub fn retries(&self) -> u64 {
        read(&self.retries)
    }

    pub fn cache_hits(&self) -> u64 {
        read(&self.cache_hits)
    }

    pub fn replays(&self) -> u64 {
        read(&self.replays)
    }

    pub fn call_times(&self) -> &Distribution {
        &self.call_times
    }

    pub fn tool_times(&self) -> &Distribution {
        &self.tool_times
    }
}

impl Distribution {
    /// Returns what was counted; `None` if nothing was.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub fn read(&self) -> Option<CountedValues> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.sum.load(Ordering::Relaxed) as f64 / 1e6;
        (count > 0).then_some(CountedValues { sum, count, buckets })
    }
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}
