//! A key that a call holds while it runs.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::executor::block_on;
use futures::future::{pending, select};

use super::{KeyLease, replay};
use crate::call::{CallScope, guard};
use crate::dispatch::call_policy::Lease as _;
use crate::dispatch::fitting;
use crate::dispatch::pipeline::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::superseded;
use crate::failure::Fault;
use crate::policy::governor::State;
use crate::store::{Fence, KeyScope, Settlement, StoreError, StoreErrorKind};

/// How long apart a settlement is tried that the store did not take.
const PATIENCE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// How long one try may take.
const SETTLING: Duration = Duration::from_secs(5);

const NOT_KEPT: &str = "the answer could not be kept under its idempotency key: \
                        a repeat may be told that the outcome is unknown";

/// A key that a call holds. Dropped before it is settled, it says what it knows, if the store takes
/// it at once; else the lease runs out.
pub(in crate::policy) struct KeyHold {
    state: Arc<State>,
    call: CallScope,
    key: KeyScope,
    fence: Fence,
    lease: Arc<KeyLease>,
    /// When the next sign of life is due.
    renew_at: Instant,
    /// Whether an earlier run under the key may have had its effect.
    in_doubt: bool,
    /// Whether it was to be kept on a thread of its own.
    outlasts: bool,
    /// What is to be stored, once it is known.
    settlement: Option<Settlement>,
    settled: bool,
}

impl KeyHold {
    pub(super) fn new(
        state: Arc<State>,
        call: CallScope,
        key: KeyScope,
        fence: Fence,
        lease: Arc<KeyLease>,
    ) -> Self {
        let renew_at = state.timer.now() + state.plan(&call).lease / 3;
        Self {
            state,
            call,
            key,
            fence,
            lease,
            renew_at,
            in_doubt: false,
            outlasts: false,
            settlement: None,
            settled: false,
        }
    }

    /// Says whether an earlier run under the key may have had its effect: then the key is not
    /// released, whatever becomes of this run.
    pub(super) fn set_in_doubt(&mut self, in_doubt: bool) {
        self.in_doubt = in_doubt;
    }

