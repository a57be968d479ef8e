//! The counters and histograms of a tool, of a route and of refusals.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use tool_contracts::ErrorCode;

use crate::FailureCode;
use crate::http::problem::status::FAILURES;

/// Upper bounds of the histogram's buckets, in microseconds: 0.5 ms to 30 s.
const BOUNDS: [u64; 12] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
    30_000_000,
];

/// A histogram of durations.
#[derive(Debug, Default)]
pub(super) struct Durations {
    /// One bucket more than there are bounds, for longer durations.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// The metrics of one route.
#[derive(Debug, Default)]
pub(super) struct RouteSeries {
    answers: [AtomicU64; Self::ANSWERS.len()],
    pub(super) took: Durations,
}

/// The counters of requests that were refused before a call was opened, by status.
#[derive(Debug, Default)]
pub(super) struct RefusalSeries([AtomicU64; FAILURES.len() + 1]);

/// The metrics of one tool.
#[derive(Debug)]
pub(super) struct ToolSeries {
    successes: AtomicU64,
    /// Failures by shared error code.
    failures: Box<[(&'static str, AtomicU64)]>,
    own: Box<[(Box<str>, AtomicU64)]>,
    /// Failures with a code that the tool has not declared.
    unknown: AtomicU64,
    pub(super) took: Durations,
}

impl Durations {
    pub(super) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the sum in seconds, the count, and the buckets with their bounds in seconds.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(super) fn read(&self) -> (f64, u64, [(f64, u64); BOUNDS.len() + 1]) {
        let bound =
            |bucket: usize| BOUNDS.get(bucket).map_or(f64::INFINITY, |bound| *bound as f64 / 1e6);
        let buckets = array::from_fn(|bucket| (bound(bucket), read(&self.buckets[bucket])));
        let count = buckets.iter().map(|(_, count)| count).sum();
        (read(&self.micros) as f64 / 1e6, count, buckets)
    }
}

impl RouteSeries {
    /// The status classes as labels; `gone` counts requests whose client disconnected.
    pub(super) const ANSWERS: [&'static str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

    pub(super) fn answered(&self, status: Option<StatusCode>, took: Duration) {
        let class = status.map_or(5, |status| usize::from(status.as_u16() / 100) - 1);
        self.answers[class.min(5)].fetch_add(1, Ordering::Relaxed);
        self.took.add(took);
    }

    /// Returns the classes with a count above 0.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = Self::ANSWERS.into_iter().zip(self.answers.iter().map(read));
        counts.filter(|(_, count)| *count > 0)
    }
}

impl RefusalSeries {
    pub(super) fn refused(&self, status: StatusCode) {
        let known = FAILURES.iter().position(|known| *known == status);
        self.0[known.unwrap_or(FAILURES.len())].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the statuses with a count above 0; `other` stands for any other status.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let labels = FAILURES.iter().map(StatusCode::as_str).chain(["other"]);
        labels.zip(self.0.iter().map(read)).filter(|(_, count)| *count > 0)
    }
}

impl ToolSeries {
    /// Creates the series of a tool that declares these codes.
    pub(super) fn of(codes: &[FailureCode]) -> Self {
        let shared = ErrorCode::ALL.iter().map(|code| (code.as_str(), AtomicU64::new(0)));
        let is_own =
            |code: &&FailureCode| ErrorCode::ALL.iter().all(|it| it.as_str() != code.as_str());
        let own = codes.iter().filter(is_own).map(|code| (code.as_str().into(), AtomicU64::new(0)));
        Self {
            successes: AtomicU64::new(0),
            failures: shared.collect(),
            own: own.collect(),
            unknown: AtomicU64::new(0),
            took: Durations::default(),
        }
    }

    pub(super) fn ended(&self, failure: Option<&str>, took: Duration) {
        let count = match failure {
            None => &self.successes,
            Some(code) => self.failure(code).unwrap_or(&self.unknown),
        };
        count.fetch_add(1, Ordering::Relaxed);
        self.took.add(took);
    }

    /// Returns the statuses and codes with a count above 0.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, &str, u64)> {
        let shared = self.failures.iter().map(|(code, count)| (*code, count));
        let own = self.own.iter().map(|(code, count)| (&**code, count));
        let failures = shared.chain(own).chain([("unknown", &self.unknown)]);
        let failures = failures.map(|(code, count)| ("error", code, read(count)));
        let all = [("success", "", read(&self.successes))].into_iter().chain(failures);
        all.filter(|(_, _, count)| *count > 0)
    }

    fn failure(&self, code: &str) -> Option<&AtomicU64> {
        let shared = self.failures.iter().find(|(known, _)| *known == code).map(|(_, count)| count);
        shared
            .or_else(|| self.own.iter().find(|(known, _)| **known == *code).map(|(_, count)| count))
    }
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::{FAILURES, RefusalSeries};

    #[test]
    fn each_status_of_a_failure_has_a_label_of_its_own() {
        let series = RefusalSeries::default();
        for status in FAILURES {
            series.refused(status);
        }
        let read: Vec<_> = series.read().collect();
        let expected: Vec<_> = FAILURES.iter().map(|status| (status.as_str(), 1)).collect();
        assert_eq!(read, expected);
    }
}
