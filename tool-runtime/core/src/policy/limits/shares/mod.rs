//! This replica's shares of the limits that replicas share, and the task that exchanges them.

mod rate_share;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use event_listener::Event;
use futures::FutureExt as _;
use futures::future::{Either, select};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use self::rate_share::{LocalRate, RateUse};
use super::concurrency::{Acquire, PermitUsage, QueueFull};
use super::{ConcurrencyLimiter, ConcurrencyPermit, RateLimit};
use crate::log::log_event;
use crate::store::{
    LimitAnswer, LimitReport, LimitStore, OpenBreaker, PermitReport, StoreError, StoreErrorKind,
};
use crate::timer::Timer;
use crate::tool::{catch_panic, guarded};

/// The shortest time between two exchanges.
const MIN_PAUSE: Duration = Duration::from_millis(20);
/// The time between two exchanges while calls wait for permits, while calls are made, and while calls only run.
const WAITING_PAUSE: Duration = Duration::from_millis(50);
const BUSY_PAUSE: Duration = Duration::from_millis(200);
const QUIET_PAUSE: Duration = Duration::from_secs(1);
/// The longest wait for an exchange. After it, and after a failed exchange for as long, the limits of this replica
/// alone apply.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// The exchanges that a call waits for: one that may have begun before it, one that knows of it, and the use of that
/// one's answer.
const MAX_EXCHANGES: u32 = 3;
/// The most rates in one report; the others wait for the next one.
const MAX_REPORTED: usize = 1_000;
/// The most rates with a share at a time; those of further keys are counted in this replica alone.
const MAX_RATES: usize = 10_000;

/// The shares of one replica.
pub(crate) struct LimitShares {
    replica: Uuid,
    store: Arc<dyn LimitStore>,
    timer: Arc<dyn Timer>,
    state: Mutex<SharesState>,
    signals: Arc<Signals>,
}

#[derive(Default)]
struct Signals {
    /// Wakes the task that exchanges.
    wake: Event,
    /// Wakes calls that wait for an exchange.
    answered: Event,
}

#[derive(Default)]
struct SharesState {
    rates: BTreeMap<Digest, LocalRate>,
    permits: BTreeMap<Digest, LocalPermits>,
    /// Breakers that opened and are not reported yet, with the time until which they are open.
    opened: BTreeMap<Digest, Instant>,
    /// Breakers that are open in some replica.
    open: BTreeMap<Digest, Instant>,
    /// The time until which the store is not relied on.
    fails_until: Option<Instant>,
    /// True once the task has ended.
    has_ended: bool,
    /// The time of the last exchange, and whether a call has asked for open breakers since.
    exchanged_at: Option<Instant>,
    asks_open: bool,
}

/// A limit of concurrent calls.
struct LocalPermits {
    permits: u32,
    limiter: Weak<ConcurrencyLimiter>,
    /// True if the store knows of a demand of this replica, so that it has to hear when there is none any longer.
    is_known: bool,
    /// Calls that found the queue full, and wait for an exchange.
    pressing: u32,
}

impl LimitShares {
    /// Creates the shares, and starts the task that exchanges them. The task ends when they are dropped.
    pub(crate) fn start(store: Arc<dyn LimitStore>, timer: &Arc<dyn Timer>) -> Arc<Self> {
        let signals = Arc::new(Signals::default());
        let shares = Arc::new(Self {
            replica: Uuid::now_v7(),
            store,
            timer: timer.clone(),
            state: Mutex::default(),
            signals: signals.clone(),
        });
        let exchanges = exchange_all(Arc::downgrade(&shares), signals, timer.clone());
        shares.store.spawn(exchanges.boxed());
        shares
    }

