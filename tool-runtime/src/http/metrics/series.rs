//! The figures of one tool, and of one path.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use tool_contracts::ErrorCode;

use crate::FailureCode;

/// Upper bounds of what durations are told apart by, in microseconds: 0.5 ms to 30 s.
const BOUNDS: [u64; 12] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
    30_000_000,
];

/// How long things took, by size.
#[derive(Debug, Default)]
pub(super) struct Durations {
    /// One more than there are bounds: what took longer than the last.
    sizes: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// What is counted of one path.
#[derive(Debug, Default)]
pub(super) struct RouteSeries {
    answers: [AtomicU64; Self::ANSWERS.len()],
    pub(super) took: Durations,
}

/// What is counted of requests that led to no call.
#[derive(Debug, Default)]
pub(super) struct RefusalSeries([AtomicU64; Self::STATUSES.len()]);

/// What is counted of one tool.
#[derive(Debug)]
pub(super) struct ToolSeries {
    successes: AtomicU64,
    /// By code: those of all tools, and its own.
    failures: Box<[(&'static str, AtomicU64)]>,
    own: Box<[(Box<str>, AtomicU64)]>,
    /// With a code that the tool has not declared.
    unknown: AtomicU64,
    pub(super) took: Durations,
}

impl Durations {
    pub(super) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let size = BOUNDS.partition_point(|bound| *bound < micros);
        self.sizes[size].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// The sum in seconds, how many there are, and how many of each size by its bound in seconds.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    pub(super) fn read(&self) -> (f64, u64, [(f64, u64); BOUNDS.len() + 1]) {
        let bound =
            |size: usize| BOUNDS.get(size).map_or(f64::INFINITY, |bound| *bound as f64 / 1e6);
        let sizes = array::from_fn(|size| (bound(size), read(&self.sizes[size])));
        let count = sizes.iter().map(|(_, count)| count).sum();
        (read(&self.micros) as f64 / 1e6, count, sizes)
    }
}

impl RouteSeries {
    /// The classes of answers, as their label says them; the last had nobody to be sent to.
    pub(super) const ANSWERS: [&'static str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

    pub(super) fn answered(&self, status: Option<StatusCode>, took: Duration) {
        let class = status.map_or(5, |status| usize::from(status.as_u16() / 100) - 1);
        self.answers[class.min(5)].fetch_add(1, Ordering::Relaxed);
        self.took.add(took);
    }

    /// What there was of each class, if anything.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = Self::ANSWERS.into_iter().zip(self.answers.iter().map(read));
        counts.filter(|(_, count)| *count > 0)
    }
}

impl RefusalSeries {
    /// The statuses that there are; the last stands for any other.
    const STATUSES: [&'static str; 16] = [
        "400", "401", "403", "404", "406", "408", "409", "410", "413", "415", "421", "422", "429",
        "500", "503", "other",
    ];

    pub(super) fn refused(&self, status: StatusCode) {
        let place = Self::STATUSES.iter().position(|known| *known == status.as_str());
        self.0[place.unwrap_or(Self::STATUSES.len() - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// What there was of each status, if anything.
    pub(super) fn read(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = Self::STATUSES.into_iter().zip(self.0.iter().map(read));
        counts.filter(|(_, count)| *count > 0)
    }
}

impl ToolSeries {
    /// Makes one for a tool that declares these codes of its own.
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

    /// What there was of each status and code, if anything.
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
