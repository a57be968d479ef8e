//! Money in whole minor units, and the only two places that multiply it: shares and exchange.

use std::collections::HashMap;
use std::fmt;

use iso_currency::Currency;
use tool_runtime::budgets::MoneyAmount;
use tool_runtime::prelude::*;

/// An ISO 4217 code.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Z]{3}$"))]
pub(crate) struct CurrencyCode(Currency);

/// An amount of money, exact.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Money {
    /// Whole minor units: 12345 is USD 123.45, and JPY 12345.
    minor_units: i64,
    /// The ISO 4217 code.
    currency: CurrencyCode,
}

/// A budget counts it.
impl MoneyAmount for Money {}

/// A part of an amount, in millionths: 8.25 % is 82,500.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share(i64);

/// The value of one euro on a day, in millionths.
#[derive(Debug)]
pub(crate) struct Exchange {
    date: String,
    per_euro: HashMap<CurrencyCode, i64>,
}

/// The precision of shares and rates.
const MILLION: i64 = 1_000_000;

impl CurrencyCode {
    pub(crate) const USD: Self = Self(Currency::USD);
    #[cfg(test)]
    pub(crate) const EUR: Self = Self(Currency::EUR);
    #[cfg(test)]
    pub(crate) const JPY: Self = Self(Currency::JPY);

    /// Returns the digits after the decimal point.
    fn digits(self) -> u16 {
        self.0.exponent().unwrap_or_default()
    }

    fn minor_units_in_one(self) -> i128 {
        10_i128.pow(self.digits().into())
    }
}

impl TryFrom<String> for CurrencyCode {
    type Error = &'static str;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        let divided = |currency: &Currency| currency.exponent().is_some();
        let known = Currency::from_code(&code).filter(divided);
        known.map(Self).ok_or("expected the ISO 4217 code of a currency")
    }
}

impl From<CurrencyCode> for String {
    fn from(code: CurrencyCode) -> Self {
        code.0.code().to_owned()
    }
}

impl Money {
    pub(crate) fn new(minor_units: i64, currency: CurrencyCode) -> Self {
        Self { minor_units, currency }
    }

    /// Makes an amount of whole dollars.
    pub(crate) fn dollars(dollars: i64) -> Self {
        Self::new(dollars * 100, CurrencyCode::USD)
    }

    pub(crate) fn currency(self) -> CurrencyCode {
        self.currency
    }

    pub(crate) fn minor_units(self) -> i64 {
        self.minor_units
    }

    /// Adds amounts that are all of this currency.
    pub(crate) fn sum(currency: CurrencyCode, amounts: impl IntoIterator<Item = Self>) -> Self {
        let minor_units = amounts.into_iter().map(|amount| {
            debug_assert_eq!(amount.currency, currency, "amounts of one currency");
            amount.minor_units
        });
        let minor_units = minor_units.sum();
        Self { minor_units, currency }
    }

    /// Multiplies by a whole number.
    pub(crate) fn times(self, times: i64) -> Self {
        Self { minor_units: self.minor_units * times, ..self }
    }

    /// Returns a share of the amount, rounded half to even, as tax tables require.
    pub(crate) fn share(self, share: Share) -> Self {
        let minor_units =
            rounded(i128::from(self.minor_units) * i128::from(share.0), i128::from(MILLION));
        Self { minor_units, ..self }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, digits) = (self.currency.0.code(), usize::from(self.currency.digits()));
        let sign = if self.minor_units < 0 { "-" } else { "" };
        let all = format!("{:0>width$}", self.minor_units.unsigned_abs(), width = digits + 1);
        let (whole, part) = all.split_at(all.len() - digits);
        let point = if digits == 0 { "" } else { "." };
        write!(f, "{code} {sign}{whole}{point}{part}")
    }
}

