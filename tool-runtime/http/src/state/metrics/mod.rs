//! Metrics of requests and connections, and their output at `/metrics` together with those of calls.

mod observed;
mod scrape;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{Method, StatusCode};

use tool_runtime_core::Runtime;
use tool_runtime_core::metrics::names::OTHER;
use tool_runtime_core::metrics::table::{REQUEST_TIMES, REQUESTS, REQUESTS_REFUSED};
use tool_runtime_core::metrics::{AttributeValue, CallMetrics, LazySeries, Recorder, UNKNOWN};

pub(crate) use self::observed::export;
pub(crate) use self::scrape::text;
use crate::problem::status::FAILURES;

/// The status classes as labels; `gone` counts requests whose client disconnected.
const ANSWERS: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"];

/// The metrics of one router; recording takes a few atomic additions, and a lock only for the first
/// value of a series.
///
/// Label values come from bounded sets: the routes, the statuses and the standard methods.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<MetricsState>);

/// The series, and the values that no other part of the server counts.
struct MetricsState {
    /// By the index of the route.
    routes: Box<[RouteSeries]>,
    /// By the position of the status in [`FAILURES`], other statuses last.
    refusals: [LazySeries; FAILURES.len() + 1],
    recorder: Recorder,
    calls: Arc<CallMetrics>,
    /// Calls that run after their clients have disconnected: now, and in all.
    orphans: (AtomicU64, AtomicU64),
    /// Detected steps of the wall clock.
    clock_steps: Arc<AtomicU64>,
}

/// The series of one route.
struct RouteSeries {
    label: &'static str,
    answers: [LazySeries; ANSWERS.len()],
    times: LazySeries,
}

/// A request that was answered, or whose client has disconnected.
#[derive(Debug)]
pub(crate) struct AnsweredRequest<'r> {
    /// The index of the route.
    pub(crate) route: usize,
    pub(crate) method: &'r Method,
    pub(crate) is_https: bool,
    /// `None` if the client has disconnected.
    pub(crate) status: Option<StatusCode>,
    /// The time until the answer begins.
    pub(crate) took: Duration,
}

/// The extension of a request that came over a TLS connection of this server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServedOverTls;

/// Counts a call that runs after its client has disconnected, until this is dropped.
#[derive(Debug)]
#[must_use = "the call counts only while this is held"]
pub(crate) struct OrphanGuard(Metrics);

impl Metrics {
    /// Measures the requests of the routes with these labels, and the calls of the runtime.
    pub(crate) fn new(runtime: &Runtime, routes: impl Iterator<Item = &'static str>) -> Self {
        let calls = Arc::clone(runtime.services().dispatcher.measure(None));
        Self(Arc::new(MetricsState {
            routes: routes.map(RouteSeries::new).collect(),
            refusals: Default::default(),
            recorder: Recorder::new(calls.recorder().meter().cloned()),
            calls,
            orphans: Default::default(),
            clock_steps: runtime.wall_clock_step_counter(),
        }))
    }

    /// Counts a request.
    pub(crate) fn answered(&self, request: &AnsweredRequest<'_>) {
        let Some(route) = self.0.routes.get(request.route) else { return };
        let status = request.status.map(|status| status.as_u16());
        let class = status.map_or(5, |status| usize::from(status / 100) - 1).min(5);
        let with_route = match route.label {
            // The conventions have no route for a path that the server does not serve.
            UNKNOWN => AttributeValue::Absent,
            label => label.into(),
        };
        let code = status.map_or(AttributeValue::Absent, AttributeValue::Number);
        let error = match status {
            None => "gone".into(),
            Some(status @ 500..=599) => AttributeValue::Decimal(status),
            Some(_) => AttributeValue::Absent,
        };
        let scheme = if request.is_https { "https" } else { "http" };
        let to = &self.0.recorder;
        let answers = route.answers[class].get(to, &REQUESTS, [route.label, ANSWERS[class]]);
        answers.add(1, &[with_route, code]);
        let times = route.times.get(to, &REQUEST_TIMES, [route.label]);
        let attributes = [method(request.method).into(), scheme.into(), with_route, code, error];
        times.record(request.took, &attributes);
    }

    /// Counts a request that was refused before a call was opened.
    pub(crate) fn refused(&self, status: StatusCode) {
        let position = FAILURES.iter().position(|failure| *failure == status);
        let label = position.map_or("other", |_| status.as_str());
        let refusals = &self.0.refusals[position.unwrap_or(FAILURES.len())];
        let series = refusals.get(&self.0.recorder, &REQUESTS_REFUSED, [label]);
        series.add(1, &[AttributeValue::Number(status.as_u16())]);
    }

    /// Counts a call that continues after its client has disconnected.
    pub(crate) fn orphan(&self) -> OrphanGuard {
        let (now, ever) = &self.0.orphans;
        now.fetch_add(1, Ordering::Relaxed);
        ever.fetch_add(1, Ordering::Relaxed);
        OrphanGuard(self.clone())
    }
}

impl RouteSeries {
    fn new(label: &'static str) -> Self {
        Self { label, answers: Default::default(), times: LazySeries::default() }
    }
}

/// Returns the name of a standard method; another one is text of the client.
fn method(method: &Method) -> &'static str {
    match *method {
        Method::CONNECT => "CONNECT",
        Method::DELETE => "DELETE",
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::TRACE => "TRACE",
        _ => OTHER,
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("calls", &self.0.calls).finish_non_exhaustive()
    }
}

impl Drop for OrphanGuard {
    fn drop(&mut self) {
        self.0.0.orphans.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_of_a_failure_has_a_label_of_its_own() {
        let runtime = Runtime::builder().build().expect("a runtime without tools");
        let metrics = Metrics::new(&runtime, std::iter::empty());
        for status in FAILURES {
            metrics.refused(status);
        }
        let series = metrics.0.recorder.all_series(&REQUESTS_REFUSED);
        let counts: Vec<_> = series.iter().map(|it| (&*it.labels[0], it.count())).collect();
        let mut expected: Vec<_> = FAILURES.iter().map(|status| (status.as_str(), 1)).collect();
        expected.sort_unstable();
        assert_eq!(counts, expected);
    }
}
