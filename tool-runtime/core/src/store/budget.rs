//! Stores what budgets have spent and reserved.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, ScopedKey, Settlement, StoreError,
    UnixMillis,
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

    /// Lists the periods of a tenant's accounts, at most `limit`, in a stable order, from the first after `after`.
    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<&BudgetPeriod>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError>;
}

/// The unit that a limit is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_enums, reason = "a store that does not know a unit does not compile")]
pub enum BudgetUnit {
    /// Calls, one by one.
    Calls,
    /// Money, in millionths of the currency's unit.
    Money(Currency),
}

/// A currency: its code of three letters, and the digits after its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency {
    code: [u8; 3],
    digits: u8,
}

/// The millionths of one unit of a currency, in which amounts of money are stored.
pub const MILLIONTHS: u64 = 1_000_000;

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
    /// The start of the period that the amount is taken from.
    pub start: UnixMillis,
    /// The start of the first period that counts against the limit: the same for a calendar window, an earlier one
    /// for a rolling window, of which a period is a part.
    pub since: UnixMillis,
    /// The time for which the period is stored; for ever if none.
    pub keep: Option<Duration>,
    /// The amount.
    pub amount: u64,
    /// The limit of all periods that count.
    pub limit: u64,
    /// True if the limit may be exceeded, which a person has allowed.
    pub may_exceed: bool,
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

impl Currency {
    /// Creates a currency from its code and the digits after its point; none if the code is not three capital letters,
    /// or the digits are more than six.
    #[must_use]
    pub fn new(code: &str, digits: u8) -> Option<Self> {
        let code: [u8; 3] = code.as_bytes().try_into().ok()?;
        let is_valid = code.iter().all(u8::is_ascii_uppercase) && digits <= 6;
        is_valid.then_some(Self { code, digits })
    }

    /// Returns the code, such as `EUR`.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.code).unwrap_or_default()
    }

    /// Returns the digits after the point, such as 2.
    #[must_use]
    pub const fn digits(self) -> u8 {
        self.digits
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// The form that a store keeps: `calls`, or the currency with its digits, such as `EUR/2`.
impl fmt::Display for BudgetUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls => f.write_str("calls"),
            Self::Money(currency) => write!(f, "{}/{}", currency.code(), currency.digits),
        }
    }
}

/// The text is no unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a unit of a budget: expected `calls`, or a currency with its digits such as `EUR/2`")]
#[non_exhaustive]
pub struct InvalidUnit;

impl FromStr for BudgetUnit {
    type Err = InvalidUnit;

    fn from_str(text: &str) -> Result<Self, InvalidUnit> {
        if text == "calls" {
            return Ok(Self::Calls);
        }
        let (code, digits) = text.split_once('/').ok_or(InvalidUnit)?;
        let digits = digits.parse().map_err(|_| InvalidUnit)?;
        Currency::new(code, digits).map(Self::Money).ok_or(InvalidUnit)
    }
}

impl BudgetUnit {
    /// Returns the name that people and envelopes have for it: `calls`, or the currency's code.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Calls => "calls",
            Self::Money(currency) => currency.code(),
        }
    }

    /// Writes an amount for a person: `3 calls`, `40.00 EUR`.
    #[must_use]
    pub fn format(self, amount: u64) -> String {
        let Self::Money(currency) = self else {
            return format!("{amount} {}", if amount == 1 { "call" } else { "calls" });
        };
        format!("{} {}", self.format_number(amount), currency.code())
    }

    /// Writes an amount without its unit: `3`, `40.00`.
    #[must_use]
    pub fn format_number(self, amount: u64) -> String {
        let Self::Money(currency) = self else { return amount.to_string() };
        let (whole, part) = (amount / MILLIONTHS, amount % MILLIONTHS);
        let digits = format!("{part:06}");
        let significant = digits.trim_end_matches('0').len().max(usize::from(currency.digits));
        match significant {
            0 => whole.to_string(),
            _ => format!("{whole}.{}", &digits[..significant]),
        }
    }
}

impl BudgetAccount {
    /// Returns a digest that is equal only for equal accounts.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let Self { tenant, budget, limit, scope, unit } = self;
        let (tenant, unit) = (tenant.to_string(), unit.to_string());
        let parts = serde_json::json!([tenant, budget, limit, scope, unit]).to_string();
        Digest::compute("tool-runtime/budget-account/v1", parts.as_bytes())
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

    /// Returns whether a period counts against the limit.
    #[must_use]
    pub fn counts(&self, start: UnixMillis) -> bool {
        start == self.start || (self.since < self.start && start >= self.since)
    }
}
