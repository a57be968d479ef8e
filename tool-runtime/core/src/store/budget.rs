//! Stores what budgets have spent and reserved.

use std::time::Duration;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{
    BudgetUnit, ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, ScopedKey, Settlement,
    StoreError, UnixMillis,
};

/// Stores what budgets have spent and reserved, in the same place as idempotency keys.
///
/// A reservation is made together with the claim of its call's key, and ends with the key's settlement: both in one
/// atomic operation. The record of a key has the amounts that it reserves ([`KeyRecord::reserved`]), so that a
/// repeat, a retry and a takeover have the reservation of their key, and no other:
///
/// | the key | its amounts |
/// | --- | --- |
/// | is acquired or taken over | are reserved, all of them or none; a takeover adds what it needs beyond the record's |
/// | runs, or its outcome is unknown | stay reserved |
/// | is answered | are spent, as the [`Charge`] says |
/// | is released | are free again |
///
/// [`KeyRecord::missing_amounts`] and [`Charge::spent_amounts`] are the decisions that all backends share;
/// `testing::conformance::budgets` tests a backend.
///
/// [`KeyRecord::reserved`]: super::KeyRecord::reserved
/// [`KeyRecord::missing_amounts`]: super::KeyRecord::missing_amounts
#[async_trait]
pub trait BudgetStore: IdempotencyStore {
    /// Claims a key as [`claim`](IdempotencyStore::claim) does and, if the claimant gets it, reserves amounts of
    /// budgets. If one of them does not fit, nothing is claimed and nothing is reserved.
    ///
    /// # Cancellation
    /// If the future is dropped before it is ready, the backend undoes the claim and the reservations.
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError>;

    /// Settles a key as [`settle`](IdempotencyStore::settle) does. The charge of a key that is answered or released is
    /// spent, and the rest of its reservations is free again. A release spends only what is
    /// [reported](Charge::without_effect).
    ///
    /// `settle` has the charge [`Charge::Reserved`].
    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError>;

    /// Spends amounts at once, all of them or none; the call has no key.
    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError>;

    /// Reads the balances from which these reservations would be taken, in their order.
    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError>;

    /// Raises the limit of an account for one period, and once.
    ///
    /// `now` is the store's time, after which the period is kept for `keep`.
    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError>;

    /// Stores the control of a limit, in place of an earlier one.
    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError>;

    /// Lists the periods of a tenant's accounts, at most `limit`, by the digests of their accounts and then by their
    /// starts, from the first after `after`. That position may lie between two periods.
    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError>;
}

/// One sum that a budget limits: of one scope, in one unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct BudgetAccount {
    /// The tenant.
    pub tenant: Uuid,
    /// The budget's name.
    pub budget: Box<str>,
    /// The limit of the budget, such as `day`.
    pub limit: Box<str>,
    /// The part of the tenant that the sum belongs to, such as `user:42`.
    pub scope: Box<str>,
    /// The unit.
    pub unit: BudgetUnit,
}

/// An amount that a call needs of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct Reservation {
    /// The account.
    pub account: BudgetAccount,
    /// The period that the amount is taken from; none for a limit of each call alone: its amount is compared with the
    /// limit in force when the key is claimed first, and no sum of it is stored.
    pub period: Option<ReservationPeriod>,
    /// The amount.
    pub amount: u64,
    /// The limit of all periods that count.
    pub limit: u64,
    /// True if the limit may be exceeded, which a person has allowed.
    pub may_exceed: bool,
}

/// The period that a reservation is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct ReservationPeriod {
    /// The start of the period.
    pub start: UnixMillis,
    /// The start of the first period that counts against the limit: the same for a calendar window, an earlier one
    /// for a rolling window, of which a period is a part.
    pub since: UnixMillis,
    /// The time for which the period is stored; for ever if none.
    pub keep: Option<Duration>,
}

/// An amount that a key has reserved of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct ReservedAmount {
    /// The [digest](BudgetAccount::digest) of the account.
    pub account: Digest,
    /// The start of its period.
    pub start: UnixMillis,
    /// The unit.
    pub unit: BudgetUnit,
    /// The amount.
    pub amount: u64,
}

/// The sums of the periods that count against a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct Balance {
    /// The amount that was spent.
    pub spent: u64,
    /// The amount that is reserved by calls that run, and by calls with an unknown outcome.
    pub reserved: u64,
    /// The amount by which the limit was raised.
    pub raised: u64,
    /// The limit that replaces the reservation's, if its [control](BudgetControl) has one.
    pub limit: Option<u64>,
    /// True if nothing may be reserved.
    pub paused: bool,
}

/// A host's change of a limit while it is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct BudgetControl {
    /// The budget's name.
    pub budget: Box<str>,
    /// The limit of the budget.
    pub limit: Box<str>,
    /// The unit.
    pub unit: BudgetUnit,
    /// True if nothing may be reserved.
    pub paused: bool,
    /// The limit that replaces the configured one.
    pub amount: Option<u64>,
}

