//! Stops calling a tool that keeps failing, and finds out when it works again.

mod config;
mod tenants;
mod window;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use self::config::BreakerConfig;
pub(crate) use self::tenants::TenantBreakers;
use self::window::Tally;

/// The breaker of one tool for one tenant. A handle: its clones are the same breaker.
///
/// Closed, it admits every call and counts how they end. When too many fail it opens and refuses
/// every call for a while. Then, half open, it admits a few probes: when all of them succeed it
/// closes, when one fails it opens again. What was admitted before a change does not count after
/// it.
#[derive(Debug, Clone)]
struct Breaker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    config: BreakerConfig,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Counts the changes of phase.
    generation: u64,
}

#[derive(Debug)]
enum Phase {
    Closed(Tally),
    Open { until: Instant },
    HalfOpen { under_way: u32, succeeded: u32 },
}

#[derive(Debug, Clone, Copy)]
enum Outcome {
    Succeeded(Instant),
    Failed(Instant),
    Unknown,
}

/// How long to wait for the probes that are under way; nobody knows when they end.
const PROBING: Duration = Duration::from_secs(1);

impl Breaker {
    fn new(config: BreakerConfig) -> Self {
        let state = State { phase: Phase::closed(&config), generation: 0 };
        Self(Arc::new(Shared { config, state: Mutex::new(state) }))
    }

    /// Lets a call pass, or says how long to wait before the next one.
    fn admit(&self, now: Instant) -> Result<Pass, Duration> {
        let mut state = self.0.lock();
        state.admit(&self.0.config, now)?;
        Ok(Pass { shared: Arc::clone(&self.0), generation: state.generation, open: true })
    }
}

/// One admitted call. Dropped, it counts as neither success nor failure, and gives a probe's place
/// back.
#[derive(Debug)]
#[must_use]
pub(crate) struct Pass {
    shared: Arc<Shared>,
    generation: u64,
    open: bool,
}

impl Pass {
    /// Counts the call as one that the tool answered.
    pub(crate) fn succeeded(mut self, now: Instant) {
        self.settle(Outcome::Succeeded(now));
    }

    /// Counts the call as one that the tool failed.
    pub(crate) fn failed(mut self, now: Instant) {
        self.settle(Outcome::Failed(now));
    }

    fn settle(&mut self, outcome: Outcome) {
        if std::mem::take(&mut self.open) {
            let Shared { config, .. } = &*self.shared;
            self.shared.lock().settle(config, self.generation, outcome);
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.settle(Outcome::Unknown);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn admit(&mut self, config: &BreakerConfig, now: Instant) -> Result<(), Duration> {
        if let Phase::Open { until } = self.phase {
            let left = until.saturating_duration_since(now);
            if !left.is_zero() {
                return Err(left);
            }
            self.enter(Phase::HalfOpen { under_way: 0, succeeded: 0 });
        }
        if let Phase::HalfOpen { under_way, succeeded } = &mut self.phase {
            if *under_way + *succeeded >= config.probes() {
                return Err(PROBING.min(config.open_for()));
            }
            *under_way += 1;
        }
        Ok(())
    }

    fn settle(&mut self, config: &BreakerConfig, generation: u64, outcome: Outcome) {
        if generation == self.generation {
            if let Some(next) = self.phase.after(config, outcome) {
                self.enter(next);
            }
        }
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.generation += 1;
    }
}

impl Phase {
    fn closed(config: &BreakerConfig) -> Self {
        Self::Closed(Tally::new(config.trip()))
    }

    fn open(config: &BreakerConfig, now: Instant) -> Self {
        Self::Open { until: now + config.open_for() }
    }

    /// The phase that a call's end leads to, if it is another one.
    fn after(&mut self, config: &BreakerConfig, outcome: Outcome) -> Option<Self> {
        match (self, outcome) {
            (Self::Closed(tally), Outcome::Succeeded(now)) => {
                tally.succeeded(now);
                None
            }
            (Self::Closed(tally), Outcome::Failed(now)) => {
                tally.failed(now).then(|| Self::open(config, now))
            }
            (Self::HalfOpen { .. }, Outcome::Failed(now)) => Some(Self::open(config, now)),
            (Self::HalfOpen { under_way, succeeded }, Outcome::Succeeded(_)) => {
                *under_way -= 1;
                *succeeded += 1;
                (*succeeded >= config.probes()).then(|| Self::closed(config))
            }
            (Self::HalfOpen { under_way, .. }, Outcome::Unknown) => {
                *under_way -= 1;
                None
            }
            (Self::Closed(_), Outcome::Unknown) | (Self::Open { .. }, _) => None,
        }
    }
}

#[cfg(test)]
mod tests;
