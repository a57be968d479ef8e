//! The limits that an agent's request sets for its call, beside those of the tool and of the context.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tool_contracts::act::RetryConfig;

use super::CallState;

/// The limits of one call of an agent.
#[derive(Debug, Clone, Default)]
pub struct RequestedLimits {
    /// The retries, in place of those of the tool's rules.
    pub retries: Option<RetryConfig>,
    /// The time of all attempts together, from the start of the call.
    pub timeout: Option<Duration>,
    /// The deadline that the call shares with others, which counts the wait for people too.
    pub ends: Option<Instant>,
    /// The time at which the call started to run.
    pub started: OnceLock<Instant>,
}

impl CallState {
    /// Sets the limits that the request asks for; the first ones count.
    pub fn set_requested_limits(&self, limits: RequestedLimits) {
        let _ = self.optional_or_new().requested.set(limits);
    }

    fn requested(&self) -> Option<&RequestedLimits> {
        self.optional()?.requested.get()
    }

    /// Returns the retries that the request asks for, in place of those of the tool's rules.
    pub(crate) fn requested_retries(&self) -> Option<&RetryConfig> {
        self.requested()?.retries.as_ref()
    }

    /// Returns the deadline that the call shares with others.
    pub(crate) fn shared_deadline(&self) -> Option<Instant> {
        self.requested()?.ends
    }

    /// Sets the time from which the call's budget counts; the first one counts.
    pub(crate) fn begin_budget(&self, now: Instant) {
        if let Some(requested) = self.requested() {
            let _ = requested.started.set(now);
        }
    }

    /// Returns how long the tool may run by the request's own time and by the shared deadline.
    pub(super) fn requested_budget(&self) -> Option<Duration> {
        let RequestedLimits { timeout, ends, started, .. } = self.requested()?;
        let started = || started.get().copied().unwrap_or_else(|| self.environment.timer().now());
        let left = ends.map(|ends| ends.saturating_duration_since(started()));
        timeout.iter().copied().chain(left).min()
    }

    /// Gives the limits to the same call with other arguments.
    pub(super) fn share_requested_limits(&self, edited: &Self) {
        if let Some(requested) = self.requested() {
            edited.set_requested_limits(requested.clone());
        }
    }

    /// Gives the limits of the time to a call that starts now on behalf of this one.
    pub(super) fn share_requested_time(&self, call: &Self) {
        let Some(RequestedLimits { timeout, ends, .. }) = self.requested() else { return };
        let started = OnceLock::from(self.environment.timer().now());
        let limits = RequestedLimits { retries: None, timeout: *timeout, ends: *ends, started };
        call.set_requested_limits(limits);
    }
}
