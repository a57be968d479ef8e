//! The counters and histograms of a route and of refusals.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use tool_runtime_core::metrics::Distribution;
use tool_runtime_core::metrics::table::REQUEST_TIMES;

use crate::problem::status::FAILURES;

/// The metrics of one route.
#[derive(Debug)]
pub(super) struct RouteSeries {
    answers: [AtomicU64; Self::ANSWERS.len()],
    pub(super) took: Distribution,
}

/// The counters of requests that were refused before a call was opened, by status.
#[derive(Debug, Default)]
pub(super) struct RefusalSeries([AtomicU64; FAILURES.len() + 1]);

impl RouteSeries {
    /// The status classes as labels; `gone` counts requests whose client disconnected.
    pub(super) const ANSWERS: [&'static str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

    pub(super) fn new() -> Self {
        Self { answers: Default::default(), took: Distribution::new(&REQUEST_TIMES) }
    }

    pub(super) fn answered(&self, status: Option<StatusCode>, took: Duration) {
        let class = status.map_or(5, |status| usize::from(status.as_u16() / 100) - 1);
        self.answers[class.min(5)].fetch_add(1, Ordering::Relaxed);
        self.took.add_duration(took);
    }

    /// Returns the classes with a count above 0.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = Self::ANSWERS.into_iter().zip(self.answers.iter().map(read));
        counts.filter(|(_, count)| *count > 0)
    }
}

impl RefusalSeries {
    pub(super) fn refused(&self, status: StatusCode) {
        let position = FAILURES.iter().position(|known| *known == status);
        self.0[position.unwrap_or(FAILURES.len())].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the statuses with a count above 0; `other` stands for any other status.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let labels = FAILURES.iter().map(StatusCode::as_str).chain(["other"]);
        labels.zip(self.0.iter().map(read)).filter(|(_, count)| *count > 0)
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
