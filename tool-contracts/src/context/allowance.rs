//! Allowances: limits on spending that a context carries.

use schemars::JsonSchema;
use serde::{Serialize, de::Error as _};

use crate::{
    ContractError,
    contract_error::Problems,
    hidden::VISIBLE,
    wire::{self, reads, words},
};

/// The form of an amount: `20.00 EUR` or `20 calls`.
const AMOUNT: &str = r"^([0-9]{1,12}(\.[0-9]{1,6})? [A-Z]{3}|[0-9]{1,12} calls)$";

const NOT_AN_AMOUNT: &str = "expected an amount of money such as `20.00 EUR`, with at most 12 digits before the point \
                             and 6 after it, or a number of calls such as `20 calls`";

const MAX_NAME_LENGTH: usize = 128;

/// A limit on what the calls of a context spend, in addition to the budgets of the host.
///
/// A host gives it to a sub-agent, a job or a remote caller. The contexts that are made from this one have it too, and
/// can only get further ones: a part is never larger than the whole. Calls of one tenant whose contexts have an
/// allowance of the same name share its sum.
///
/// ```
/// use tool_contracts::{Allowance, AllowancePeriod, ToolContext};
///
/// let job = Allowance::new("job-17", "20.00 EUR")?;
/// let daily = Allowance::new("reporter", "100 calls")?.per(AllowancePeriod::Day);
/// let cx = ToolContext::local().with_allowance(job)?.with_allowance(daily)?;
/// assert_eq!(cx.allowances().len(), 2);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("allowance"))]
pub struct Allowance {
    /// The name of the sum.
    #[schemars(length(min = 1, max = 128), extend("pattern" = VISIBLE))]
    name: String,
    /// The most that the calls spend: an amount of money, or a number of calls.
    #[schemars(extend("pattern" = AMOUNT))]
    amount: String,
    /// The time in which they spend it.
    #[serde(skip_serializing_if = "AllowancePeriod::is_lifetime")]
    #[schemars(with = "Option<AllowancePeriod>")]
    period: AllowancePeriod,
}

/// The time in which the calls of an allowance spend its amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("allowance_period"))]
#[allow(clippy::exhaustive_enums, reason = "a limit that does not know a period does not compile")]
pub enum AllowancePeriod {
    /// For ever.
    #[default]
    Lifetime,
    /// An hour of the clock.
    Hour,
    /// A day of the calendar.
    Day,
    /// A week of the calendar, from Monday.
    Week,
    /// A month of the calendar.
    Month,
}

words!(AllowancePeriod {
    Lifetime = "lifetime",
    Hour = "hour",
    Day = "day",
    Week = "week",
    Month = "month"
});

impl AllowancePeriod {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field so")]
    fn is_lifetime(&self) -> bool {
        *self == Self::Lifetime
    }
}

impl Allowance {
    /// Creates an allowance for ever: `20.00 EUR` or `20 calls`.
    ///
    /// # Errors
    /// Returns an error if the name is empty, has hidden characters or more than 128 characters, or the amount does not
    /// have one of these forms.
    pub fn new(name: impl Into<String>, amount: impl Into<String>) -> Result<Self, ContractError> {
        let period = AllowancePeriod::default();
        Self { name: name.into(), amount: amount.into(), period }.checked()
    }

    /// Sets the time in which the amount is spent; each period has the whole amount.
    #[must_use]
    pub fn per(self, period: AllowancePeriod) -> Self {
        Self { period, ..self }
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("Allowance");
        problems.filled("name", Some(&self.name));
        problems.visible("name", Some(&self.name));
        let fits = self.name.chars().count() <= MAX_NAME_LENGTH;
        problems.check(fits, "name", "expected at most 128 characters");
        problems.check(is_amount(&self.amount), "amount", NOT_AN_AMOUNT);
        problems.finish().map(|()| self)
    }

    /// Returns the name of the sum.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the amount: `20.00 EUR` or `20 calls`.
    #[must_use]
    pub fn amount(&self) -> &str {
        &self.amount
    }

    /// Returns the time in which it is spent.
    #[must_use]
    pub const fn period(&self) -> AllowancePeriod {
        self.period
    }
}

fn is_amount(text: &str) -> bool {
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some((number, unit)) = text.split_once(' ') else { return false };
    if unit == "calls" {
        return digits(number, 12);
    }
    let is_code = unit.len() == 3 && unit.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code
        && match number.split_once('.') {
            Some((whole, part)) => digits(whole, 12) && digits(part, 6),
            None => digits(number, 12),
        }
}

reads! {
    Allowance, "an allowance";
    required name = "name", leaf wire::FilledText;
    required amount = "amount", leaf wire::Text;
    optional period = "period", nested AllowancePeriod;
    => Allowance { name, amount, period: period.unwrap_or_default() }
        .checked()
        .map_err(|error| A::Error::custom(error.listed()))
}
