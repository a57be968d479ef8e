//! Deletes expired records from the stores, in batches.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::policy_state::PolicyState;
use super::store_access::STORE_TIMEOUT;
use crate::runtime::Runtime;
use crate::store::{StoreError, StoreErrorKind, UnixMillis};

/// The time between two automatic sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The timeout of an automatic sweep, for which a call waits.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(1);
/// The most records of each kind that one sweep deletes.
const BATCH_SIZE: usize = 256;

/// Decides when the next automatic sweep runs.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    /// The time of the next sweep, in milliseconds; 0 before the first call.
    due: AtomicU64,
}

impl Sweeper {
    /// Returns true to one caller for each sweep that is due.
    fn take_due(&self, now: UnixMillis) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        let far = now.after(SWEEP_INTERVAL).get();
        let next = |was| self.due.compare_exchange(was, far, Ordering::Relaxed, Ordering::Relaxed);
        now.get() >= due && next(due).is_ok() && due != 0
    }

    /// Makes the next sweep due at once.
    fn run_again(&self) {
        self.due.store(1, Ordering::Relaxed);
    }
}

impl PolicyState {
    /// Runs an automatic sweep, if one is due; the error of a store is ignored until the next one.
    pub(super) async fn sweep_if_due(&self) {
        if !self.known_store_time().is_some_and(|now| self.sweeper.take_due(now)) {
            return;
        }
        // A call waits for the sweep, so it is short; if records are left, the next call sweeps.
        if let Ok(BATCH_SIZE..) = self.call_store(SWEEP_TIMEOUT, self.sweep()).await {
            self.sweeper.run_again();
        }
    }

    /// Runs an operation; if the store is full, sweeps and runs it once more.
    pub(super) async fn with_room<T, F>(&self, put: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match self.call_store(STORE_TIMEOUT, put()).await {
            Err(error) if error.kind() == StoreErrorKind::Full => {
                self.call_store(STORE_TIMEOUT, self.sweep()).await?;
                self.call_store(STORE_TIMEOUT, put()).await
            }
            result => result,
        }
    }

    async fn sweep(&self) -> Result<usize, StoreError> {
        // Read from the store each time, so that the store records how far its time has advanced.
        let keys_now = self.sync_store_time(STORE_TIMEOUT).await?;
        let keys = self.stores.keys.sweep_keys(keys_now, BATCH_SIZE).await?;
        let archive_after = u64::try_from(self.archive_after.as_millis()).unwrap_or(u64::MAX);
        let before = UnixMillis::new(keys_now.get().saturating_sub(archive_after));
        let archived = self.stores.keys.archive_unknown(before, BATCH_SIZE).await?;
        self.outcomes.record_archived(archived);
        let now = self.clock.now();
        let tickets = self.stores.tickets.sweep_tickets(now, BATCH_SIZE).await?;
        let outputs = self.stores.outputs.sweep_outputs(now, BATCH_SIZE).await?;
        Ok(keys + archived + tickets + outputs)
    }
}

impl Runtime {
    /// Deletes expired keys, tickets and kept outputs; returns how many.
    ///
    /// One call deletes a batch, so that it takes little time: call it again until it returns 0.
    /// The runtime calls it once a minute while keyed calls are made. Running and unknown keys are
    /// never deleted; a key that has been unknown for long is archived, which counts too. Keys
    /// expire by the store's own time
    /// ([`IdempotencyStore::read_time`](crate::store::IdempotencyStore::read_time)), tickets and
    /// kept outputs by the wall clock.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let state = self.policy_state();
        state.call_store(STORE_TIMEOUT, state.sweep()).await
    }
}
