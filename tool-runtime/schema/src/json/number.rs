//! Exact values of JSON numbers of any size.

/// A number as significant digits times a power of ten.
///
/// The digits have no leading or trailing zeros; no digits mean zero.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    negative: bool,
    head: &'t [u8],
    tail: &'t [u8],
    exponent: i64,
}

/// Returns whether an integer fits into 64 bits, with or without a sign.
#[must_use]
pub fn fits_64_bits(digits: &str) -> bool {
    digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok()
}

/// Limit of exponents, beyond all relevant ones and far from overflow.
const MAX_EXPONENT: i64 = 1 << 40;

impl<'t> Decimal<'t> {
    /// Parses the text of a JSON number.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let (negative, bytes) = match bytes.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, bytes),
        };
        let (mantissa, power) = match bytes.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&bytes[..at], exponent(&bytes[at + 1..])),
            None => (bytes, 0),
        };
        let (head, tail) = match mantissa.iter().position(|byte| *byte == b'.') {
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
            None => (mantissa, &[][..]),
        };
        Self { negative, head, tail, exponent: power - length(tail) }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        self.head = without_leading(self.head);
        if self.head.is_empty() {
            self.tail = without_leading(self.tail);
        }
        let before = length(self.head) + length(self.tail);
        self.tail = without_trailing(self.tail);
        if self.tail.is_empty() {
            self.head = without_trailing(self.head);
        }
        self.exponent += before - length(self.head) - length(self.tail);
        if self.is_zero() { Self { exponent: 0, ..self } } else { self }
    }

    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// The power of ten.
    #[must_use]
    pub const fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The significant digits as ASCII bytes.
    pub fn digits(&self) -> impl Iterator<Item = u8> + 't {
        self.head.iter().chain(self.tail).copied()
    }

    /// Returns whether both numbers are equal.
    #[must_use]
    pub fn same(&self, other: &Decimal<'_>) -> bool {
        self.exponent == other.exponent
            && (self.negative == other.negative || self.is_zero())
            && self.digits().eq(other.digits())
    }

    /// The digits as an integer, without sign and exponent, if they fit.
    #[must_use]
    pub fn mantissa(&self) -> Option<u128> {
        self.digits().try_fold(0_u128, |sum, digit| {
            sum.checked_mul(10)?.checked_add(u128::from(digit - b'0'))
        })
    }

    /// The absolute value, if it is an integer that fits.
    #[must_use]
    pub fn magnitude(&self) -> Option<u128> {
        let places = u32::try_from(self.exponent).ok()?;
        self.mantissa()?.checked_mul(10_u128.checked_pow(places)?)
    }

    /// The value, if it is an integer that fits.
    #[must_use]
    pub fn to_i128(self) -> Option<i128> {
        let value = i128::try_from(self.magnitude()?).ok()?;
        Some(if self.negative { -value } else { value })
    }
}

fn exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let size = digits.iter().fold(0, |sum: i64, digit| {
        (sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'))).min(MAX_EXPONENT)
    });
    if negative { -size } else { size }
}

fn length(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(MAX_EXPONENT)
}

fn without_leading(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

fn without_trailing(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    &digits[..digits.len() - zeros]
}