    /// Counts a call against a rate; an error is the time to wait. `local` counts it in this replica alone.
    pub(super) async fn check_rate(
        &self,
        key: Digest,
        limit: RateLimit,
        local: impl Fn() -> Result<(), Duration>,
    ) -> Result<(), Duration> {
        for _ in 0..MAX_EXCHANGES {
            let answered = self.signals.answered.listen();
            match self.use_rate(key, limit) {
                RateUse::Taken { is_low } => {
                    if is_low {
                        self.signals.wake.notify(1);
                    }
                    return Ok(());
                }
                RateUse::Refused(wait) => return Err(wait),
                RateUse::Unshared => return local(),
                RateUse::Empty => {}
            }
            self.signals.wake.notify(1);
            if !self.within_max_wait(answered).await {
                return local();
            }
        }
        // Other calls have used the shares.
        Err(limit.interval())
    }

    /// Takes a permit of this replica's share, or waits for one.
    pub(super) async fn acquire(
        &self,
        key: Digest,
        limiter: &Arc<ConcurrencyLimiter>,
    ) -> Result<ConcurrencyPermit, QueueFull> {
        let answered = self.signals.answered.listen();
        let acquired = if let Ok(acquired) = limiter.start_acquire() {
            // A listener that is dropped later would pass its notification on to a call that waits for another exchange.
            drop(answered);
            acquired
        } else {
            // The share may be small only because this replica has not called for a while.
            let _pressing = self.press(key);
            let mut answered = answered;
            // The first exchange may have begun before this call.
            for _ in 0..2 {
                self.signals.wake.notify(1);
                self.within_max_wait(answered).await;
                answered = self.signals.answered.listen();
                if limiter.has_capacity() {
                    break;
                }
            }
            limiter.start_acquire()?
        };
        match acquired {
            Acquire::Ready(permit) => Ok(permit),
            Acquire::Queued(permit) => {
                self.signals.wake.notify(1);
                permit.await.map_err(|_| QueueFull)
            }
        }
    }

    /// Adds a limit of concurrent calls, and returns its limiter, which has no permits before the first exchange.
    pub(super) fn limiter(
        &self,
        key: Digest,
        permits: u32,
        queue: usize,
    ) -> Arc<ConcurrencyLimiter> {
        let mut state = self.lock();
        // The tool was removed and added again while calls run: they count.
        let earlier_limiter = state.permits.get(&key).and_then(|local| local.limiter.upgrade());
        if let Some(limiter) = earlier_limiter {
            return limiter;
        }
        let all_permits = usize::try_from(permits).unwrap_or(usize::MAX);
        let capacity = if state.has_ended { all_permits } else { 0 };
        let limiter = Arc::new(ConcurrencyLimiter::with_capacity(capacity, queue));
        let weak = Arc::downgrade(&limiter);
        let local = LocalPermits { permits, limiter: weak, is_known: false, pressing: 0 };
        state.permits.insert(key, local);
        limiter
    }

    /// Reports a breaker that opened.
    pub(super) fn report_open(&self, key: Digest, until: Instant) {
        self.lock().opened.insert(key, until);
        self.signals.wake.notify(1);
    }

    /// Returns until when a breaker is open in some replica, as far as this one knows. It asks from time to time.
    pub(super) fn open_until(&self, key: &Digest) -> Option<Instant> {
        let (now, mut state) = (self.timer.now(), self.lock());
        let is_old = |at: Instant| now.saturating_duration_since(at) >= BUSY_PAUSE;
        if !state.asks_open && state.exchanged_at.is_none_or(is_old) {
            state.asks_open = true;
            self.signals.wake.notify(1);
        }
        state.open.get(key).copied()
    }

    fn use_rate(&self, key: Digest, limit: RateLimit) -> RateUse {
        let (now, mut state) = (self.timer.now(), self.lock());
        let is_full = state.rates.len() >= MAX_RATES && !state.rates.contains_key(&key);
        if is_full || state.has_ended || state.fails(now) {
            return RateUse::Unshared;
        }
        state.rates.entry(key).or_insert_with(|| LocalRate::new(limit, MIN_PAUSE)).take(now)
    }

