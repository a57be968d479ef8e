//! A store with scripted faults, before or after an operation took effect.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::pending;
use tool_runtime::Uuid;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, ClockReading, Fence, IdempotencyStore, KeyRecord, ScopedKey,
    Settlement, StoreError, StoreErrorKind, UnixMillis,
};

/// An operation of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreOperation {
    Find,
    Claim,
    Renew,
    Settle,
}

/// A scripted failure of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) operation: StoreOperation,
    pub(super) kind: StoreErrorKind,
    /// The number of failures before it works again.
    pub(super) times: usize,
    /// The operation took effect although it failed.
    pub(super) done: bool,
}

type Hook = Box<dyn Fn(StoreOperation) + Send + Sync>;

/// A handle of a store with scripted faults.
#[derive(Clone)]
pub(super) struct FaultyStore(Arc<Shared>);

struct Shared {
    store: Box<dyn IdempotencyStore>,
    faults: Mutex<Vec<Fault>>,
    operations: Mutex<Vec<StoreOperation>>,
    hook: Mutex<Option<Hook>>,
    hang_at: Mutex<Option<StoreOperation>>,
    slow: Mutex<Option<(StoreOperation, Duration)>>,
}

impl FaultyStore {
    pub(super) fn new(store: impl IdempotencyStore) -> Self {
        Self(Arc::new(Shared {
            store: Box::new(store),
            faults: Mutex::default(),
            operations: Mutex::default(),
            hook: Mutex::default(),
            hang_at: Mutex::default(),
            slow: Mutex::default(),
        }))
    }

    pub(super) fn fail(&self, fault: Fault) {
        self.0.faults.lock().unwrap().push(fault);
    }

    /// Fails all operations but claims, as if the owner had died.
    pub(super) fn break_permanently(&self) {
        for operation in [StoreOperation::Renew, StoreOperation::Settle] {
            let kind = StoreErrorKind::Unavailable;
            self.fail(Fault { operation, kind, times: usize::MAX, done: false });
        }
    }

    pub(super) fn repair(&self) {
        self.0.faults.lock().unwrap().clear();
        *self.0.hang_at.lock().unwrap() = None;
    }

    /// Delays an operation.
    pub(super) fn delay(&self, operation: StoreOperation, time: Duration) {
        *self.0.slow.lock().unwrap() = Some((operation, time));
    }

    /// Calls a function before every operation.
    pub(super) fn before_each_operation(
        &self,
        hook: impl Fn(StoreOperation) + Send + Sync + 'static,
    ) {
        *self.0.hook.lock().unwrap() = Some(Box::new(hook));
    }

    /// Takes a key over just before its owner settles it.
    pub(super) fn take_over_before_settling(&self, key: ScopedKey) {
        let store = self.clone();
        self.before_each_operation(move |operation| {
            if operation == StoreOperation::Settle {
                store.take_over(&key).now_or_never().expect("a store in memory is ready at once");
            }
        });
    }

    async fn take_over(&self, key: &ScopedKey) {
        let record = self.record(key).await.expect("a record");
        let late = UnixMillis::new(u64::MAX);
        let request = ClaimRequest::new(key.clone(), record.fingerprint, late, Duration::ZERO);
        let claimed = self.0.store.claim(request).await.expect("the store");
        assert!(matches!(claimed, ClaimOutcome::TakenOver(_)), "{claimed:?}");
    }

    /// Returns the operations so far.
    pub(super) fn operations(&self) -> Vec<StoreOperation> {
        self.0.operations.lock().unwrap().clone()
    }

    pub(super) async fn record(&self, key: &ScopedKey) -> Option<KeyRecord> {
        self.0.store.find(key).await.expect("the store")
    }

    fn begin(&self, operation: StoreOperation) -> Option<Fault> {
        self.0.operations.lock().unwrap().push(operation);
        if let Some(hook) = &*self.0.hook.lock().unwrap() {
            hook(operation);
        }
        let mut faults = self.0.faults.lock().unwrap();
        let fault =
            faults.iter_mut().find(|fault| fault.operation == operation && fault.times > 0)?;
        fault.times -= 1;
        Some(*fault)
    }

    /// Never answers operations of this kind.
    pub(super) fn hang_at(&self, operation: StoreOperation) {
        *self.0.hang_at.lock().unwrap() = Some(operation);
    }

    async fn run<T>(
        &self,
        operation: StoreOperation,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let fault = self.begin(operation);
        if *self.0.hang_at.lock().unwrap() == Some(operation) {
            return pending().await;
        }
        let slow = *self.0.slow.lock().unwrap();
        if let Some((_, time)) = slow.filter(|(slow, _)| *slow == operation) {
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
impl IdempotencyStore for FaultyStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.0.store.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        self.run(StoreOperation::Claim, self.0.store.claim(request)).await
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.run(StoreOperation::Renew, self.0.store.renew(key, fence, until)).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.run(StoreOperation::Settle, self.0.store.settle(key, fence, settlement)).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        self.run(StoreOperation::Find, self.0.store.find(key)).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.0.store.list_unknown(tenant, after, limit).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.0.store.sweep_keys(now, limit).await
    }
}
