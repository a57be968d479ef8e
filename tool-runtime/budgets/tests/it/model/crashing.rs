//! A store that loses the settlements of a process that dies.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tool_runtime::Uuid;
use tool_runtime::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, Charge, ClaimOutcome,
    ClaimRequest, ClockReading, Fence, IdempotencyStore, KeyRecord, PeriodPosition, Reservation,
    ReserveOutcome, ScopedKey, Settlement, SpendOutcome, StoreError, UnixMillis,
};

/// A store whose process may die between the effect of a call and the settlement of its key.
#[derive(Clone)]
pub(super) struct CrashingStore {
    store: Arc<dyn IdempotencyStore>,
    is_dying: Arc<AtomicBool>,
    settles: Arc<Notify>,
    /// The fences of dead processes.
    dead: Arc<Mutex<Vec<Fence>>>,
}

impl CrashingStore {
    pub(super) fn new(store: impl IdempotencyStore) -> Self {
        Self {
            store: Arc::new(store),
            is_dying: Arc::default(),
            settles: Arc::default(),
            dead: Arc::default(),
        }
    }

    /// Runs a call until it settles its key; nothing of it is heard from then on.
    pub(super) async fn crash_in(&self, call: impl Future) {
        self.is_dying.store(true, Ordering::SeqCst);
        tokio::select! {
            () = self.settles.notified() => {}
            _ = call => {}
        }
        self.is_dying.store(false, Ordering::SeqCst);
    }

    fn budget_store(&self) -> &dyn BudgetStore {
        self.store.budgets().expect("a store with budgets")
    }

    /// Never returns to the owner of a fence whose process dies, or is dead.
    async fn pass(&self, fence: Fence) {
        let is_dead = {
            let mut dead = self.dead.lock().expect("the fences");
            let was_dead = dead.contains(&fence);
            // A dropped call may try again, during the death of another process.
            if !was_dead && self.is_dying.load(Ordering::SeqCst) {
                dead.push(fence);
                self.settles.notify_one();
            }
            dead.contains(&fence)
        };
        if is_dead {
            pending::<()>().await;
        }
    }
}

#[async_trait]
impl IdempotencyStore for CrashingStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.store.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        self.store.claim(request).await
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.store.renew(key, fence, until).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.pass(fence).await;
        self.store.settle(key, fence, settlement).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        self.store.find(key).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.list_unknown(tenant, after, limit).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.store.sweep_keys(now, limit).await
    }

    fn budgets(&self) -> Option<&dyn BudgetStore> {
        Some(self)
    }
}

#[async_trait]
impl BudgetStore for CrashingStore {
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        self.budget_store().reserve(claim, reservations).await
    }

    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError> {
        self.pass(fence).await;
        self.budget_store().settle_with(key, fence, settlement, charge).await
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        self.budget_store().spend(now, reservations).await
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        self.budget_store().balances(reservations).await
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.budget_store().raise(account, start, amount, now, keep).await
    }

    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError> {
        self.budget_store().set_control(control).await
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        self.budget_store().list_periods(tenant, after, limit).await
    }
}
