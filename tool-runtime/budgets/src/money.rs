//! Exact amounts of money, as arguments and as limits.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use iso_currency::Currency as IsoCurrency;
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tool_runtime_core::store::{BudgetUnit, Currency, MILLIONTHS};

/// The most digits after the point of an amount: budgets count in millionths.
const MAX_SCALE: u32 = 6;

/// The most significant digits of a JSON number that every reader reads alike.
const MAX_NUMBER_DIGITS: usize = 15;

/// An exact amount of money in a currency of ISO 4217, such as `12.50 EUR`.
///
/// As an argument of a tool it is an object: `{"amount": "12.50", "currency": "EUR"}`.
///
/// ```
/// use tool_runtime::budgets::Money;
///
/// let price: Money = "12.50 EUR".parse()?;
/// assert_eq!((price.currency(), price.to_string()), ("EUR", "12.50 EUR".to_owned()));
/// assert!("12.50 XXY".parse::<Money>().is_err());
/// # Ok::<(), tool_runtime::budgets::InvalidAmount>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    amount: Decimal,
    currency: IsoCurrency,
}

/// The reason why a text is no amount that a budget can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidAmount {
    /// It is no decimal number.
    #[error("expected digits, with a point and at most six more: `12.50`")]
    NotDecimal,
    /// It is less than zero.
    #[error("expected zero or more")]
    Negative,
    /// It has more than six digits after the point.
    #[error("expected at most six digits after the point")]
    TooPrecise,
    /// It is greater than a store can count: 9 trillion.
    #[error("expected at most 9223372036854.775807")]
    TooGreat,
    /// A JSON number that readers may round.
    #[error("a JSON number of more than 15 digits may be rounded: write it as text")]
    Rounded,
    /// No currency has this code.
    #[error("expected a currency of ISO 4217, such as `EUR`")]
    UnknownCurrency,
    /// The amount has no unit.
    #[error("expected an amount and its unit: `12.50 EUR`, `20 calls`")]
    NoUnit,
}

impl Money {
    /// Creates an amount of money.
    ///
    /// # Errors
    /// Returns an error if no currency has the code, or a budget cannot count the amount.
    pub fn new(amount: Decimal, currency: &str) -> Result<Self, InvalidAmount> {
        millionths(amount)?;
        Ok(Self { amount, currency: iso(currency)? })
    }

    /// Returns the amount.
    #[must_use]
    pub const fn amount(&self) -> Decimal {
        self.amount
    }

    /// Returns the code of the currency, such as `EUR`.
    #[must_use]
    pub fn currency(&self) -> &'static str {
        self.currency.code()
    }

    /// Returns the amount in millionths; an amount that was checked has them.
    pub(crate) fn millionths(&self) -> u64 {
        millionths(self.amount).unwrap_or(u64::MAX)
    }

    pub(crate) fn unit(&self) -> Option<BudgetUnit> {
        unit_of(self.currency)
    }
}

impl FromStr for Money {
    type Err = InvalidAmount;

    fn from_str(text: &str) -> Result<Self, InvalidAmount> {
        let (amount, currency) = text.trim().split_once(' ').ok_or(InvalidAmount::NoUnit)?;
        Self::new(decimal(amount)?, currency.trim())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency())
    }
}

/// The form of an argument.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoneyFields {
    amount: String,
    currency: String,
}

impl Serialize for Money {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (amount, currency) = (self.amount.to_string(), self.currency().to_owned());
        MoneyFields { amount, currency }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let MoneyFields { amount, currency } = MoneyFields::deserialize(from)?;
        let money = decimal(&amount).and_then(|amount| Self::new(amount, &currency));
        money.map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Money {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        "tool_runtime_budgets::Money".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "amount": {
                    "type": "string",
                    "description": "The amount, exact: digits, and a point with at most six more.",
                    "pattern": r"^[0-9]{1,13}(\.[0-9]{1,6})?$",
                },
                "currency": {
                    "type": "string",
                    "description": "The currency by ISO 4217.",
                    "pattern": "^[A-Z]{3}$",
                },
            },
            "required": ["amount", "currency"],
            "additionalProperties": false,
        })
    }
}

fn iso(code: &str) -> Result<IsoCurrency, InvalidAmount> {
    IsoCurrency::from_code(code).ok_or(InvalidAmount::UnknownCurrency)
}

/// Returns the unit in which budgets count a currency; none for a code of ISO 4217 that is no money.
fn unit_of(currency: IsoCurrency) -> Option<BudgetUnit> {
    let digits = currency.exponent().unwrap_or(0).min(6);
    Currency::new(currency.code(), u8::try_from(digits).ok()?).map(BudgetUnit::Money)
}

/// Returns the unit of a currency's code.
pub(crate) fn unit(code: &str) -> Result<BudgetUnit, InvalidAmount> {
    unit_of(iso(code)?).ok_or(InvalidAmount::UnknownCurrency)
}

/// Reads an amount as it is written in a text.
pub(crate) fn decimal(text: &str) -> Result<Decimal, InvalidAmount> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    if !is_plain {
        return Err(InvalidAmount::NotDecimal);
    }
    Decimal::from_str_exact(text).map_err(|_| InvalidAmount::NotDecimal)
}

