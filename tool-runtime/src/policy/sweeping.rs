//! Forgets what has had its time, a little at a time.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::asking::PATIENCE;
use super::governor::State;
use crate::dispatch::Runtime;
use crate::store::{StoreError, StoreErrorKind, UnixMillis};

/// How long it is from one sweep by the way to the next.
const PERIOD: Duration = Duration::from_secs(60);
/// How long a call waits for a sweep by the way.
const SWEEPING: Duration = Duration::from_secs(1);
/// How much is forgotten at a time.
const MOST: usize = 256;

/// Decides when it is time to sweep.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    /// When the next sweep is due; 0 before the first call.
    due: AtomicU64,
}

impl Sweeper {
    /// True for one of the callers that come once it is time.
    fn is_due(&self, now: UnixMillis) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        let far = now.after(PERIOD).get();
        let next = |was| self.due.compare_exchange(was, far, Ordering::Relaxed, Ordering::Relaxed);
        now.get() >= due && next(due).is_ok() && due != 0
    }
}

impl Sweeper {
    /// Makes the next sweep due at once.
    fn go_on(&self) {
        self.due.store(1, Ordering::Relaxed);
    }
}

impl State {
    /// Sweeps by the way, if it is time; a store that fails now is swept another time.
    pub(super) async fn sweep_if_due(&self) {
        if !self.known_store_time().is_some_and(|now| self.sweeper.is_due(now)) {
            return;
        }
        // A call waits for it, so not for long; where there is more to do, the next one goes on.
        if let Ok(MOST..) = self.ask_store(SWEEPING, self.sweep()).await {
            self.sweeper.go_on();
        }
    }

    /// Makes room where a store has none, and tries again, once.
    pub(super) async fn with_room<T, F>(&self, put: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match self.ask_store(PATIENCE, put()).await {
            Err(error) if error.kind() == StoreErrorKind::Full => {
                self.ask_store(PATIENCE, self.sweep()).await?;
                self.ask_store(PATIENCE, put()).await
            }
            answered => answered,
        }
    }

    async fn sweep(&self) -> Result<usize, StoreError> {
        // Asked anew each time, so that the store knows how far its time has come.
        let keys_now = self.sync_store_time(PATIENCE).await?;
        let keys = self.stores.keys.sweep_keys(keys_now, MOST).await?;
        let archive_after = u64::try_from(self.archive_after.as_millis()).unwrap_or(u64::MAX);
        let before = UnixMillis::new(keys_now.get().saturating_sub(archive_after));
        let archived = self.stores.keys.archive_unknown(before, MOST).await?;
        self.outcomes.archived(archived);
        let now = self.clock.now();
        let tickets = self.stores.tickets.sweep_tickets(now, MOST).await?;
        let outputs = self.stores.outputs.sweep_outputs(now, MOST).await?;
        Ok(keys + archived + tickets + outputs)
    }
}

impl Runtime {
    /// Forgets keys, tickets and long answers whose time is over; returns how many.
    ///
    /// A part of them, so that it takes little time: call it again until it returns 0. The runtime
    /// does it by itself once a minute while keyed calls come in. What runs or is unknown is never
    /// forgotten; what has been unknown for long is archived, and counts as one of them. Keys are
    /// forgotten by the store's own time
    /// ([`IdempotencyStore::read_time`](crate::store::IdempotencyStore::read_time)), tickets and
    /// long answers by the wall clock.
    ///
    /// # Errors
    /// The store's.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        match State::of(self) {
            Some(state) => state.sweep().await,
            None => Ok(0),
        }
    }
}
