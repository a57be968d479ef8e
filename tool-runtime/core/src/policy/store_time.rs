//! Tracks the store's time in this process, and detects steps of the wall clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::policy_state::PolicyState;
use crate::log::log_event;
use crate::runtime::Runtime;
use crate::store::{ClockReading, MonotonicTime, StoreError, UnixMillis};

/// The smallest difference between the clocks that counts as a step of the wall clock.
const LEAST_STEP: Duration = Duration::from_secs(5);

/// The store's time and the wall clock, as far as this process has read them.
#[derive(Debug, Default)]
pub(super) struct StoreTime {
    clocks: Mutex<ClockState>,
    /// Shared with the metrics of a server.
    pub(super) steps: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct ClockState {
    /// The store's time, and the monotonic time at which it was read.
    synced: Option<(UnixMillis, MonotonicTime)>,
    /// The last reading of both clocks.
    last: Option<ClockReading>,
}

impl PolicyState {
    /// Returns the store's time; reads it from the store the first time, within `limit`.
    pub(super) async fn store_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        match self.known_store_time() {
            Some(now) => Ok(now),
            None => self.sync_store_time(limit).await,
        }
    }

    /// Returns the store's time, if it was read from the store since the machine started.
    pub(super) fn known_store_time(&self) -> Option<UnixMillis> {
        let reading = self.read_clocks();
        self.store_time.at(reading.monotonic())
    }

    /// Reads the store's time from the store. A time earlier than a former one is ignored.
    pub(super) async fn sync_store_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        let reading = self.read_clocks();
        let read = self.stores.keys.read_time(reading);
        let time = self.call_store(limit, read).await?;
        Ok(self.store_time.sync(time, reading.monotonic()))
    }

    /// Reads both clocks, and counts a step of the wall clock since the last reading.
    fn read_clocks(&self) -> ClockReading {
        let reading = self.clock.read();
        self.store_time.detect_step(reading);
        reading
    }
}

impl StoreTime {
    fn at(&self, now: MonotonicTime) -> Option<UnixMillis> {
        let (time, then) = self.lock().synced?;
        now.since(then).map(|passed| time.after(passed))
    }

    fn sync(&self, read: UnixMillis, at: MonotonicTime) -> UnixMillis {
        let synced_time = self.at(at);
        let time = synced_time.map_or(read, |synced_time| synced_time.max(read));
        self.lock().synced = Some((time, at));
        time
    }

    fn detect_step(&self, reading: ClockReading) {
        let Some(last) = self.lock().last.replace(reading) else { return };
        let Some(passed) = reading.monotonic().since(last.monotonic()) else { return };
        let expected = last.wall().after(passed);
        let (ahead, behind) = (reading.wall().since(expected), expected.since(reading.wall()));
        if ahead.max(behind) >= LEAST_STEP {
            self.steps.fetch_add(1, Ordering::Relaxed);
            log_event!(
                warn,
                target: "tool_runtime::policy",
                ahead_ms = ahead.as_millis(),
                behind_ms = behind.as_millis(),
                "the wall clock was set; leases and the retention of keys do not follow it",
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, ClockState> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runtime {
    /// Returns how many steps of the wall clock were detected: differences of five seconds or more
    /// against the monotonic clock.
    ///
    /// Every keyed call and every sweep compares the clocks. Leases and the retention of
    /// idempotency keys do not follow a step; tickets, standing grants and kept outputs do.
    #[must_use]
    pub fn wall_clock_steps(&self) -> u64 {
        self.policy_state().store_time.steps.load(Ordering::Relaxed)
    }
}