/// Reads an amount as it is written as a JSON number, if each reader of it gets the same one.
pub(crate) fn json_number(text: &str) -> Result<Decimal, InvalidAmount> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits > MAX_NUMBER_DIGITS {
        return Err(InvalidAmount::Rounded);
    }
    decimal(text)
}

/// Converts an amount to millionths, without rounding.
pub(crate) fn millionths(amount: Decimal) -> Result<u64, InvalidAmount> {
    if amount.is_sign_negative() && !amount.is_zero() {
        return Err(InvalidAmount::Negative);
    }
    let amount = amount.normalize();
    if amount.scale() > MAX_SCALE {
        return Err(InvalidAmount::TooPrecise);
    }
    let millionths = amount.checked_mul(Decimal::from(MILLIONTHS)).map(|it| it.normalize());
    let millionths = millionths.and_then(|it| u64::try_from(it.mantissa()).ok());
    millionths.filter(|it| i64::try_from(*it).is_ok()).ok_or(InvalidAmount::TooGreat)
}

/// Converts minor units, such as cents, to millionths of the currency's unit.
pub(crate) fn from_minor_units(unit: BudgetUnit, minor: u64) -> Result<u64, InvalidAmount> {
    let BudgetUnit::Money(currency) = unit else { return Ok(minor) };
    let each = MILLIONTHS / 10_u64.pow(u32::from(currency.digits()));
    let amount = minor.checked_mul(each).filter(|it| i64::try_from(*it).is_ok());
    amount.ok_or(InvalidAmount::TooGreat)
}

/// Reads the amount of a limit: `500.00 EUR`, `20 calls`.
pub(crate) fn limit(text: &str) -> Result<(BudgetUnit, u64), InvalidAmount> {
    let (amount, unit_text) = text.trim().split_once(' ').ok_or(InvalidAmount::NoUnit)?;
    if let "calls" | "call" = unit_text.trim() {
        return match amount.parse::<u64>() {
            Ok(calls) if i64::try_from(calls).is_ok() => Ok((BudgetUnit::Calls, calls)),
            Ok(_) | Err(_) => Err(InvalidAmount::NotDecimal),
        };
    }
    Ok((unit(unit_text.trim())?, millionths(decimal(amount)?)?))
}

/// A decimal number that holds an amount without rounding it: `#[arg(spends = "EUR")]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no exact amount of money",
    label = "a float rounds, and a text is not checked",
    note = "use `tool_runtime::budgets::Decimal`; for whole cents write an unsigned integer and `minor_units`"
)]
pub trait DecimalAmount {}

impl DecimalAmount for Decimal {}
impl<T: DecimalAmount> DecimalAmount for Option<T> {}

/// The form of an argument with whole units.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MinorUnitFields {
    minor_units: u64,
    currency: String,
}

/// Reads an amount with its currency from JSON: a text, or an object of one of the two forms.
pub(crate) fn amount_of(json: &str) -> Result<(BudgetUnit, u64), InvalidAmount> {
    if let Ok(MinorUnitFields { minor_units, currency }) = serde_json::from_str(json) {
        let unit = unit(&currency)?;
        return Ok((unit, from_minor_units(unit, minor_units)?));
    }
    let money: Money = match serde_json::from_str::<Cow<'_, str>>(json) {
        Ok(text) => text.parse()?,
        Err(_) => serde_json::from_str(json).map_err(|_| InvalidAmount::NotDecimal)?,
    };
    Ok((money.unit().ok_or(InvalidAmount::UnknownCurrency)?, money.millionths()))
}

/// An amount with its currency: `#[arg(spends)]`.
///
/// [`Money`] is one. A type of your own whose JSON is `{"amount": "12.50", "currency": "EUR"}` or
/// `{"minor_units": 1250, "currency": "EUR"}` implements it:
///
/// ```
/// use tool_runtime::budgets::MoneyAmount;
/// use tool_runtime::prelude::*;
///
/// /// A price.
/// #[ai_type]
/// struct Price {
///     /// The amount in cents.
///     minor_units: u64,
///     /// The currency.
///     currency: String,
/// }
///
/// impl MoneyAmount for Price {}
/// ```
///
/// A call with an amount in another form is refused.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no currency",
    label = "an amount without its currency",
    note = "use `tool_runtime::budgets::Money`, or name the currency: `spends = \"EUR\"`"
)]
pub trait MoneyAmount {}

impl MoneyAmount for Money {}
impl<T: MoneyAmount> MoneyAmount for Option<T> {}

/// An integer that counts the smallest units of a currency, such as cents: `minor_units`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` counts no minor units",
    label = "not an unsigned integer",
    note = "`minor_units` is for `u8`, `u16`, `u32` and `u64`"
)]
pub trait MinorUnits {}

impl MinorUnits for u8 {}
impl MinorUnits for u16 {}
impl MinorUnits for u32 {}
impl MinorUnits for u64 {}
impl<T: MinorUnits> MinorUnits for Option<T> {}