impl Share {
    /// Reads a fraction such as 0.0825; none if it is not one, or has more than six digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        millionths(text).map(Self)
    }

    /// Makes a share from hundredths of a per cent.
    pub(crate) const fn basis_points(points: i64) -> Self {
        Self(points * 100)
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:04}", self.0 / 10_000, self.0 % 10_000);
        write!(f, "{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Exchange {
    /// Creates the rates of a day from the value of one euro; obsolete codes are omitted.
    pub(crate) fn new<'t>(
        date: &str,
        rates: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Option<Self> {
        let rate = |(code, rate): (&str, &str)| {
            Some((CurrencyCode::try_from(code.to_owned()).ok()?, millionths(rate)?))
        };
        let per_euro = rates.into_iter().map(rate).collect::<Option<_>>()?;
        Some(Self { date: date.to_owned(), per_euro })
    }

    /// Returns the day of the rates.
    pub(crate) fn date(&self) -> &str {
        &self.date
    }

    /// Converts an amount, rounded half to even; `None` if there is no rate.
    pub(crate) fn convert(&self, amount: Money, to: CurrencyCode) -> Option<Money> {
        let from = amount.currency;
        if from == to {
            return Some(amount);
        }
        let (rate_from, rate_to) = (*self.per_euro.get(&from)?, *self.per_euro.get(&to)?);
        let worth = i128::from(amount.minor_units) * i128::from(rate_to) * to.minor_units_in_one();
        let minor_units = rounded(worth, i128::from(rate_from) * from.minor_units_in_one());
        Some(Money { minor_units, currency: to })
    }
}

/// Reads an unsigned decimal into millionths, exactly.
fn millionths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return None;
    }
    let part: i64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(MILLION)?.checked_add(part)
}

/// Divides, rounded half to even; the divisor is positive. Saturates at the bounds of `i64`.
fn rounded(dividend: i128, divisor: i128) -> i64 {
    let (quotient, rest) = (dividend.div_euclid(divisor), dividend.rem_euclid(divisor));
    let up = match (rest * 2).cmp(&divisor) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => quotient % 2 != 0,
        std::cmp::Ordering::Greater => true,
    };
    let nearest = quotient + i128::from(up);
    i64::try_from(nearest).unwrap_or(if nearest < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn share(text: &str) -> Share {
        Share::parse(text).expect("a fraction")
    }

    #[test]
    fn a_share_is_rounded_half_to_even() {
        let of = |minor| Money::new(minor, CurrencyCode::USD).share(share("0.05")).minor_units();
        assert_eq!([of(10), of(30), of(31), of(-30)], [0, 2, 2, -2]);
    }

    #[test]
    fn an_amount_is_written_with_the_digits_of_its_currency() {
        let written = |minor, code| Money::new(minor, code).to_string();
        assert_eq!(written(5, CurrencyCode::USD), "USD 0.05");
        assert_eq!(written(-123_456, CurrencyCode::EUR), "EUR -1234.56");
        assert_eq!(written(1_234, CurrencyCode::JPY), "JPY 1234");
    }

    #[test]
    fn an_exchange_keeps_the_digits_of_both_currencies() {
        let day = Exchange::new("a day", [("USD", "1.25"), ("JPY", "150"), ("EUR", "1")]);
        let day = day.expect("rates");
        let converted = day.convert(Money::dollars(10), CurrencyCode::JPY).expect("a rate");
        assert_eq!(converted, Money::new(1_200, CurrencyCode::JPY));
        let back = day.convert(converted, CurrencyCode::USD).expect("a rate");
        assert_eq!(back, Money::dollars(10));
    }

    #[test]
    fn a_text_that_is_no_plain_decimal_is_no_share() {
        for text in ["", ".5", "-0.1", "1e-2", "0.1234567", "0,1"] {
            assert_eq!(Share::parse(text), None, "{text}");
        }
        assert_eq!(share("0.06875").to_string(), "6.875 %");
    }

    #[test]
    fn a_code_that_is_no_divided_currency_is_refused() {
        for code in ["EURO", "eur", "XAU", "ZZZ"] {
            assert!(CurrencyCode::try_from(code.to_owned()).is_err(), "{code}");
        }
    }
}
