//! A claimed idempotency key: renews its lease while the call runs, and stores how it ended.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::executor::block_on;
use futures::future::{pending, select};

use super::{KeyLease, replay};
use crate::dispatch::answer;
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::lease_lost;
use crate::failure::LoggedFailure;
use crate::policy::events::EventAnnouncer;
use crate::policy::spending::CallSpending;
use crate::policy::store_client::StoreClient;
use crate::store::{
    Charge, Fence, KeyAnswer, KeyState, ScopedKey, Settlement, StoreError, StoreErrorKind,
    StoredAnswer, UnixMillis,
};
use crate::tool::Lease as _;
use crate::tool::{CallScope, catch_panic};

/// The delays before a failed settlement is retried.
const SETTLE_RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// The timeout of one attempt to settle.
pub(super) const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);

const NOT_STORED: &str = "the answer could not be stored under its idempotency key: \
                          a repeat may be answered that the outcome is unknown";

/// An idempotency key that a call has claimed.
///
/// If it is dropped before it is settled, it stores the outcome as far as it is known, if the store
/// takes it without waiting; else the lease runs out.
pub(in crate::policy) struct ClaimedKey {
    stores: Arc<StoreClient>,
    events: Arc<EventAnnouncer>,
    call: CallScope,
    key: ScopedKey,
    fence: Fence,
    lease: Arc<KeyLease>,
    /// The time of the next renewal.
    renew_at: Instant,
    /// An earlier run under the key may have had its effect.
    in_doubt: bool,
    /// It was moved to a thread that holds it until the tool's own thread exits.
    on_own_thread: bool,
    /// The reservations of the call; empty if it spends nothing.
    spending: CallSpending,
    /// The part of them that is spent, once that is known.
    charge: Charge,
    /// The settlement that has to be stored, once it is known.
    settlement: Option<Settlement>,
    settled: bool,
}

impl ClaimedKey {
    pub(super) fn new(
        events: Arc<EventAnnouncer>,
        call: CallScope,
        key: ScopedKey,
        fence: Fence,
        lease: Arc<KeyLease>,
    ) -> Self {
        let stores = events.stores.clone();
        let renew_at = stores.timer.now() + call.plan().lease / 3;
        Self {
            stores,
            events,
            call,
            key,
            fence,
            lease,
            renew_at,
            in_doubt: false,
            on_own_thread: false,
            spending: CallSpending::default(),
            charge: Charge::default(),
            settlement: None,
            settled: false,
        }
    }

    /// Adds the reservations of the call.
    pub(super) fn with_spending(mut self, spending: CallSpending) -> Self {
        self.spending = spending;
        self
    }

    /// Sets whether an earlier run under the key may have had its effect. If so, the key is never
    /// released, however this run ends.
    pub(super) fn set_in_doubt(&mut self, in_doubt: bool) {
        self.in_doubt = in_doubt;
    }

    /// Renews the lease in a loop; returns only when another owner has taken the key over.
    ///
    /// A process that was stopped past its lease renews it as soon as it continues.
    pub(in crate::policy) async fn keep_lease(&mut self) {
        let mut failed = false;
        loop {
            let wait = self.renew_at.saturating_duration_since(self.stores.timer.now());
            match catch_panic(|| self.stores.timer.sleep(wait)) {
                Ok(sleep) if failed => sleep.await,
                Ok(mut sleep) => poll_fn(|cx| self.lease.poll_wait(&mut sleep, cx)).await,
                // Without a timer the lease is not renewed, and runs out.
                Err(_) => pending().await,
            }
            match self.renew().await {
                Ok(true) => failed = false,
                Ok(false) => return,
                // A store that does not answer now may answer when the next renewal is due.
                Err(_) => failed = true,
            }
        }
    }

    /// Renews the lease once; false if another owner has taken the key over.
    pub(super) async fn renew(&mut self) -> Result<bool, StoreError> {
        let lease = self.call.plan().lease;
        self.renew_at = self.stores.timer.now() + lease / 3;
        let until = self.stores.keys_time(lease / 3).await?.after(lease);
        let renewed = self.stores.keys.renew(&self.key, self.fence, until);
        // After the lease has run out, the tool is not polled, and may wait until its deadline.
        let limit = if self.lease.is_over() { lease.max(SETTLE_TIMEOUT) } else { lease / 3 };
        let renewed = self.stores.call(limit, renewed).await?;
        if renewed {
            self.lease.renewed(until);
        }
        Ok(renewed)
    }

