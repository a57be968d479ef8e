//! Budgets in memory with one defect, to show that the suite of budgets can fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use tokio::task::yield_now;
use tool_runtime::Uuid;
use tool_runtime::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, Charge, ClaimOutcome,
    ClaimRequest, ClockReading, Fence, IdempotencyStore, KeyRecord, MemoryStore, PeriodPosition,
    Reservation, ReservationPeriod, ReserveOutcome, ScopedKey, Settlement, SpendOutcome,
    StoreError, UnixMillis,
};
use tool_runtime::testing::conformance;

use super::conformance::{all_are_found, said};

/// A defect of a store of budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    ReservesWhatFits,
    ReservesNothing,
    ReservesInTwoSteps,
    SortsBalances,
    RefusesApprovedExcess,
    IgnoresReports,
    ReservesForRepeats,
    ReservesForTakeovers,
    ForgetsReservedAmounts,
    CountsOnePeriod,
    SpendsWhatFits,
    IgnoresPauses,
    IgnoresChangedLimits,
    StoresCallsAlone,
    IgnoresLimitsOfCallsAlone,
    IgnoresRaises,
    ListsWithoutLimit,
    SweepsTooEarly,
    KeepsNothingForEver,
}

/// The assertion of the suite that each defect breaks.
const DEFECTS: [(Defect, &str); 19] = [
    (Defect::ReservesWhatFits, "one amount does not fit"),
    (Defect::ReservesNothing, "the balances are in the order of the reservations"),
    (Defect::ReservesInTwoSteps, "eleven times nine fit into a hundred"),
    (Defect::SortsBalances, "the balances are in the order of the reservations"),
    (Defect::RefusesApprovedExcess, "a free key is claimed with amounts that fit"),
    (Defect::IgnoresReports, "is spent, and once"),
    (Defect::ReservesForRepeats, "neither reserves anything"),
    (Defect::ReservesForTakeovers, "and no other"),
    (Defect::ForgetsReservedAmounts, "its record says what it reserves"),
    (Defect::CountsOnePeriod, "two periods count"),
    (Defect::SpendsWhatFits, "nothing is spent if one amount does not fit"),
    (Defect::IgnoresPauses, "a paused limit reserves nothing"),
    (Defect::IgnoresChangedLimits, "a changed limit holds at once"),
    (Defect::StoresCallsAlone, "a free key is claimed with amounts that fit"),
    (Defect::IgnoresLimitsOfCallsAlone, "an amount above the limit is refused"),
    (Defect::IgnoresRaises, "a free key is claimed with amounts that fit"),
    (Defect::ListsWithoutLimit, "a page has no more than its limit"),
    (Defect::SweepsTooEarly, "none is deleted before its time"),
    (Defect::KeepsNothingForEver, "one that is kept for ever stays"),
];

#[test]
fn a_wrapper_without_a_defect_passes() {
    assert_eq!(complaint(Defect::None), None);
}

#[test]
fn every_defect_of_budgets_is_found_and_named() {
    all_are_found(DEFECTS, complaint);
}

fn complaint(defect: Defect) -> Option<String> {
    let store = BrokenBudgets { memory: MemoryStore::new(), defect };
    let run = || block_on(conformance::budgets(&store));
    catch_unwind(AssertUnwindSafe(run)).err().map(said)
}

/// A store in memory whose budgets have one defect.
struct BrokenBudgets {
    memory: MemoryStore,
    defect: Defect,
}

