//! The part of a budget that a call has taken.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads, write_time},
};

const NOT_AN_AMOUNT: &str =
    "expected digits, with a point and more digits where the unit has parts, such as `40.00`";

/// The part of a budget that a call has taken, and what is left of it.
///
/// Amounts are texts with a decimal number, such as `40.00`: no reader rounds them. `left` and `total`
/// are from when the amount was reserved, and other calls change them at any time.
///
/// ```
/// use tool_contracts::BudgetUse;
///
/// let taken = BudgetUse::new("shopping", "day", "EUR", "40.00", "80.00", "120.00")?;
/// assert_eq!(taken.left(), "80.00");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("budget_use"))]
pub struct BudgetUse {
    /// The budget's name.
    #[schemars(length(min = 1))]
    budget: String,
    /// The limit of the budget, such as `day`.
    #[schemars(length(min = 1))]
    limit: String,
    /// The unit: the code of a currency, or `calls`.
    #[schemars(length(min = 1))]
    unit: String,
    /// The amount that this call has taken.
    #[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?$"))]
    taken: String,
    /// The amount that was left after it.
    #[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?$"))]
    left: String,
    /// The limit in force.
    #[schemars(regex(pattern = r"^[0-9]+(\.[0-9]+)?$"))]
    total: String,
    /// The time at which a window of the calendar ends, and the whole amount is there again.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "write_optional_time")]
    #[schemars(extend("pattern" = wire::WITH_OFFSET))]
    renews_at: Option<DateTime<Utc>>,
}

#[allow(clippy::ref_option, reason = "serde passes the field so")]
fn write_optional_time<S: Serializer>(
    time: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => write_time(time, serializer),
        None => serializer.serialize_none(),
    }
}

impl BudgetUse {
    /// Creates the use of a limit.
    ///
    /// # Errors
    /// Returns an error if a name is empty, or an amount is no decimal number.
    pub fn new(
        budget: impl Into<String>,
        limit: impl Into<String>,
        unit: impl Into<String>,
        taken: impl Into<String>,
        left: impl Into<String>,
        total: impl Into<String>,
    ) -> Result<Self, ContractError> {
        let (budget, limit, unit) = (budget.into(), limit.into(), unit.into());
        let (taken, left, total) = (taken.into(), left.into(), total.into());
        Self { budget, limit, unit, taken, left, total, renews_at: None }.checked()
    }

    /// Sets the time at which a window of the calendar ends.
    ///
    /// # Errors
    /// Returns an error if the year does not have four digits.
    pub fn with_renews_at(self, time: DateTime<Utc>) -> Result<Self, ContractError> {
        Self { renews_at: Some(time), ..self }.checked()
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("BudgetUse");
        problems.filled("budget", Some(&self.budget));
        problems.filled("limit", Some(&self.limit));
        problems.filled("unit", Some(&self.unit));
        for (field, amount) in
            [("taken", &self.taken), ("left", &self.left), ("total", &self.total)]
        {
            problems.check(is_amount(amount), field, NOT_AN_AMOUNT);
        }
        if let Some(time) = &self.renews_at {
            problems.writable("renews_at", time);
        }
        problems.finish().map(|()| self)
    }

    /// Returns the budget's name.
    #[must_use]
    pub fn budget(&self) -> &str {
        &self.budget
    }

    /// Returns the limit of the budget, such as `day`.
    #[must_use]
    pub fn limit(&self) -> &str {
        &self.limit
    }

    /// Returns the unit: the code of a currency, or `calls`.
    #[must_use]
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Returns the amount that the call has taken.
    #[must_use]
    pub fn taken(&self) -> &str {
        &self.taken
    }

    /// Returns the amount that was left after it.
    #[must_use]
    pub fn left(&self) -> &str {
        &self.left
    }

    /// Returns the limit in force.
    #[must_use]
    pub fn total(&self) -> &str {
        &self.total
    }

    /// Returns the time at which a window of the calendar ends.
    #[must_use]
    pub const fn renews_at(&self) -> Option<DateTime<Utc>> {
        self.renews_at
    }
}

/// Returns whether a text is a decimal number without a sign.
fn is_amount(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part),
        None => digits(text),
    }
}

reads! {
    BudgetUse, "the use of a budget";
    required budget = "budget", leaf wire::FilledText;
    required limit = "limit", leaf wire::FilledText;
    required unit = "unit", leaf wire::FilledText;
    required taken = "taken", leaf wire::Text;
    required left = "left", leaf wire::Text;
    required total = "total", leaf wire::Text;
    optional renews_at = "renews_at", leaf wire::Instant;
    => BudgetUse { budget, limit, unit, taken, left, total, renews_at }
        .checked()
        .map_err(wire::refused)
}