    /// Stores how the call ended. If the key was taken over meanwhile, its own answer is discarded.
    pub(in crate::policy) async fn settle(
        mut self,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> CallOutcome {
        if ended.effect == EffectOutcome::Unknown {
            let Some(key) = self.hold_until_thread_exits() else { return ended };
            self = key;
        }
        let call_outcome = self.record_spending(scope, ended);
        let settlement = self.settlement_of(&call_outcome).await;
        match self.store(settlement).await {
            Ok(false)
                if matches!(
                    call_outcome.effect,
                    EffectOutcome::Answered | EffectOutcome::Final
                ) =>
            {
                lost_to_another_run(scope)
            }
            Ok(_) => call_outcome,
            Err(error) => {
                // A full store may still have room for the mark without an answer.
                if error.kind() == StoreErrorKind::Full {
                    drop(self.store(Settlement::Unknown).await);
                }
                let mut outcome = call_outcome.with_warning(NOT_STORED);
                let log = format!("{}the answer was not stored: {error}", outcome.log);
                outcome.log = scope.scrub_log(log);
                outcome
            }
        }
    }

    /// Records what the call has spent, and adds it to an answer.
    pub(super) fn record_spending(&mut self, scope: &CallScope, ended: CallOutcome) -> CallOutcome {
        if self.spending.is_empty() {
            return ended;
        }
        self.charge = CallSpending::charge(scope, &ended);
        self.spending.add_to(ended, &self.charge)
    }

    /// Records in the call what became of its reservations.
    fn record_settlement(&self, settlement: &Settlement) {
        match settlement {
            Settlement::Answered { .. } => self.spending.record(&self.call, Some(&self.charge)),
            Settlement::Released => {
                self.spending.record(&self.call, Some(&self.charge.without_effect()));
            }
            Settlement::Unknown => self.spending.record(&self.call, None),
        }
    }

    /// Records in the call that its reservations were spent with a commit, or are held since it is not known.
    pub(super) fn record_commit(&self, is_known: bool) {
        self.spending.record(&self.call, is_known.then_some(&self.charge));
    }

    /// Returns the operation that settles the key, with its reservations if it has some.
    async fn send_settlement(&self, settlement: Settlement) -> Result<bool, StoreError> {
        if self.spending.is_empty() {
            return self.stores.keys.settle(&self.key, self.fence, settlement).await;
        }
        let (budgets, charge) = (self.stores.budgets()?, self.charge.clone());
        budgets.settle_with(&self.key, self.fence, settlement, charge).await
    }

    /// Stores a settlement; retries if the store fails.
    pub(super) async fn store(&mut self, settlement: Settlement) -> Result<bool, StoreError> {
        self.settlement = Some(settlement.clone());
        let mut delays = SETTLE_RETRY_DELAYS.iter();
        loop {
            let settled = self.send_settlement(settlement.clone());
            let error = match self.stores.call(SETTLE_TIMEOUT, settled).await {
                Ok(held) => {
                    self.settled = true;
                    if held {
                        self.record_settlement(&settlement);
                    } else {
                        // The amounts are those of the run that has taken the key over.
                        self.call.set_spending(Vec::new());
                    }
                    if held && settlement == Settlement::Unknown {
                        self.stores.outcomes.record_unknown();
                        self.announce_unknown().await;
                    }
                    return Ok(held);
                }
                Err(error) => error,
            };
            let Some(delay) = delays.next() else { return Err(error) };
            match catch_panic(|| self.stores.timer.sleep(*delay)) {
                Ok(sleep) => sleep.await,
                Err(_) => return Err(error),
            }
        }
    }

    /// Announces that the outcome of the call is unknown.
    async fn announce_unknown(&self) {
        let batch = self.events.unknown_outcome(&self.call, &self.key, self.fence);
        self.events.announce(batch, SETTLE_TIMEOUT).await;
    }

    pub(super) async fn settlement_of(&self, ended: &CallOutcome) -> Settlement {
        let answer = match ended.effect {
            // A failure of this run does not tell whether an earlier one had its effect.
            EffectOutcome::Final if self.in_doubt => None,
            EffectOutcome::Answered | EffectOutcome::Final => replay::stored(&ended.output),
            EffectOutcome::NotRun | EffectOutcome::Transient => return self.without_effect(),
            EffectOutcome::Unknown => None,
        };
        // A write is never repeated on a guess: a person finds out what happened, and resolves the
        // outcome.
        let Some(answer) = answer else { return Settlement::Unknown };
        let retention = self.call.plan().retention;
        // The time is known since the claim, unless the monotonic clock has started anew.
        match self.stores.keys_time(SETTLE_TIMEOUT).await {
            Ok(now) => Settlement::Answered { answer, keep_until: now.after(retention) },
            Err(_) => Settlement::Unknown,
        }
    }

    /// Gives the answer to the store's transaction, which settles the key from here on.
    pub(super) fn hand_over(&mut self, answer: StoredAnswer, keep_until: UnixMillis) -> KeyAnswer {
        self.settled = true;
        let charge = self.charge.clone();
        KeyAnswer { key: self.key.clone(), fence: self.fence, answer, keep_until, charge }
    }

    /// Takes the key back from a transaction that has not settled it.
    pub(super) fn take_back(mut self) -> Self {
        self.settled = false;
        self
    }

    /// Returns whether the key is answered under this fence; none if another run has it.
    pub(super) async fn is_answered(&self) -> Result<Option<bool>, StoreError> {
        let record = self.stores.call(SETTLE_TIMEOUT, self.stores.keys.find(&self.key)).await?;
        let record = record.filter(|record| record.fence == self.fence);
        Ok(record.map(|record| matches!(record.state, KeyState::Answered { .. })))
    }

    /// Releases the key of a call that does not run.
    pub(in crate::policy) async fn release(mut self) {
        let settlement = self.without_effect();
        // If the store fails, the lease runs out.
        drop(self.store(settlement).await);
    }

    /// Holds the key until the tool's thread exits, which nothing can stop, so that no repeat runs
    /// beside it. Returns the key if no such thread runs.
    fn hold_until_thread_exits(mut self) -> Option<Self> {
        let (thread_runs, thread_exited) = oneshot::channel::<()>();
        let call = self.call.clone();
        if call.hold_until_thread_exits(Box::new(thread_runs)).is_err() {
            return Some(self);
        }
        self.on_own_thread = true;
        let timer = self.stores.timer.clone();
        let hold = move || {
            block_on(async {
                drop(select(pin!(self.keep_lease()), thread_exited).await);
                drop(self.store(Settlement::Unknown).await);
            });
        };
        // If no thread can be spawned, the key is dropped with the closure, and transferred.
        drop(catch_panic(|| timer.spawn_blocking(Box::new(hold))));
        None
    }

    /// Transfers the key to a successor while the tool's thread still runs.
    fn transfer(&mut self) {
        // The successor settles the key in place of this one.
        self.settled = true;
        let (events, call) = (self.events.clone(), self.call.clone());
        let lease = self.lease.clone();
        let mut successor = Self::new(events, call, self.key.clone(), self.fence, lease);
        (successor.renew_at, successor.in_doubt) = (self.renew_at, true);
        successor.spending = std::mem::take(&mut self.spending);
        if self.on_own_thread {
            // No thread is left to renew the lease: the successor waits for the tool's thread to
            // exit.
            successor.settlement = Some(Settlement::Unknown);
            drop(self.call.hold_until_thread_exits(Box::new(successor)));
        } else {
            drop(successor.hold_until_thread_exits());
        }
    }

    /// Returns the settlement of a run that had no effect of its own.
    fn without_effect(&self) -> Settlement {
        if self.in_doubt { Settlement::Unknown } else { Settlement::Released }
    }
}

/// Answers a call whose key another run has taken over.
pub(super) fn lost_to_another_run(scope: &CallScope) -> CallOutcome {
    answer::failed(scope, LoggedFailure::plain(lease_lost()), 0, EffectOutcome::Unknown)
}

impl Drop for ClaimedKey {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // The call ends here: a blocking tool must not begin under a key that was released.
        let (begun, _) = self.call.end();
        if begun && self.settlement.is_none() && self.call.has_blocking_run() {
            self.transfer();
            return;
        }
        let is_unknown = begun && !self.call.is_undone_at_end();
        let default = if is_unknown { Settlement::Unknown } else { self.without_effect() };
        let settlement = self.settlement.take().unwrap_or(default);
        // A drop cannot wait: only a store that settles without waiting takes it.
        if settlement == Settlement::Unknown {
            self.stores.outcomes.record_unknown();
        }
        let sent = catch_panic(|| self.send_settlement(settlement.clone()).now_or_never());
        if settlement == Settlement::Unknown {
            drop(catch_panic(|| self.announce_unknown().now_or_never()));
        }
        if matches!(sent, Ok(Some(Ok(true)))) {
            self.record_settlement(&settlement);
        } else {
            self.record_settlement(&Settlement::Unknown);
        }
    }
}
