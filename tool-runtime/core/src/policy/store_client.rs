//! The stores of a runtime: their time, their timeouts, and the sweeps of what has expired.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use tool_contracts::ErrorCode;

use super::config::Stores;
use super::idempotency::OutcomeCounters;
use crate::failure::Failure;
use crate::log::log_event;
use crate::refusal_reason::RefusalReason;
use crate::runtime::Runtime;
use crate::store::{
    Clock, ClockReading, GrantStore, IdempotencyStore, MonotonicTime, OutputStore, StoreError,
    StoreErrorKind, TicketStore, UnixMillis,
};
use crate::timer::Timer;
use crate::tool::{catch_panic, guarded};

/// The timeout of a store's operation that belongs to no call with a deadline.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time after which a caller may try again that met a store which does not answer.
const STORE_RETRY_AFTER_MS: u64 = 1_000;

/// The smallest difference between the clocks that counts as a step of the wall clock.
const LEAST_STEP: Duration = Duration::from_secs(5);

/// The time between two automatic sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The timeout of an automatic sweep, for which a call waits.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(1);
/// The most records of each kind that one sweep deletes.
const BATCH_SIZE: usize = 256;

/// The stores of one runtime with their time, which all services of the policies share.
pub struct StoreClient {
    pub(super) keys: Arc<dyn IdempotencyStore>,
    pub(super) tickets: Arc<dyn TicketStore>,
    pub(super) grants: Arc<dyn GrantStore>,
    pub(super) outputs: Arc<dyn OutputStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) time: StoreTime,
    pub(super) sweeper: Sweeper,
    /// The age at which an unknown outcome is archived.
    pub(super) archive_after: Duration,
    pub(super) outcomes: OutcomeCounters,
}

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

/// Decides when the next automatic sweep runs.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    /// The time of the next sweep, in milliseconds; 0 before the first call.
    due: AtomicU64,
}

impl fmt::Debug for StoreClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreClient").finish_non_exhaustive()
    }
}

impl StoreClient {
    pub(super) fn new(
        stores: Stores,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
        archive_after: Duration,
    ) -> Self {
        let Stores { keys, tickets, grants, outputs } = stores;
        let (time, sweeper) = (StoreTime::default(), Sweeper::default());
        let outcomes = OutcomeCounters::default();
        Self {
            keys,
            tickets,
            grants,
            outputs,
            clock,
            timer,
            time,
            sweeper,
            archive_after,
            outcomes,
        }
    }

    /// Returns the time of the host's clock, by which tickets, grants and outputs expire.
    #[must_use]
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// Waits for a store's operation, at most for `limit`. A panic of the store is returned as an
    /// error.
    ///
    /// # Errors
    /// Returns the error of the operation, or one if the store does not answer in time or panics.
    pub async fn call<T>(
        &self,
        limit: Duration,
        operation: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut operation = pin!(guarded(operation));
        let result = match operation.as_mut().now_or_never() {
            Some(result) => result,
            None => match catch_panic(|| self.timer.sleep(limit)) {
                Err(_) => operation.await,
                Ok(limit) => match select(operation, pin!(guarded(limit))).await {
                    Either::Left((result, _)) => result,
                    Either::Right((Ok(()), _)) => {
                        return Err(unavailable("it did not answer in time"));
                    }
                    // The timer's runtime shuts down, and the store still has to settle.
                    Either::Right((Err(_), operation)) => operation.await,
                },
            },
        };
        result.unwrap_or_else(|_| Err(unavailable("it panicked")))
    }

