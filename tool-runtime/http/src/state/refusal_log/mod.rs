//! Logs requests that were refused before a call was opened, at a bounded rate.
//!
//! An opened call is recorded whatever its result; a request that is refused before that leaves
//! only these events.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::Value;
use tokio::time::Instant;
use tool_runtime_core::log::log_event;

use crate::problem::Problem;

#[cfg(all(test, feature = "trace"))]
mod tests;

/// The most events in each window, counted separately for authenticated and anonymous callers, so
/// that a flood of the latter does not suppress events of the former.
const MAX_EVENTS: u32 = 20;
const WINDOW: Duration = Duration::from_secs(10);

/// The log of refusals.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    authenticated: Mutex<EventWindow>,
    anonymous: Mutex<EventWindow>,
}

#[derive(Debug, Default)]
struct EventWindow {
    since: Option<Instant>,
    events: u32,
    /// The refusals that were not logged since the last event.
    suppressed: u64,
}

/// A refusal, with the facts of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoggedRefusal<'r> {
    pub(crate) problem: &'r Problem,
    pub(crate) peer: Option<SocketAddr>,
    /// The path template of the request.
    pub(crate) route: Option<&'r str>,
    pub(crate) principal: Option<&'r str>,
    pub(crate) trace_id: Option<&'r str>,
}

impl RefusalLog {
    /// Logs a refusal if operators need it and the rate permits.
    pub(crate) fn log(&self, refusal: &LoggedRefusal<'_>) {
        let &LoggedRefusal { problem, peer, route, principal, trace_id } = refusal;
        if !is_logged() || !concerns_operators(problem.status) {
            return;
        }
        let Some(suppressed) = self.count(principal.is_some()) else { return };
        let reason = problem.details.get("reason").and_then(Value::as_str);
        log_event!(
            warn,
            target: tool_runtime_core::trace::conventions::REFUSAL_TARGET,
            event = "request_refused",
            status = problem.status.as_u16(),
            error_code = problem.code.as_str(),
            reason,
            principal,
            // In full: within an event `log` may be the crate of that name.
            peer = peer.map(tool_runtime_core::log::display),
            route,
            trace_id,
            suppressed = (suppressed > 0).then_some(suppressed),
        );
    }

    /// Counts a refusal; if it is to be logged, returns the number of suppressed ones before it.
    fn count(&self, is_authenticated: bool) -> Option<u64> {
        let window = if is_authenticated { &self.authenticated } else { &self.anonymous };
        window.lock().unwrap_or_else(PoisonError::into_inner).count()
    }
}

impl EventWindow {
    fn count(&mut self) -> Option<u64> {
        if self.since.is_none_or(|since| since.elapsed() >= WINDOW) {
            (self.since, self.events) = (Some(Instant::now()), 0);
        }
        if self.events == MAX_EVENTS {
            self.suppressed += 1;
            return None;
        }
        self.events += 1;
        Some(std::mem::take(&mut self.suppressed))
    }
}

/// Returns whether a subscriber takes these events.
#[cfg(feature = "trace")]
fn is_logged() -> bool {
    use tool_runtime_core::trace::conventions::REFUSAL_TARGET;

    tracing::enabled!(target: REFUSAL_TARGET, tracing::Level::WARN)
}

/// Returns that a build without the feature `trace` emits no events.
#[cfg(not(feature = "trace"))]
const fn is_logged() -> bool {
    false
}

/// Returns whether operators need to know of a refusal: access was denied, a limit was reached, or
/// the server failed. Other faults concern only the client.
fn concerns_operators(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::MISDIRECTED_REQUEST
            | StatusCode::TOO_MANY_REQUESTS
            | StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::SERVICE_UNAVAILABLE
    )
}