    /// Counts a call that waits beside a full queue, until it is dropped.
    fn press(&self, key: Digest) -> PressingCall<'_> {
        if let Some(permits) = self.lock().permits.get_mut(&key) {
            permits.pressing += 1;
        }
        PressingCall { shares: self, key }
    }

    /// Waits, and returns whether it was in time.
    async fn within_max_wait(&self, wait: impl Future<Output = ()>) -> bool {
        let wait = std::pin::pin!(wait);
        match catch_panic(|| self.timer.sleep(MAX_WAIT)) {
            Ok(limit) => matches!(select(wait, limit).await, Either::Left(_)),
            Err(_) => false,
        }
    }

    /// Exchanges what this replica needs for its shares; returns the time until the next exchange, none if nothing
    /// is in use.
    async fn exchange(&self) -> Option<Duration> {
        let report = self.report()?;
        let mut answer = None;
        let exchange = guarded(self.store.exchange(self.replica, report.clone()));
        let in_time = self.within_max_wait(exchange.map(|result| answer = Some(result))).await;
        let unavailable = |log: &str| StoreError::new(StoreErrorKind::Unavailable, log);
        let pause = match answer.filter(|_| in_time) {
            Some(Ok(Ok(shares))) => self.apply(&report, &shares),
            Some(Ok(Err(error))) => self.fail(&report, &error),
            Some(Err(_)) => self.fail(&report, &unavailable("it panicked")),
            None => self.fail(&report, &unavailable("it did not answer in time")),
        };
        self.signals.answered.notify(usize::MAX);
        Some(pause)
    }

    /// Returns the report of the next exchange; none if there is nothing to report or to ask.
    fn report(&self) -> Option<LimitReport> {
        let (now, mut state) = (self.timer.now(), self.lock());
        state.exchanged_at = Some(now);
        let asks_open = std::mem::take(&mut state.asks_open);
        state.permits.retain(|_, permits| permits.limiter.strong_count() > 0);
        state.open.retain(|_, until| *until > now);
        let rates = state.rates.iter_mut().filter_map(|(key, rate)| rate.report(*key));
        let rates = rates.take(MAX_REPORTED).collect();
        state.rates.retain(|_, rate| !rate.is_idle(now));
        let permits =
            state.permits.iter_mut().filter_map(|(key, local)| local.report(*key)).collect();
        let opened = std::mem::take(&mut state.opened).into_iter();
        let opened = opened
            .map(|(key, until)| OpenBreaker { key, left: until.saturating_duration_since(now) });
        let report = LimitReport { rates, permits, opened: opened.collect() };
        (asks_open || report != LimitReport::default()).then_some(report)
    }

    fn apply(&self, report: &LimitReport, answer: &LimitAnswer) -> Duration {
        let (now, mut state) = (self.timer.now(), self.lock());
        state.fails_until = None;
        for (report, share) in report.rates.iter().zip(&answer.rates) {
            if let Some(rate) = state.rates.get_mut(&report.key) {
                rate.apply(report.wanted, *share, now);
            }
        }
        for breaker in &answer.open {
            state.open.insert(breaker.key, now + breaker.left);
        }
        let shares = report.permits.iter().zip(&answer.permits);
        let limiters: Vec<_> = shares
            .filter_map(|(report, share)| {
                Some((state.permits.get(&report.key)?.limiter.upgrade()?, *share))
            })
            .collect();
        drop(state);
        // Outside of the lock: a waiter that gets its permit may go on at once.
        for (limiter, share) in limiters {
            limiter.set_capacity(usize::try_from(share).unwrap_or(usize::MAX));
        }
        if report.permits.iter().any(|permits| permits.waiting > 0) {
            WAITING_PAUSE
        } else if !report.rates.is_empty() || report.permits.is_empty() {
            BUSY_PAUSE
        } else {
            QUIET_PAUSE
        }
    }

    /// Has the limits of this replica alone apply for a while.
    fn fail(&self, report: &LimitReport, error: &StoreError) -> Duration {
        let (now, mut state) = (self.timer.now(), self.lock());
        state.rates.values_mut().for_each(LocalRate::fail);
        for OpenBreaker { key, left } in &report.opened {
            state.opened.entry(*key).or_insert(now + *left);
        }
        let is_new = state.fails_until.replace(now + MAX_WAIT + MIN_PAUSE).is_none();
        drop(state);
        self.use_own_limits();
        if is_new {
            log_event!(
                warn,
                target: "tool_runtime::policy",
                %error,
                "limits are not shared with other replicas while their store fails; they count in this replica alone",
            );
        }
        MAX_WAIT
    }

    /// Lets this replica use all permits by itself.
    fn use_own_limits(&self) {
        let mut state = self.lock();
        let locals = state.permits.values_mut().filter_map(|local| {
            // The store may have taken the report, although its answer was lost.
            local.is_known = true;
            Some((local.limiter.upgrade()?, local.permits))
        });
        let limiters: Vec<_> = locals.collect();
        drop(state);
        for (limiter, permits) in limiters {
            limiter.set_capacity(usize::try_from(permits).unwrap_or(usize::MAX));
        }
    }

    fn lock(&self) -> MutexGuard<'_, SharesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharesState {
    fn fails(&self, now: Instant) -> bool {
        self.fails_until.is_some_and(|until| until > now)
    }
}