    /// Returns the store's time; reads it from the store the first time, within `limit`.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn keys_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        match self.known_keys_time() {
            Some(now) => Ok(now),
            None => self.sync_keys_time(limit).await,
        }
    }

    /// Returns the store's time, if it was read from the store since the machine started.
    pub(super) fn known_keys_time(&self) -> Option<UnixMillis> {
        let reading = self.read_clocks();
        self.time.at(reading.monotonic())
    }

    /// Reads the store's time from the store. A time earlier than a former one is ignored.
    pub(super) async fn sync_keys_time(&self, limit: Duration) -> Result<UnixMillis, StoreError> {
        let reading = self.read_clocks();
        let read = self.keys.read_time(reading);
        let time = self.call(limit, read).await?;
        Ok(self.time.sync(time, reading.monotonic()))
    }

    /// Reads both clocks, and counts a step of the wall clock since the last reading.
    fn read_clocks(&self) -> ClockReading {
        let reading = self.clock.read();
        self.time.detect_step(reading);
        reading
    }

    /// Runs an automatic sweep, if one is due; the error of a store is ignored until the next one.
    pub(super) async fn sweep_if_due(&self) {
        if !self.known_keys_time().is_some_and(|now| self.sweeper.take_due(now)) {
            return;
        }
        // A call waits for the sweep, so it is short; if records are left, the next call sweeps.
        if let Ok(BATCH_SIZE..) = self.call(SWEEP_TIMEOUT, self.sweep()).await {
            self.sweeper.run_again();
        }
    }

    /// Runs an operation; if the store is full, sweeps and runs it once more.
    pub(super) async fn with_room<T, F>(&self, put: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match self.call(STORE_TIMEOUT, put()).await {
            Err(error) if error.kind() == StoreErrorKind::Full => {
                self.call(STORE_TIMEOUT, self.sweep()).await?;
                self.call(STORE_TIMEOUT, put()).await
            }
            result => result,
        }
    }

    async fn sweep(&self) -> Result<usize, StoreError> {
        // Read from the store each time, so that the store records how far its time has advanced.
        let keys_now = self.sync_keys_time(STORE_TIMEOUT).await?;
        let keys = self.keys.sweep_keys(keys_now, BATCH_SIZE).await?;
        let before = keys_now.before(self.archive_after);
        let archived = self.keys.archive_unknown(before, BATCH_SIZE).await?;
        self.outcomes.record_archived(archived);
        let now = self.now();
        let tickets = self.tickets.sweep_tickets(now, BATCH_SIZE).await?;
        let outputs = self.outputs.sweep_outputs(now, BATCH_SIZE).await?;
        let messages = match self.tickets.outbox() {
            Some(outbox) => outbox.sweep_messages(now, BATCH_SIZE).await?,
            None => 0,
        };
        Ok(keys + archived + tickets + outputs + messages)
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

impl Runtime {
    /// Returns how many steps of the wall clock were detected: differences of five seconds or more
    /// against the monotonic clock.
    ///
    /// Every keyed call and every sweep compares the clocks. Leases and the retention of
    /// idempotency keys do not follow a step; tickets, standing grants and kept outputs do.
    #[must_use]
    pub fn wall_clock_steps(&self) -> u64 {
        self.policy_state().stores.time.steps.load(Ordering::Relaxed)
    }

    /// Deletes expired keys, tickets, kept outputs and events; returns how many.
    ///
    /// One call deletes a batch, so that it takes little time: call it again until it returns 0.
    /// The runtime calls it once a minute while keyed calls are made. Running and unknown keys are
    /// never deleted; a key that has been unknown for long is archived, which counts too. Keys
    /// expire by the store's own time
    /// ([`IdempotencyStore::read_time`]), tickets and
    /// kept outputs by the wall clock.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let stores = &self.policy_state().stores;
        stores.call(STORE_TIMEOUT, stores.sweep()).await
    }
}

/// Logs the error of a store's operation that changes no answer.
pub(super) fn log_store_error(what: &'static str, error: &StoreError) {
    log_event!(warn, target: "tool_runtime::policy", %error, "{what}");
}

fn unavailable(log: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, log)
}

/// Returns the failure of a call whose store failed; the store's error goes to the log only.
pub(super) fn store_failure(error: &StoreError) -> Failure {
    let reason = match error.kind() {
        StoreErrorKind::Full => RefusalReason::StoreFull,
        StoreErrorKind::Unavailable | StoreErrorKind::ReadOnly | StoreErrorKind::Damaged => {
            RefusalReason::StoreUnavailable
        }
    };
    let failure = Failure::from_code(ErrorCode::Unavailable);
    let failure = failure.with_reason(reason).with_log(error.to_string());
    match error.kind() {
        StoreErrorKind::Unavailable => failure.with_retry_after_ms(STORE_RETRY_AFTER_MS),
        // A person has to act first.
        StoreErrorKind::Full | StoreErrorKind::ReadOnly | StoreErrorKind::Damaged => failure,
    }
}
