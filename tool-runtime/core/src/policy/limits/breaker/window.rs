//! Counts successes and failures for a closed breaker.

use std::time::{Duration, Instant};

use super::config::TripCondition;

/// Counts the calls that ended, by the breaker's trip condition.
#[derive(Debug)]
pub(super) enum FailureCounter {
    InARow { failures: u32, limit: u32 },
    Ratio { window: Box<RollingWindow>, ratio: f64, min_calls: u32 },
}

impl FailureCounter {
    pub(super) fn new(trip: TripCondition) -> Self {
        match trip {
            TripCondition::InARow(limit) => Self::InARow { failures: 0, limit },
            TripCondition::Ratio { ratio, min_calls, window } => {
                Self::Ratio { window: Box::new(RollingWindow::new(window)), ratio, min_calls }
            }
        }
    }

    pub(super) fn succeeded(&mut self, now: Instant) {
        match self {
            Self::InARow { failures, .. } => *failures = 0,
            Self::Ratio { window, .. } => window.count(now, 0),
        }
    }

    /// Counts a failure; returns whether the breaker trips.
    pub(super) fn failed(&mut self, now: Instant) -> bool {
        match self {
            Self::InARow { failures, limit } => {
                *failures += 1;
                *failures >= *limit
            }
            Self::Ratio { window, ratio, min_calls } => {
                window.count(now, 1);
                let (calls, failures) = window.totals();
                calls >= *min_calls && f64::from(failures) >= *ratio * f64::from(calls)
            }
        }
    }
}

const SLOTS: usize = 10;

/// A ring of counts, one for each tenth of the window.
#[derive(Debug)]
pub(super) struct RollingWindow {
    slots: [WindowSlot; SLOTS],
    slot: Duration,
    /// The time of the first call, from which slots are numbered.
    start: Option<Instant>,
    newest: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct WindowSlot {
    number: u64,
    calls: u32,
    failures: u32,
}

impl RollingWindow {
    fn new(window: Duration) -> Self {
        let slot = window / 10;
        Self { slots: [WindowSlot::default(); SLOTS], slot, start: None, newest: 0 }
    }

    fn count(&mut self, now: Instant, failures: u32) {
        let since = now.saturating_duration_since(*self.start.get_or_insert(now));
        let number = u64::try_from(since.as_nanos() / self.slot.as_nanos()).unwrap_or(u64::MAX);
        // Calls may be reported out of order; the window never moves back.
        self.newest = self.newest.max(number);
        #[expect(clippy::cast_possible_truncation, reason = "it is below ten")]
        let slot = &mut self.slots[(self.newest % SLOTS as u64) as usize];
        if slot.number != self.newest {
            *slot = WindowSlot { number: self.newest, ..WindowSlot::default() };
        }
        slot.calls = slot.calls.saturating_add(1);
        slot.failures = slot.failures.saturating_add(failures);
    }

    fn totals(&self) -> (u32, u32) {
        let recent = self.slots.iter().filter(|slot| slot.number + SLOTS as u64 > self.newest);
        recent.fold((0, 0), |(calls, failures), slot| {
            (calls.saturating_add(slot.calls), failures.saturating_add(slot.failures))
        })
    }
}
