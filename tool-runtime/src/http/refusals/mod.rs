//! What was refused before there was a call, told to the log: as much of it as anybody can read.
//!
//! A call that was opened is on the record, whatever it came to; of what is turned away before that,
//! these events are the only trace.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{ConnectInfo, MatchedPath};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde_json::Value;
use tokio::time::Instant;

use super::answer::Heard;
use super::problem::Problem;
use crate::trace::conventions as names;

#[cfg(test)]
mod tests;

/// How many events there are in each span of time, of those who are known and of all others: a
/// stranger who fills the one hides nothing of the other.
const MOST: u32 = 20;
const WINDOW: Duration = Duration::from_secs(10);

/// What has been told of refusals.
#[derive(Debug, Default)]
pub(super) struct RefusalLog {
    of_known: Mutex<Told>,
    of_strangers: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    since: Option<Instant>,
    events: u32,
    /// What was not told since the last event.
    suppressed: u64,
}

impl RefusalLog {
    /// Tells of a refusal, if it is one that those who run the server want to know of.
    pub(super) fn tell(&self, parts: &Parts, problem: &Problem, heard: &Heard) {
        let is_wanted = tracing::enabled!(target: names::REFUSAL_TARGET, tracing::Level::WARN);
        if !is_wanted || !keeps_out(problem.status) {
            return;
        }
        let Some(suppressed) = self.count(heard.principal().is_some()) else { return };
        let reason = problem.details.get("reason").and_then(Value::as_str);
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|it| it.0);
        let route = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
        tracing::warn!(
            target: names::REFUSAL_TARGET,
            event = "request_refused",
            status = problem.status.as_u16(),
            error_code = problem.code.as_str(),
            reason,
            principal = heard.principal(),
            peer = peer.map(tracing::field::display),
            route,
            trace_id = heard.trace_id.as_deref(),
            suppressed = (suppressed > 0).then_some(suppressed),
        );
    }

    /// Counts a refusal; gives how many were not told before it, if it is to be told itself.
    fn count(&self, is_known: bool) -> Option<u64> {
        let told = if is_known { &self.of_known } else { &self.of_strangers };
        told.lock().unwrap_or_else(PoisonError::into_inner).count()
    }
}

impl Told {
    fn count(&mut self) -> Option<u64> {
        if self.since.is_none_or(|since| since.elapsed() >= WINDOW) {
            (self.since, self.events) = (Some(Instant::now()), 0);
        }
        if self.events == MOST {
            self.suppressed += 1;
            return None;
        }
        self.events += 1;
        Some(std::mem::take(&mut self.suppressed))
    }
}

/// Tells whether somebody was kept out, or the server failed; other mistakes are told to who makes
/// them.
fn keeps_out(status: StatusCode) -> bool {
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
