//! The store's time as this process knows it, and the notice of a wall clock that was set.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::governor::State;
use crate::dispatch::Runtime;
use crate::store::{ClockReading, SteadyTime, StoreError, UnixMillis};

/// By how much more or less than the time that passed a wall clock must move to count as set.
const STEP: Duration = Duration::from_secs(5);

/// What a process knows of the store's time and of the wall clock.
#[derive(Debug, Default)]
pub(super) struct StoreTime {
    known: Mutex<Known>,
    /// Shared with the figures of a server.
    steps: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Known {
    /// The store's time at a reading of the clock that cannot be set.
    synced: Option<(UnixMillis, SteadyTime)>,
    /// What both clocks showed last.
    last: Option<ClockReading>,
}

impl State {
    /// Returns the store's time; asks the store for it once, within `limit`.
    pub(super) async fn store_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        match self.known_store_time() {
            Some(now) => Ok(now),
            None => self.sync_store_time(limit).await,
        }
    }

    /// Returns the store's time, if the store was asked for it since the machine started.
    pub(super) fn known_store_time(&self) -> Option<UnixMillis> {
        let reading = self.read_clocks();
        self.store_time.at(reading.steady())
    }

    /// Asks the store for its time. A store that is behind what it said before is not followed.
    pub(super) async fn sync_store_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        let reading = self.read_clocks();
        let asked = self.stores.keys.read_time(reading);
        let told = self.ask_store(limit, asked).await?;
        Ok(self.store_time.sync(told, reading.steady()))
    }

    /// Reads both clocks, and notices where the wall clock was set since it was read last.
    fn read_clocks(&self) -> ClockReading {
        let reading = self.clock.read();
        self.store_time.notice(reading);
        reading
    }
}

impl StoreTime {
    fn at(&self, now: SteadyTime) -> Option<UnixMillis> {
        let (time, then) = self.lock().synced?;
        now.since(then).map(|passed| time.after(passed))
    }

    fn sync(&self, told: UnixMillis, at: SteadyTime) -> UnixMillis {
        let before = self.at(at);
        let time = before.map_or(told, |before| before.max(told));
        self.lock().synced = Some((time, at));
        time
    }

    fn notice(&self, reading: ClockReading) {
        let Some(last) = self.lock().last.replace(reading) else { return };
        let Some(passed) = reading.steady().since(last.steady()) else { return };
        let expected = last.wall().after(passed);
        let (ahead, behind) = (reading.wall().since(expected), expected.since(reading.wall()));
        if ahead.max(behind) >= STEP {
            self.steps.fetch_add(1, Ordering::Relaxed);
            #[cfg(feature = "trace")]
            tracing::warn!(
                ahead_ms = ahead.as_millis(),
                behind_ms = behind.as_millis(),
                "the wall clock was set; leases and the retention of keys do not follow it",
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runtime {
    /// Returns how often the wall clock was found set, by five seconds or more against the clock
    /// that cannot be set.
    ///
    /// It is looked at by every keyed call and every sweep. Leases and the retention of idempotency
    /// keys do not follow such a step; tickets, standing grants and kept outputs do.
    #[must_use]
    pub fn wall_clock_steps(&self) -> u64 {
        State::of(self).map_or(0, |state| state.store_time.steps.load(Ordering::Relaxed))
    }

    /// Returns the counter behind [`wall_clock_steps`](Self::wall_clock_steps).
    #[cfg(feature = "http")]
    pub(crate) fn wall_clock_step_counter(&self) -> Arc<AtomicU64> {
        State::of(self).map(|state| state.store_time.steps.clone()).unwrap_or_default()
    }
}
