//! A circuit breaker: refuses calls of a tool that keeps failing, and probes for its recovery.

mod config;
mod tenants;
mod window;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use self::config::BreakerConfig;
pub(crate) use self::tenants::TenantBreakers;
use self::window::FailureCounter;
use super::tool_limits::SharedBreaker;

/// The breaker of one tool for one tenant. Clones share its state.
///
/// Closed, it admits every call and counts how they end. When too many fail, it opens and refuses
/// every call for a while. Then, half open, it admits a few probes: it closes when all of them
/// succeed, and opens again when one fails. A call that was admitted in an earlier phase does not
/// count.
#[derive(Debug, Clone)]
struct Breaker(Arc<BreakerInner>);

#[derive(Debug)]
struct BreakerInner {
    config: BreakerConfig,
    state: Mutex<BreakerState>,
    /// The breaker of the other replicas, if they share it.
    shared: Option<SharedBreaker>,
}

#[derive(Debug)]
struct BreakerState {
    phase: BreakerPhase,
    /// The number of changes of the phase.
    generation: u64,
    /// Until when it was open last.
    last_open: Option<Instant>,
}

#[derive(Debug)]
enum BreakerPhase {
    Closed(FailureCounter),
    Open { until: Instant },
    HalfOpen { running: u32, succeeded: u32 },
}

#[derive(Debug, Clone, Copy)]
enum ReportedOutcome {
    Succeeded(Instant),
    Failed(Instant),
    Unknown,
}

/// The longest time of an exchange with other replicas.
const MAX_EXCHANGE: Duration = Duration::from_secs(1);

/// The longest `retry_after` while probes are running, which may end at any time.
const PROBE_RETRY_AFTER: Duration = Duration::from_secs(1);

impl Breaker {
    fn new(config: BreakerConfig, shared: Option<SharedBreaker>) -> Self {
        let phase = BreakerPhase::closed(&config);
        let state = BreakerState { phase, generation: 0, last_open: None };
        Self(Arc::new(BreakerInner { config, state: Mutex::new(state), shared }))
    }

    /// Admits a call, or returns how long to wait before the next one.
    fn admit(&self, now: Instant) -> Result<BreakerPermit, Duration> {
        let open_elsewhere = self.0.shared.as_ref().and_then(SharedBreaker::open_until);
        let mut state = self.0.lock();
        if let Some(until) = open_elsewhere {
            state.follow(until, now);
        }
        state.admit(&self.0.config, now)?;
        Ok(BreakerPermit {
            shared: Arc::clone(&self.0),
            generation: state.generation,
            pending: true,
        })
    }
}

/// The permit of an admitted call. Dropped without a result, it counts as neither success nor
/// failure, and a probe may be repeated.
#[derive(Debug)]
#[must_use]
pub(crate) struct BreakerPermit {
    shared: Arc<BreakerInner>,
    generation: u64,
    pending: bool,
}

impl BreakerPermit {
    /// Counts the call as a success.
    pub(crate) fn succeeded(mut self, now: Instant) {
        self.settle(ReportedOutcome::Succeeded(now));
    }

    /// Counts the call as a failure.
    pub(crate) fn failed(mut self, now: Instant) {
        self.settle(ReportedOutcome::Failed(now));
    }

    fn settle(&mut self, outcome: ReportedOutcome) {
        if std::mem::take(&mut self.pending) {
            let BreakerInner { config, shared, .. } = &*self.shared;
            let opened = self.shared.lock().settle(config, self.generation, outcome);
            if let (Some(until), Some(shared)) = (opened, shared) {
                shared.report_open(until);
            }
        }
    }
}

impl Drop for BreakerPermit {
    fn drop(&mut self) {
        self.settle(ReportedOutcome::Unknown);
    }
}

impl BreakerInner {
    fn lock(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BreakerState {
    fn admit(&mut self, config: &BreakerConfig, now: Instant) -> Result<(), Duration> {
        if let BreakerPhase::Open { until } = self.phase {
            let left = until.saturating_duration_since(now);
            if !left.is_zero() {
                return Err(left);
            }
            self.enter(BreakerPhase::HalfOpen { running: 0, succeeded: 0 });
        }
        if let BreakerPhase::HalfOpen { running, succeeded } = &mut self.phase {
            if *running + *succeeded >= config.probes() {
                return Err(PROBE_RETRY_AFTER.min(config.open_for()));
            }
            *running += 1;
        }
        Ok(())
    }

    /// Opens with the breaker of another replica, unless it is open or has been since. The times of one opening differ by
    /// the time that an exchange takes.
    fn follow(&mut self, until: Instant, now: Instant) {
        let is_new = self.last_open.is_none_or(|last| until > last + MAX_EXCHANGE);
        if matches!(self.phase, BreakerPhase::Closed(_)) && until > now && is_new {
            self.enter(BreakerPhase::Open { until });
        }
    }

    /// Counts the end of a call; returns until when the breaker is open, if the call opened it.
    fn settle(
        &mut self,
        config: &BreakerConfig,
        generation: u64,
        outcome: ReportedOutcome,
    ) -> Option<Instant> {
        if generation != self.generation {
            return None;
        }
        let next = self.phase.after(config, outcome)?;
        let opened = if let BreakerPhase::Open { until } = next { Some(until) } else { None };
        self.enter(next);
        opened
    }

    fn enter(&mut self, phase: BreakerPhase) {
        if let BreakerPhase::Open { until } = phase {
            self.last_open = Some(until);
        }
        self.phase = phase;
        self.generation += 1;
    }
}

impl BreakerPhase {
    fn closed(config: &BreakerConfig) -> Self {
        Self::Closed(FailureCounter::new(config.trip()))
    }

    fn open(config: &BreakerConfig, now: Instant) -> Self {
        Self::Open { until: now + config.open_for() }
    }

    /// Returns the next phase after a call's end, if the phase changes.
    fn after(&mut self, config: &BreakerConfig, outcome: ReportedOutcome) -> Option<Self> {
        match (self, outcome) {
            (Self::Closed(counter), ReportedOutcome::Succeeded(now)) => {
                counter.succeeded(now);
                None
            }
            (Self::Closed(counter), ReportedOutcome::Failed(now)) => {
                counter.failed(now).then(|| Self::open(config, now))
            }
            (Self::HalfOpen { .. }, ReportedOutcome::Failed(now)) => Some(Self::open(config, now)),
            (Self::HalfOpen { running, succeeded }, ReportedOutcome::Succeeded(_)) => {
                *running -= 1;
                *succeeded += 1;
                (*succeeded >= config.probes()).then(|| Self::closed(config))
            }
            (Self::HalfOpen { running, .. }, ReportedOutcome::Unknown) => {
                *running -= 1;
                None
            }
            (Self::Closed(_), ReportedOutcome::Unknown) | (Self::Open { .. }, _) => None,
        }
    }
}

#[cfg(test)]
mod tests;
