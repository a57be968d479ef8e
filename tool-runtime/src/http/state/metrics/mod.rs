//! Metrics of requests, calls and connections.

mod scrape;
mod series;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

pub(in crate::http) use self::scrape::LimitMetrics;
use self::scrape::Scrape;
use self::series::{RefusalSeries, RouteSeries, ToolSeries};
use crate::http::state::config::HttpConfig;
use crate::policy::OutcomeCounts;
use crate::{Runtime, ToolOutput};

/// The metrics of one router; recording takes a few atomic additions and no lock.
///
/// Label values come from bounded sets: the routes, the tools of the runtime and their declared
/// error codes. Any other value counts as `unknown`.
#[derive(Clone)]
pub(in crate::http) struct Metrics(Arc<MetricsState>);

/// The counters and histograms.
struct MetricsState {
    /// By the index of the route, with its label.
    routes: Box<[(&'static str, RouteSeries)]>,
    refusals: RefusalSeries,
    tools: HashMap<Box<str>, ToolSeries>,
    unknown: ToolSeries,
    /// Calls that run after their clients have disconnected: now, and in all.
    orphans: (AtomicU64, AtomicU64),
    /// Detected steps of the wall clock.
    clock_steps: Arc<AtomicU64>,
}

/// Counts a call that runs after its client has disconnected, until this is dropped.
#[derive(Debug)]
#[must_use = "the call counts only while this is held"]
pub(in crate::http) struct OrphanGuard(Metrics);

impl Metrics {
    /// Creates the series of every tool and of the routes with these labels.
    pub(in crate::http) fn of(
        runtime: &Runtime,
        routes: impl Iterator<Item = &'static str>,
    ) -> Self {
        let series = |name: &str| ToolSeries::of(runtime.failure_codes(name).unwrap_or_default());
        let tools = runtime.specs().map(|tool| (tool.name().into(), series(tool.name()))).collect();
        let routes = routes.map(|label| (label, RouteSeries::default())).collect();
        let (unknown, orphans) = (ToolSeries::of(&[]), Default::default());
        let refusals = RefusalSeries::default();
        let clock_steps = runtime.wall_clock_step_counter();
        Self(Arc::new(MetricsState { routes, refusals, tools, unknown, orphans, clock_steps }))
    }

    /// Counts an answered request of the route with this index; without a status, its client has
    /// disconnected.
    pub(in crate::http) fn answered(
        &self,
        route: usize,
        status: Option<StatusCode>,
        time: Duration,
    ) {
        if let Some((_, series)) = self.0.routes.get(route) {
            series.answered(status, time);
        }
    }

    /// Counts a request that was refused before a call was opened.
    pub(in crate::http) fn refused(&self, status: StatusCode) {
        self.0.refusals.refused(status);
    }

    /// Counts a call that was answered.
    pub(in crate::http) fn call_ended(&self, tool: &str, output: &ToolOutput, time: Duration) {
        let series = self.0.tools.get(tool).unwrap_or(&self.0.unknown);
        series.ended(output.error().map(|error| error.code().unwrap_or_default()), time);
    }

    /// Counts a call that continues after its client has disconnected.
    pub(in crate::http) fn orphan(&self) -> OrphanGuard {
        let (now, ever) = &self.0.orphans;
        now.fetch_add(1, Ordering::Relaxed);
        ever.fetch_add(1, Ordering::Relaxed);
        OrphanGuard(self.clone())
    }

    /// Writes all metrics in the text format of `OpenMetrics`.
    pub(in crate::http) fn text(
        &self,
        config: &HttpConfig,
        outcomes: OutcomeCounts,
        held: LimitMetrics,
    ) -> String {
        let (drain, ledger) = (config.drain(), config.ledger.clone());
        let token_keys_fail = config.auth.token_keys_fail();
        let mut registry = Registry::with_prefix("tool_server");
        registry.register_collector(Box::new(Scrape {
            metrics: self.0.clone(),
            drain,
            ledger,
            outcomes,
            token_keys_fail,
            held,
        }));
        let mut written = String::new();
        // Writing into a `String` cannot fail.
        let _ = text::encode(&mut written, &registry);
        written
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("tools", &self.0.tools.len()).finish_non_exhaustive()
    }
}

impl Drop for OrphanGuard {
    fn drop(&mut self) {
        self.0.0.orphans.0.fetch_sub(1, Ordering::Relaxed);
    }
}
