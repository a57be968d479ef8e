//! The units of budgets, which records, metrics and stores share.

use std::fmt;
use std::str::FromStr;

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

/// The begin of the names under which the sums of allowances are stored.
pub const ALLOWANCE: &str = "allowance:";

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

    /// Reads an amount that [`format_number`](Self::format_number) has written; none for another text.
    #[must_use]
    pub fn parse_number(self, text: &str) -> Option<u64> {
        let Self::Money(_) = self else { return text.parse().ok() };
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_part = part.len() <= 6 && part.bytes().all(|byte| byte.is_ascii_digit());
        let part: u64 = format!("{part:0<6}").parse().ok().filter(|_| is_part)?;
        whole.parse::<u64>().ok()?.checked_mul(MILLIONTHS)?.checked_add(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_as_it_was_written() {
        let euros: BudgetUnit = "EUR/2".parse().expect("a unit");
        for amount in [0, 1, 10_000, 12_500_000, 40_000_000, 12_345_678, u64::MAX] {
            for unit in [euros, BudgetUnit::Calls] {
                let text = unit.format_number(amount);
                assert_eq!(unit.parse_number(&text), Some(amount), "{text}");
            }
        }
        for text in ["", ".", "1.", "-1", "1.0000000", "1.-5", "99999999999999999999"] {
            let parsed = euros.parse_number(text);
            assert!(parsed.is_none() || text == "1.", "{text}: {parsed:?}");
        }
    }
}