impl BrokenBudgets {
    fn is(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    /// Returns the reservations as the store understands them.
    fn understood(&self, mut reservations: Vec<Reservation>) -> Vec<Reservation> {
        for reservation in &mut reservations {
            if self.is(Defect::RefusesApprovedExcess) {
                reservation.may_exceed = false;
            }
            match &mut reservation.period {
                Some(period) if self.is(Defect::CountsOnePeriod) => period.since = period.start,
                Some(period) if self.is(Defect::KeepsNothingForEver) => {
                    period.keep.get_or_insert(Duration::from_secs(1_000));
                }
                None if self.is(Defect::StoresCallsAlone) => {
                    let start = UnixMillis::new(0);
                    reservation.period = Some(ReservationPeriod::calendar(start, None));
                }
                None if self.is(Defect::IgnoresLimitsOfCallsAlone) => {
                    reservation.may_exceed = true;
                }
                Some(_) | None => {}
            }
        }
        reservations
    }

    /// Returns the reservations that fit by themselves.
    async fn fitting(&self, reservations: &[Reservation]) -> Result<Vec<Reservation>, StoreError> {
        let balances = self.memory.balances(reservations).await?;
        let each = reservations.iter().zip(&balances);
        let fitting = each.filter(|(it, balance)| it.fits(it.amount, balance));
        Ok(fitting.map(|(reservation, _)| reservation.clone()).collect())
    }
}

#[async_trait]
impl BudgetStore for BrokenBudgets {
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        let mut reservations = self.understood(reservations);
        let wanted = reservations.clone();
        if self.is(Defect::ReservesNothing) {
            reservations = Vec::new();
        }
        if self.is(Defect::ReservesWhatFits) {
            reservations = self.fitting(&reservations).await?;
        }
        if self.is(Defect::ReservesInTwoSteps) {
            let fitting = self.fitting(&reservations).await?.len();
            yield_now().await;
            for reservation in &mut reservations {
                reservation.may_exceed |= fitting == wanted.len();
            }
        }
        let mut outcome = self.memory.reserve(claim, reservations).await?;
        if let ReserveOutcome::Claimed { outcome, balances } = &mut outcome {
            let reserves_again = match outcome {
                ClaimOutcome::TakenOver(_) => self.is(Defect::ReservesForTakeovers),
                ClaimOutcome::Running { .. } => self.is(Defect::ReservesForRepeats),
                _ => false,
            };
            if reserves_again {
                self.memory.spend(UnixMillis::new(0), wanted).await?;
            }
            if self.is(Defect::SortsBalances) {
                balances.sort_by_key(Balance::used);
            }
        }
        Ok(outcome)
    }

    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError> {
        let charge = if self.is(Defect::IgnoresReports) { Charge::Reserved } else { charge };
        self.memory.settle_with(key, fence, settlement, charge).await
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        let mut reservations = self.understood(reservations);
        if self.is(Defect::SpendsWhatFits) {
            reservations = self.fitting(&reservations).await?;
        }
        self.memory.spend(now, reservations).await
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        self.memory.balances(&self.understood(reservations.to_vec())).await
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        let amount = if self.is(Defect::IgnoresRaises) { 0 } else { amount };
        self.memory.raise(account, start, amount, now, keep).await
    }

    async fn set_control(&self, mut control: BudgetControl) -> Result<(), StoreError> {
        control.paused &= !self.is(Defect::IgnoresPauses);
        if self.is(Defect::IgnoresChangedLimits) {
            control.amount = None;
        }
        self.memory.set_control(control).await
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        let limit = if self.is(Defect::ListsWithoutLimit) { usize::MAX } else { limit };
        self.memory.list_periods(tenant, after, limit).await
    }
}

#[async_trait]
impl IdempotencyStore for BrokenBudgets {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.memory.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        self.memory.claim(request).await
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.memory.renew(key, fence, until).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.memory.settle(key, fence, settlement).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        let mut record = self.memory.find(key).await?;
        if let Some(record) = record.as_mut().filter(|_| self.is(Defect::ForgetsReservedAmounts)) {
            record.reserved.clear();
        }
        Ok(record)
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.memory.list_unknown(tenant, after, limit).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let early = u64::from(self.is(Defect::SweepsTooEarly));
        self.memory.sweep_keys(now.after(Duration::from_millis(early)), limit).await
    }

    fn budgets(&self) -> Option<&dyn BudgetStore> {
        Some(self)
    }
}
