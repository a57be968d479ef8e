//! What is counted and measured of requests, calls and connections.

mod measured;
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

pub(super) use self::measured::{Route, measured};
pub(super) use self::scrape::HeldBack;
use self::scrape::Scrape;
use self::series::{RefusalSeries, RouteSeries, ToolSeries};
use super::HttpConfig;
use crate::policy::OutcomeCounts;
use crate::{Runtime, ToolOutput};

/// Counts and measures; each costs a few atomic additions, and no lock.
///
/// Labels are of small sets: the paths of the router, the tools of the runtime and the codes that
/// they declare. What is of none of them counts as `unknown`.
#[derive(Clone)]
pub(super) struct Metrics(Arc<Figures>);

/// What is counted.
struct Figures {
    routes: [RouteSeries; Route::ALL.len()],
    refusals: RefusalSeries,
    tools: HashMap<Box<str>, ToolSeries>,
    unknown: ToolSeries,
    /// Calls that go on without their callers, at this moment and in all.
    orphans: (AtomicU64, AtomicU64),
    /// How often the wall clock was found set.
    clock_steps: Arc<AtomicU64>,
}

/// A call that goes on without its caller, as long as this is kept.
#[derive(Debug)]
#[must_use = "it is counted as long as this is kept"]
pub(super) struct Orphan(Metrics);

impl Metrics {
    /// Makes a series for every tool there is.
    pub(super) fn of(runtime: &Runtime) -> Self {
        let series = |name: &str| ToolSeries::of(runtime.failure_codes(name).unwrap_or_default());
        let tools = runtime.specs().map(|tool| (tool.name().into(), series(tool.name()))).collect();
        let routes = std::array::from_fn(|_| RouteSeries::default());
        let (unknown, orphans) = (ToolSeries::of(&[]), Default::default());
        let refusals = RefusalSeries::default();
        let clock_steps = runtime.wall_clock_step_counter();
        Self(Arc::new(Figures { routes, refusals, tools, unknown, orphans, clock_steps }))
    }

    /// Counts a request that was refused before there was a call.
    pub(super) fn refused(&self, status: StatusCode) {
        self.0.refusals.refused(status);
    }

    /// Counts a call that was answered; the tool is as it was asked for.
    pub(super) fn call_ended(&self, tool: &str, output: &ToolOutput, time: Duration) {
        let series = self.0.tools.get(tool).unwrap_or(&self.0.unknown);
        series.ended(output.error().map(|error| error.code().unwrap_or_default()), time);
    }

    /// Counts a call whose caller has hung up, and that runs on.
    pub(super) fn orphan(&self) -> Orphan {
        let (now, ever) = &self.0.orphans;
        now.fetch_add(1, Ordering::Relaxed);
        ever.fetch_add(1, Ordering::Relaxed);
        Orphan(self.clone())
    }

    /// Writes all figures in the text format of `OpenMetrics`.
    pub(super) fn text(
        &self,
        config: &HttpConfig,
        outcomes: OutcomeCounts,
        held: HeldBack,
    ) -> String {
        let (drain, ledger) = (config.drain(), config.ledger.clone());
        let token_keys_fail = config.auth.token_keys_fail();
        let mut registry = Registry::with_prefix("tool_server");
        registry.register_collector(Box::new(Scrape {
            figures: self.0.clone(),
            drain,
            ledger,
            outcomes,
            token_keys_fail,
            held,
        }));
        let mut written = String::new();
        // Writing into text cannot fail.
        let _ = text::encode(&mut written, &registry);
        written
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("tools", &self.0.tools.len()).finish_non_exhaustive()
    }
}

impl Drop for Orphan {
    fn drop(&mut self) {
        self.0.0.orphans.0.fetch_sub(1, Ordering::Relaxed);
    }
}
