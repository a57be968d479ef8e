//! Metrics of requests and connections, and their output at `/metrics` together with those of calls.

mod observed;
mod scrape;
mod series;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{Method, StatusCode};

use tool_runtime_core::Runtime;
use tool_runtime_core::metrics::table::{REQUEST_TIMES, REQUESTS, REQUESTS_REFUSED};
use tool_runtime_core::metrics::{AttributeValue, CallMetrics, Counter, Histogram, Meter};

pub(crate) use self::observed::export;
pub(crate) use self::scrape::text;
use self::series::{RefusalSeries, RouteSeries};

/// The metrics of one router; recording takes a few atomic additions and no lock.
///
/// Label values come from bounded sets: the routes, the statuses and the standard methods.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<MetricsState>);

/// The counters and histograms.
struct MetricsState {
    /// By the index of the route, with its label.
    routes: Box<[(&'static str, RouteSeries)]>,
    refusals: RefusalSeries,
    calls: Arc<CallMetrics>,
    /// Calls that run after their clients have disconnected: now, and in all.
    orphans: (AtomicU64, AtomicU64),
    /// Detected steps of the wall clock.
    clock_steps: Arc<AtomicU64>,
    instruments: Option<RequestInstruments>,
}

/// The instruments of the runtime's meter.
struct RequestInstruments {
    requests: Counter,
    times: Histogram,
    refusals: Counter,
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
    /// Creates the series of the routes with these labels, and measures the calls of the runtime.
    pub(crate) fn new(runtime: &Runtime, routes: impl Iterator<Item = &'static str>) -> Self {
        let calls = Arc::clone(runtime.services().dispatcher.measure(None));
        Self(Arc::new(MetricsState {
            routes: routes.map(|label| (label, RouteSeries::new())).collect(),
            refusals: RefusalSeries::default(),
            instruments: calls.meter().map(RequestInstruments::new),
            calls,
            orphans: Default::default(),
            clock_steps: runtime.wall_clock_step_counter(),
        }))
    }

    /// Counts a request.
    pub(crate) fn answered(&self, request: &AnsweredRequest<'_>) {
        let Some((label, series)) = self.0.routes.get(request.route) else { return };
        series.answered(request.status, request.took);
        if let Some(to) = &self.0.instruments {
            to.answered(label, request);
        }
    }

    /// Counts a request that was refused before a call was opened.
    pub(crate) fn refused(&self, status: StatusCode) {
        self.0.refusals.refused(status);
        if let Some(to) = &self.0.instruments {
            to.refusals.add(1, [AttributeValue::number(status.as_u16())]);
        }
    }

    /// Counts a call that continues after its client has disconnected.
    pub(crate) fn orphan(&self) -> OrphanGuard {
        let (now, ever) = &self.0.orphans;
        now.fetch_add(1, Ordering::Relaxed);
        ever.fetch_add(1, Ordering::Relaxed);
        OrphanGuard(self.clone())
    }

    fn meter(&self) -> Option<&Meter> {
        self.0.calls.meter()
    }
}

impl RequestInstruments {
    fn new(meter: &Meter) -> Self {
        Self {
            requests: meter.counter(&REQUESTS),
            times: meter.histogram(&REQUEST_TIMES),
            refusals: meter.counter(&REQUESTS_REFUSED),
        }
    }

    fn answered(&self, label: &'static str, request: &AnsweredRequest<'_>) {
        let route = || match label {
            // The conventions have no route for a path that the server does not serve.
            "unknown" => AttributeValue::NONE,
            label => AttributeValue::text(label),
        };
        let number = |status: StatusCode| AttributeValue::number(status.as_u16());
        let code = || request.status.map_or(AttributeValue::NONE, number);
        let error = match request.status {
            None => AttributeValue::text("gone"),
            Some(status) if status.is_server_error() => {
                AttributeValue::shared(&status.as_str().into())
            }
            Some(_) => AttributeValue::NONE,
        };
        let method = AttributeValue::text(method(request.method));
        let scheme = AttributeValue::text(if request.is_https { "https" } else { "http" });
        self.requests.add(1, [route(), code()]);
        self.times.record(request.took, [method, scheme, route(), code(), error]);
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
        _ => tool_runtime_core::metrics::names::OTHER,
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
