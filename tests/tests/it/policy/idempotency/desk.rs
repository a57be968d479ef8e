//! A store that fails when it is told to, before or after it did what it was asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::pending;
use tool_runtime::Uuid;
use tool_runtime::store::{
    ClaimRequest, Claimed, ClockReading, Fence, IdempotencyStore, KeyRecord, KeyScope, Settlement,
    StoreError, StoreErrorKind, UnixMillis,
};

/// What is asked of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Find,
    Claim,
    Renew,
    Settle,
}

/// How a step fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) step: Step,
    pub(super) kind: StoreErrorKind,
    /// How often it fails before it works again.
    pub(super) times: usize,
    /// Whether the store has done it all the same.
    pub(super) done: bool,
}

type Look = Box<dyn Fn(Step) + Send + Sync>;

/// A handle on a store, and what shall go wrong with it.
#[derive(Clone)]
pub(super) struct Desk(Arc<Shared>);

struct Shared {
    store: Box<dyn IdempotencyStore>,
    faults: Mutex<Vec<Fault>>,
    steps: Mutex<Vec<Step>>,
    look: Mutex<Option<Look>>,
    hangs_at: Mutex<Option<Step>>,
    slow: Mutex<Option<(Step, Duration)>>,
}

impl Desk {
    pub(super) fn new(store: impl IdempotencyStore) -> Self {
        Self(Arc::new(Shared {
            store: Box::new(store),
            faults: Mutex::default(),
            steps: Mutex::default(),
            look: Mutex::default(),
            hangs_at: Mutex::default(),
            slow: Mutex::default(),
        }))
    }

    pub(super) fn fails(&self, fault: Fault) {
        self.0.faults.lock().unwrap().push(fault);
    }

    /// Fails whatever is asked but claims, as if its owner were dead to it.
    pub(super) fn breaks_for_good(&self) {
        for step in [Step::Renew, Step::Settle] {
            let kind = StoreErrorKind::Unavailable;
            self.fails(Fault { step, kind, times: usize::MAX, done: false });
        }
    }

    pub(super) fn works_again(&self) {
        self.0.faults.lock().unwrap().clear();
        *self.0.hangs_at.lock().unwrap() = None;
    }

    /// Takes this long for a step before it is done.
    pub(super) fn takes(&self, step: Step, time: Duration) {
        *self.0.slow.lock().unwrap() = Some((step, time));
    }

    /// Calls this at every step, before it is done.
    pub(super) fn at_each_step(&self, look: impl Fn(Step) + Send + Sync + 'static) {
        *self.0.look.lock().unwrap() = Some(Box::new(look));
    }

    /// Lets somebody else take a key over just before its owner settles it.
    pub(super) fn is_taken_over_at_the_end(&self, key: KeyScope) {
        let desk = self.clone();
        self.at_each_step(move |step| {
            if step == Step::Settle {
                desk.take_over(&key).now_or_never().expect("a store in memory is ready at once");
            }
        });
    }

    async fn take_over(&self, key: &KeyScope) {
        let record = self.look(key).await.expect("a record");
        let late = UnixMillis::new(u64::MAX);
        let request = ClaimRequest::new(key.clone(), record.fingerprint, late, Duration::ZERO);
        let claimed = self.0.store.claim(request).await.expect("the store");
        assert!(matches!(claimed, Claimed::TakenOver(_)), "{claimed:?}");
    }

    /// What was asked so far.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.0.steps.lock().unwrap().clone()
    }

    pub(super) async fn look(&self, key: &KeyScope) -> Option<KeyRecord> {
        self.0.store.find(key).await.expect("the store")
    }

    fn begin(&self, step: Step) -> Option<Fault> {
        self.0.steps.lock().unwrap().push(step);
        if let Some(look) = &*self.0.look.lock().unwrap() {
            look(step);
        }
        let mut faults = self.0.faults.lock().unwrap();
        let fault = faults.iter_mut().find(|fault| fault.step == step && fault.times > 0)?;
        fault.times -= 1;
        Some(*fault)
    }

    /// Answers nothing that is asked of this kind.
    pub(super) fn hangs_at(&self, step: Step) {
        *self.0.hangs_at.lock().unwrap() = Some(step);
    }

    async fn step<T>(
        &self,
        step: Step,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let fault = self.begin(step);
        if *self.0.hangs_at.lock().unwrap() == Some(step) {
            return pending().await;
        }
        let slow = *self.0.slow.lock().unwrap();
        if let Some((_, time)) = slow.filter(|(slow, _)| *slow == step) {
            tokio::time::sleep(time).await;
        }
        let Some(fault) = fault else { return work.await };
        if fault.done {
            work.await?;
        }
        Err(StoreError::new(fault.kind, "hunter2"))
    }
}

#[async_trait]
impl IdempotencyStore for Desk {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.0.store.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed, StoreError> {
        self.step(Step::Claim, self.0.store.claim(request)).await
    }

    async fn renew(
        &self,
        key: &KeyScope,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.step(Step::Renew, self.0.store.renew(key, fence, until)).await
    }

    async fn settle(
        &self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.step(Step::Settle, self.0.store.settle(key, fence, settlement)).await
    }

    async fn find(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError> {
        self.step(Step::Find, self.0.store.find(key)).await
    }

    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.0.store.unknown(tenant, after, most).await
    }

    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        self.0.store.sweep_keys(now, most).await
    }
}