impl LocalPermits {
    /// Reports the use of the permits; none if there is none, and the store knows of none.
    fn report(&mut self, key: Digest) -> Option<PermitReport> {
        let PermitUsage { capacity, in_use, waiting, was_used } = self.limiter.upgrade()?.usage();
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        // A replica that calls again and again keeps a permit between two calls.
        let again = u32::from(was_used && in_use == 0);
        let waiting = number(waiting).saturating_add(self.pressing).max(again);
        let was_known = std::mem::replace(&mut self.is_known, in_use > 0 || waiting > 0);
        let is_reported = was_known || capacity > 0 || self.is_known;
        is_reported.then(|| PermitReport {
            key,
            permits: self.permits,
            in_use: number(in_use),
            waiting,
        })
    }
}

struct PressingCall<'s> {
    shares: &'s LimitShares,
    key: Digest,
}

impl Drop for PressingCall<'_> {
    fn drop(&mut self) {
        if let Some(permits) = self.shares.lock().permits.get_mut(&self.key) {
            permits.pressing = permits.pressing.saturating_sub(1);
        }
    }
}

/// Wakes the task, so that it ends.
impl Drop for LimitShares {
    fn drop(&mut self) {
        self.signals.wake.notify(usize::MAX);
    }
}

/// Exchanges the shares until they are dropped.
async fn exchange_all(shares: Weak<LimitShares>, signals: Arc<Signals>, timer: Arc<dyn Timer>) {
    let _end = TaskEnd(shares.clone());
    loop {
        let mut woken = signals.wake.listen();
        let Some(held) = shares.upgrade() else { return };
        let pause = held.exchange().await;
        drop(held);
        match pause {
            None => woken.await,
            Some(pause) => {
                timer.sleep(MIN_PAUSE).await;
                let _ = select(&mut woken, timer.sleep(pause.saturating_sub(MIN_PAUSE))).await;
            }
        }
    }
}

/// Notes the end of the task, also if its executor has dropped it: the limits of this replica alone apply from then on.
struct TaskEnd(Weak<LimitShares>);

impl Drop for TaskEnd {
    fn drop(&mut self) {
        if let Some(shares) = self.0.upgrade() {
            shares.lock().has_ended = true;
            shares.use_own_limits();
            shares.signals.answered.notify(usize::MAX);
        }
    }
}

impl fmt::Debug for LimitShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitShares").field("replica", &self.replica).finish_non_exhaustive()
    }
}