/// One period of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct BudgetPeriod {
    /// The account.
    pub account: BudgetAccount,
    /// The start of the period.
    pub start: UnixMillis,
    /// The limit that the last reservation had.
    pub limit: u64,
    /// The sums of this period alone.
    pub balance: Balance,
}

/// The position of a period in the list of a tenant's periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct PeriodPosition {
    /// The [digest](BudgetAccount::digest) of the account.
    pub account: Digest,
    /// The start of the period.
    pub start: UnixMillis,
}

/// The outcome of a claim with reservations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the stores make it")]
pub enum ReserveOutcome {
    /// The outcome of the claim. If the claimant got the key, its amounts are reserved.
    Claimed {
        /// The outcome.
        outcome: ClaimOutcome,
        /// The balances with the reservations, in their order; empty if the claimant did not get the key.
        balances: Vec<Balance>,
    },
    /// At least one reservation does not fit: the balances, in the order of the reservations.
    Exceeded(Vec<Balance>),
}

/// The outcome of spending without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the stores make it")]
pub enum SpendOutcome {
    /// The amounts are spent: the balances with them, in their order.
    Spent(Vec<Balance>),
    /// At least one amount does not fit: the balances, in their order.
    Exceeded(Vec<Balance>),
}

/// The part of its reservations that an answered call has spent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_enums, reason = "a store that does not know a charge does not compile")]
pub enum Charge {
    /// All that was reserved.
    #[default]
    Reserved,
    /// Nothing: the call had no effect.
    Nothing,
    /// These amounts, each in the currency with this code, whether or not that much was reserved. In every other unit,
    /// what was reserved.
    Reported(Vec<(Box<str>, u64)>),
}

impl BudgetAccount {
    /// Returns a digest that is equal only for equal accounts.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let Self { tenant, budget, limit, scope, unit } = self;
        let mut parts = Vec::new();
        // Texts are written to memory without an error.
        drop(serde_json::to_writer(&mut parts, &(tenant, budget, limit, scope, unit.to_string())));
        Digest::compute("tool-runtime/budget-account/v1", &parts)
    }
}

impl BudgetPeriod {
    /// Returns the position after which a list goes on.
    #[must_use]
    pub fn position(&self) -> PeriodPosition {
        PeriodPosition { account: self.account.digest(), start: self.start }
    }
}

impl Balance {
    /// Returns the amount that is spent or reserved.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.spent.saturating_add(self.reserved)
    }

    /// Returns the limit in force, where the reservation has this one.
    #[must_use]
    pub fn limit(&self, configured: u64) -> u64 {
        self.limit.unwrap_or(configured).saturating_add(self.raised)
    }

    /// Returns the amount that may still be reserved, where the reservation has this limit.
    #[must_use]
    pub fn left(&self, configured: u64) -> u64 {
        if self.paused { 0 } else { self.limit(configured).saturating_sub(self.used()) }
    }

    /// Adds the sums of another period; the control stays.
    #[must_use]
    pub fn with_period(self, period: &Self) -> Self {
        Self {
            spent: self.spent.saturating_add(period.spent),
            reserved: self.reserved.saturating_add(period.reserved),
            raised: self.raised.saturating_add(period.raised),
            ..self
        }
    }
}

impl Reservation {
    /// Returns whether an amount fits into a balance that does not include it.
    #[must_use]
    pub fn fits(&self, amount: u64, balance: &Balance) -> bool {
        amount == 0 || (!balance.paused && (self.may_exceed || amount <= balance.left(self.limit)))
    }

    /// Returns the [digests](BudgetAccount::digest) of the accounts of reservations, in their order.
    #[must_use]
    pub fn account_digests(reservations: &[Self]) -> Vec<Digest> {
        reservations.iter().map(|reservation| reservation.account.digest()).collect()
    }
}

impl ReservationPeriod {
    /// Returns the period of a calendar window, which alone counts.
    #[must_use]
    pub fn calendar(start: UnixMillis, keep: Option<Duration>) -> Self {
        Self { start, since: start, keep }
    }

    /// Returns the starts of the first and of the last period that count against the limit; no last one for a rolling
    /// window: a clock may have been set back, and the amounts of its later periods count too.
    #[must_use]
    pub fn counted_starts(&self) -> (UnixMillis, Option<UnixMillis>) {
        let is_rolling = self.since < self.start;
        if is_rolling { (self.since, None) } else { (self.start, Some(self.start)) }
    }

    /// Returns whether a period with this start counts against the limit.
    #[must_use]
    pub fn counts(&self, start: UnixMillis) -> bool {
        let (first, last) = self.counted_starts();
        start >= first && last.is_none_or(|last| start <= last)
    }
}
