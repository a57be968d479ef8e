//! A store that triggers traps before, during and after claims and settlements.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use tool_runtime::Uuid;
use tool_runtime::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, Charge, ClaimOutcome,
    ClaimRequest, ClockReading, Fence, IdempotencyStore, KeyRecord, PeriodPosition, Reservation,
    ReserveOutcome, ScopedKey, Settlement, SpendOutcome, StoreError, StoreErrorKind, UnixMillis,
};

use super::point::{ArmedTrap, Point};

/// A store with a trap.
pub(super) struct TrapStore {
    store: Arc<dyn IdempotencyStore>,
    trap: Arc<ArmedTrap>,
}

impl TrapStore {
    pub(super) fn new(store: Arc<dyn IdempotencyStore>, trap: Arc<ArmedTrap>) -> Self {
        Self { store, trap }
    }

    /// Sends an operation to the store's own thread or task, reaches a point meanwhile, and waits for the
    /// result.
    async fn pass_while<T>(&self, point: Point, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if let Some(ready) = work.as_mut().now_or_never() {
            return ready;
        }
        self.trap.pass(point);
        work.await
    }
}

#[async_trait]
impl IdempotencyStore for TrapStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.store.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        let claimed = self.pass_while(Point::Claiming, self.store.claim(request)).await;
        if let Ok(ClaimOutcome::Acquired(_) | ClaimOutcome::TakenOver(_)) = claimed {
            self.trap.pass(Point::Claimed);
        }
        claimed
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
        self.trap.pass(Point::Settling);
        let settle = self.store.settle(key, fence, settlement);
        let settled = self.pass_while(Point::Committing, settle).await;
        self.trap.pass(Point::Settled);
        settled
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
        self.store.budgets().map(|_| self as &dyn BudgetStore)
    }
}

impl TrapStore {
    fn stored_budgets(&self) -> Result<&dyn BudgetStore, StoreError> {
        let missing = || StoreError::new(StoreErrorKind::ReadOnly, "the store has no budgets");
        self.store.budgets().ok_or_else(missing)
    }
}

#[async_trait]
impl BudgetStore for TrapStore {
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        let reserve = self.stored_budgets()?.reserve(claim, reservations);
        let reserved = self.pass_while(Point::Claiming, reserve).await;
        if let Ok(ReserveOutcome::Claimed {
            outcome: ClaimOutcome::Acquired(_) | ClaimOutcome::TakenOver(_),
            ..
        }) = reserved
        {
            self.trap.pass(Point::Claimed);
        }
        reserved
    }

    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError> {
        self.trap.pass(Point::Settling);
        let settle = self.stored_budgets()?.settle_with(key, fence, settlement, charge);
        let settled = self.pass_while(Point::Committing, settle).await;
        self.trap.pass(Point::Settled);
        settled
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        self.stored_budgets()?.spend(now, reservations).await
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        self.stored_budgets()?.balances(reservations).await
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.stored_budgets()?.raise(account, start, amount, now, keep).await
    }

    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError> {
        self.stored_budgets()?.set_control(control).await
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        self.stored_budgets()?.list_periods(tenant, after, limit).await
    }
}