    /// Renews the lease again and again; ready only when another owner has taken the key over.
    ///
    /// A process that was stopped past its lease renews it as soon as it goes on.
    pub(in crate::policy) async fn keep(&mut self) {
        let mut failed = false;
        loop {
            let wait = self.renew_at.saturating_duration_since(self.state.timer.now());
            match guard(|| self.state.timer.sleep(wait)) {
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

    /// Gives one sign of life; false if somebody else has taken the key over.
    pub(super) async fn renew(&mut self) -> Result<bool, StoreError> {
        let lease = self.state.plan(&self.call).lease;
        self.renew_at = self.state.timer.now() + lease / 3;
        let until = self.state.store_time(lease / 3).await?.after(lease);
        let renewed = self.state.stores.keys.renew(&self.key, self.fence, until);
        // A lease that has run out leaves nothing to hurry for: the tool waits, until its deadline.
        let limit = if self.lease.is_over() { lease.max(SETTLING) } else { lease / 3 };
        let renewed = self.state.ask_store(limit, renewed).await?;
        if renewed {
            self.lease.renewed(until);
        }
        Ok(renewed)
    }

    /// Stores how the call ended. An owner that was taken over meanwhile answers nothing of its own.
    pub(in crate::policy) async fn settle(
        mut self,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> CallOutcome {
        if ended.effect == EffectOutcome::Unknown {
            let Some(hold) = self.outlast() else { return ended };
            self = hold;
        }
        let settlement = self.settlement_of(&ended).await;
        match self.store(settlement).await {
            Ok(false) if matches!(ended.effect, EffectOutcome::Answered | EffectOutcome::Final) => {
                fitting::failed(scope, Fault::plain(superseded()), 0, EffectOutcome::Unknown)
            }
            Ok(_) => ended,
            Err(error) => {
                // An answer that finds no room leaves a mark that does.
                if error.kind() == StoreErrorKind::Full {
                    drop(self.store(Settlement::Unknown).await);
                }
                let mut ended = fitting::with_warning(scope, ended, NOT_KEPT);
                let log = format!("{}the answer was not kept: {error}", ended.log);
                ended.log = scope.scrub_log(log);
                ended
            }
        }
    }

    /// Stores a settlement; tries again what the store did not take.
    pub(super) async fn store(&mut self, settlement: Settlement) -> Result<bool, StoreError> {
        self.settlement = Some(settlement.clone());
        let keys = self.state.stores.keys.clone();
        let mut pauses = PATIENCE.iter();
        loop {
            let settled = keys.settle(&self.key, self.fence, settlement.clone());
            let error = match self.state.ask_store(SETTLING, settled).await {
                Ok(held) => {
                    self.settled = true;
                    if held && settlement == Settlement::Unknown {
                        self.state.outcomes.lost();
                    }
                    return Ok(held);
                }
                Err(error) => error,
            };
            let Some(pause) = pauses.next() else { return Err(error) };
            match guard(|| self.state.timer.sleep(*pause)) {
                Ok(sleep) => sleep.await,
                Err(_) => return Err(error),
            }
        }
    }

    async fn settlement_of(&self, ended: &CallOutcome) -> Settlement {
        let answer = match ended.effect {
            // A failure of this run says nothing of what an earlier one did.
            EffectOutcome::Final if self.in_doubt => None,
            EffectOutcome::Answered | EffectOutcome::Final => replay::stored(&ended.output),
            EffectOutcome::NotRun | EffectOutcome::Transient => return self.without_effect(),
            EffectOutcome::Unknown => None,
        };
        let Some(answer) = answer else { return Settlement::Unknown };
        let retention = self.state.plan(&self.call).retention;
        // A store that told its time for the claim is asked for it again only where the clock that
        // cannot be set has begun anew meanwhile.
        match self.state.store_time(SETTLING).await {
            Ok(now) => Settlement::Answered { answer, keep_until: now.after(retention) },
            Err(_) => Settlement::Unknown,
        }
    }

    /// Gives the key back, since the call does not run after all.
    pub(in crate::policy) async fn give_back(mut self) {
        let settlement = self.without_effect();
        // What the store does not take is told by the lease, when it is over.
        drop(self.store(settlement).await);
    }

    /// Keeps the key while the tool's thread still works, which nothing can stop: a repeat must not
    /// begin beside it. Returns the hold if there is no such thread.
    fn outlast(mut self) -> Option<Self> {
        let (still_works, ended) = oneshot::channel::<()>();
        let call = self.call.clone();
        if call.hold_until_thread_exits(Box::new(still_works)).is_err() {
            return Some(self);
        }
        self.outlasts = true;
        let timer = self.state.timer.clone();
        let keep = move || {
            block_on(async {
                drop(select(pin!(self.keep()), ended).await);
                drop(self.store(Settlement::Unknown).await);
            });
        };
        // Where no thread can be had, the hold is dropped with the closure, and passed on.
        drop(guard(|| timer.spawn_blocking(Box::new(keep))));
        None
    }

    /// Passes the key on while the tool's thread still works.
    fn pass_on(&mut self) {
        // The same hold under another owner: this one has nothing more to say.
        self.settled = true;
        let (state, call) = (self.state.clone(), self.call.clone());
        let lease = self.lease.clone();
        let mut heir = Self::new(state, call, self.key.clone(), self.fence, lease);
        (heir.renew_at, heir.in_doubt) = (self.renew_at, true);
        if self.outlasts {
            // There is no thread to keep it: it waits without signs of life for the tool's to end.
            heir.settlement = Some(Settlement::Unknown);
            drop(self.call.hold_until_thread_exits(Box::new(heir)));
        } else {
            drop(heir.outlast());
        }
    }

    /// How a run ends that had no effect of its own.
    fn without_effect(&self) -> Settlement {
        if self.in_doubt { Settlement::Unknown } else { Settlement::Released }
    }
}

impl Drop for KeyHold {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // CallOutcome here and now: a blocking tool must not begin under a key that was given back.
        let (begun, _) = self.call.end();
        if begun && self.settlement.is_none() && self.call.has_blocking_run() {
            self.pass_on();
            return;
        }
        let unsaid = if begun { Settlement::Unknown } else { self.without_effect() };
        let settlement = self.settlement.take().unwrap_or(unsaid);
        // Nobody is left to wait for it: a store that takes it at once has it.
        let keys = &self.state.stores.keys;
        if settlement == Settlement::Unknown {
            self.state.outcomes.lost();
        }
        drop(guard(|| keys.settle(&self.key, self.fence, settlement).now_or_never()));
    }
}
