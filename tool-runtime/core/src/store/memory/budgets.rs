//! Budgets in memory: they change together with the keys, under the same lock.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, BudgetUnit, Charge,
    ClaimRequest, Fence, PeriodPosition, Reservation, ReservationPeriod, ReserveOutcome,
    ReservedAmount, ScopedKey, Settlement, SpendOutcome, StoreError, UnixMillis,
};

#[async_trait]
impl BudgetStore for MemoryStore {
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        locked(&self.keys)?.reserve(claim, &reservations)
    }

    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError> {
        locked(&self.keys)?.settle(key, fence, &settlement, &charge)
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        locked(&self.keys)?.budgets.spend(now, &reservations)
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        Ok(locked(&self.keys)?.budgets.balances(reservations))
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        let budgets = &mut locked(&self.keys)?.budgets;
        budgets.open_to_raise(now, account, start, keep)?;
        budgets.change(account.tenant, account.digest(), start, |balance| {
            balance.raised = balance.raised.saturating_add(amount);
        });
        Ok(())
    }

    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError> {
        let key = (control.budget.clone(), control.limit.clone(), control.unit);
        locked(&self.keys)?.budgets.controls.insert(key, control);
        Ok(())
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        Ok(locked(&self.keys)?.budgets.list(tenant, after, limit))
    }
}

/// The key of a period: the tenant first, so that a tenant's periods are in one range.
type PeriodKey = (Uuid, [u8; 32], UnixMillis);

/// The periods of all accounts, and what the host has changed about limits.
pub(super) struct MemoryBudgets {
    periods: QuotaMap<PeriodKey, BudgetPeriod>,
    /// At most one for each limit that the host has configured.
    controls: BTreeMap<(Box<str>, Box<str>, BudgetUnit), BudgetControl>,
}

impl MemoryBudgets {
    pub(super) fn new(quota: StoreQuota) -> Self {
        Self { periods: QuotaMap::new(quota), controls: BTreeMap::new() }
    }

    /// Returns the balances in the order of the reservations, if one of the amounts does not fit.
    pub(super) fn exceeded(
        &self,
        reservations: &[Reservation],
        amounts: &[u64],
    ) -> Option<Vec<Balance>> {
        let balances = self.balances(reservations);
        let mut needs = reservations.iter().zip(amounts).zip(&balances);
        let fit = needs.all(|((reservation, amount), balance)| reservation.fits(*amount, balance));
        (!fit).then_some(balances)
    }

    pub(super) fn balances(&self, reservations: &[Reservation]) -> Vec<Balance> {
        reservations.iter().map(|reservation| self.balance(reservation)).collect()
    }

    fn balance(&self, reservation: &Reservation) -> Balance {
        let account = &reservation.account;
        let control = (account.budget.clone(), account.limit.clone(), account.unit);
        let control = self.controls.get(&control);
        let none = Balance {
            limit: control.and_then(|control| control.amount),
            paused: control.is_some_and(|control| control.paused),
            ..Balance::default()
        };
        let Some(reserved_period) = reservation.period else { return none };
        let (first, _) = reserved_period.counted_starts();
        let first = (account.tenant, *account.digest().as_bytes(), first);
        let same = |period: &&BudgetPeriod| period.account == *account;
        let periods = self.periods.from(Bound::Included(first)).take_while(same);
        let counted = periods.filter(|period| reserved_period.counts(period.start));
        counted.fold(none, |sum, period| sum.with_period(&period.balance))
    }

    /// Stores the periods that reservations are taken from; an error if the store is full.
    pub(super) fn open_periods(
        &mut self,
        now: UnixMillis,
        reservations: &[Reservation],
    ) -> Result<(), StoreError> {
        for Reservation { account, period, limit, .. } in reservations {
            if let Some(ReservationPeriod { start, keep, .. }) = *period {
                self.open(now, account, start, *limit, keep)?;
            }
        }
        Ok(())
    }

    fn open(
        &mut self,
        now: UnixMillis,
        account: &BudgetAccount,
        start: UnixMillis,
        limit: u64,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        let key = (account.tenant, *account.digest().as_bytes(), start);
        if let Some(period) = self.periods.get_mut(&key) {
            period.limit = limit;
            return Ok(());
        }
        let (balance, account) = (Balance::default(), account.clone());
        let bytes = account.budget.len() + account.limit.len() + account.scope.len();
        let entry = QuotaEntry {
            tenant: account.tenant,
            value: BudgetPeriod { account, start, limit, balance },
            bytes,
            expires_at: keep.map(|keep| now.after(keep)),
        };
        self.periods.put_after_sweep(now, key, entry)
    }

    pub(super) fn add_reserved(&mut self, reservations: &[Reservation], amounts: &[u64]) {
        for (Reservation { account, period, .. }, amount) in reservations.iter().zip(amounts) {
            let Some(ReservationPeriod { start, .. }) = *period else { continue };
            self.change(account.tenant, account.digest(), start, |balance| {
                balance.reserved = balance.reserved.saturating_add(*amount);
            });
        }
    }

    /// Stores a period before its first reservation has told the limit, unless it is stored.
    fn open_to_raise(
        &mut self,
        now: UnixMillis,
        account: &BudgetAccount,
        start: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        let key = (account.tenant, *account.digest().as_bytes(), start);
        let limit = self.periods.get(&key).map_or(0, |period| period.limit);
        self.open(now, account, start, limit, keep)
    }

    /// Ends the reservations of a tenant's key; what was spent of them counts from now on.
    pub(super) fn settle(&mut self, tenant: Uuid, reserved: &[ReservedAmount], charge: &Charge) {
        for (it, spent) in reserved.iter().zip(charge.spent_amounts(reserved)) {
            self.change(tenant, it.account, it.start, |balance| {
                balance.reserved = balance.reserved.saturating_sub(it.amount);
                balance.spent = balance.spent.saturating_add(spent);
            });
        }
    }

    fn spend(
        &mut self,
        now: UnixMillis,
        reservations: &[Reservation],
    ) -> Result<SpendOutcome, StoreError> {
        let amounts: Vec<u64> = reservations.iter().map(|reservation| reservation.amount).collect();
        if let Some(balances) = self.exceeded(reservations, &amounts) {
            return Ok(SpendOutcome::Exceeded(balances));
        }
        self.open_periods(now, reservations)?;
        for Reservation { account, period, amount, .. } in reservations {
            let Some(ReservationPeriod { start, .. }) = *period else { continue };
            self.change(account.tenant, account.digest(), start, |balance| {
                balance.spent = balance.spent.saturating_add(*amount);
            });
        }
        Ok(SpendOutcome::Spent(self.balances(reservations)))
    }

    /// Changes the balance of a period; a period that was swept has none any more.
    fn change(
        &mut self,
        tenant: Uuid,
        account: Digest,
        start: UnixMillis,
        change: impl FnOnce(&mut Balance),
    ) {
        if let Some(period) = self.periods.get_mut(&(tenant, *account.as_bytes(), start)) {
            change(&mut period.balance);
        }
    }

    fn list(&self, tenant: Uuid, after: Option<PeriodPosition>, limit: usize) -> Vec<BudgetPeriod> {
        let after = match after {
            Some(last) => Bound::Excluded((tenant, *last.account.as_bytes(), last.start)),
            None => Bound::Included((tenant, [0; 32], UnixMillis::new(0))),
        };
        let periods = self.periods.from(after);
        periods.take_while(|period| period.account.tenant == tenant).take(limit).cloned().collect()
    }

    pub(super) fn sweep(&mut self, now: UnixMillis, limit: usize) -> usize {
        self.periods.sweep(now, limit)
    }
}
