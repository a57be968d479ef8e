//! Numbers: precision of the type that reads them, and comparison with bounds.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Number;

use crate::json::{Decimal, JsonNode, JsonView};

/// The type that reads a number, which decides how many digits are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum NumberReader {
    /// Untyped: digits alone as a 64-bit integer, anything else as a 64-bit float.
    #[default]
    Any,
    Integer(IntegerWidth),
    Double,
    Single,
}

/// The range of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerWidth {
    signed: bool,
    bits: u8,
}

impl IntegerWidth {
    /// Everything from the least `i64` to the greatest `u64`.
    #[doc(hidden)]
    pub const WIDEST: Self = Self { signed: true, bits: 65 };

    /// The range that a schema's `format` names.
    #[must_use]
    #[doc(hidden)]
    pub fn named(format: &str) -> Option<Self> {
        let (signed, bits) = match format.strip_prefix('u') {
            Some(rest) => (false, rest.strip_prefix("int")?),
            None => (true, format.strip_prefix("int")?),
        };
        let bits = match bits {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "" | "64" => 64,
            "128" => 128,
            _ => return None,
        };
        Some(Self { signed, bits })
    }

    #[must_use]
    #[doc(hidden)]
    pub const fn min(self) -> i128 {
        match (self.signed, self.bits) {
            (false, _) => 0,
            (true, 65) => i64::MIN as i128,
            (true, bits) => i128::MIN >> (128 - bits),
        }
    }

    #[must_use]
    #[doc(hidden)]
    pub const fn max(self) -> u128 {
        match (self.signed, self.bits) {
            (true, 65) => u64::MAX as u128,
            (true, bits) => i128::MAX.unsigned_abs() >> (128 - bits),
            (false, bits) => u128::MAX >> (128 - bits),
        }
    }

    /// Returns whether the number is in the range.
    fn contains(self, number: &Decimal<'_>) -> bool {
        let Some(value) = number.magnitude() else { return false };
        if number.is_negative() { value <= self.min().unsigned_abs() } else { value <= self.max() }
    }

    /// Returns whether every value of the type is at least `limit`.
    pub(super) fn is_at_least(self, limit: &NumericLimit) -> bool {
        limit.order(NumberValue::Integer(self.min())) != Ordering::Less
    }

    /// Returns whether every value of the type is at most `limit`.
    pub(super) fn is_at_most(self, limit: &NumericLimit) -> bool {
        let max = i128::try_from(self.max()).unwrap_or(i128::MAX);
        limit.order(NumberValue::Integer(max)) != Ordering::Greater
    }
}

impl NumberReader {
    /// Returns whether the number is read without losing digits.
    pub(super) fn keeps(self, view: JsonView<'_>, node: &JsonNode) -> bool {
        match self {
            Self::Double => !node.is_wide() || keeps_double(view.raw(node)),
            Self::Single => keeps_single(view.raw(node)),
            Self::Integer(IntegerWidth::WIDEST) | Self::Any if !node.is_wide() => true,
            Self::Integer(width) => width.contains(&view.decimal(node)),
            Self::Any if node.is_digits() => IntegerWidth::WIDEST.contains(&view.decimal(node)),
            Self::Any => keeps_double(view.raw(node)),
        }
    }

    /// Returns whether every number of up to 15 digits without exponent is read exactly.
    pub(super) const fn keeps_plain(self) -> bool {
        matches!(self, Self::Any | Self::Double | Self::Integer(IntegerWidth::WIDEST))
    }

    /// Describes the accepted numbers.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Integer(width) => {
                format!("an integer from {} to {}", width.min(), width.max())
            }
            Self::Double => "a number that a 64-bit float represents exactly".to_owned(),
            Self::Single => "a number that a 32-bit float represents exactly".to_owned(),
            Self::Any => "a number that 64 bits represent exactly".to_owned(),
        }
    }
}

/// The most significant digits of a finite 64-bit float.
const MAX_DIGITS: usize = 767;

fn keeps_double(raw: &str) -> bool {
    let read: f64 = raw.parse().unwrap_or(f64::NAN);
    read.is_finite() && prints_back(raw, &read)
}

fn keeps_single(raw: &str) -> bool {
    let read: f32 = raw.parse().unwrap_or(f32::NAN);
    read.is_finite() && prints_back(raw, &read)
}

/// Returns whether the number prints back as sent, with the same number of digits or in its
/// shortest form.
///
/// The two differ at some powers of two, which have a wider gap above than below: all languages
/// print 2^-44 as 5.684341886080802e-14, though with sixteen digits it would end in a 1.
fn prints_back(raw: &str, read: &impl fmt::LowerExp) -> bool {
    let sent = Decimal::read(raw);
    let digits = sent.digits().count();
    let places = digits.saturating_sub(1);
    let is_printed_as = |text: String| sent.same(&Decimal::read(&text));
    digits <= MAX_DIGITS
        && (is_printed_as(format!("{read:.places$e}")) || is_printed_as(format!("{read:e}")))
}

/// A comparable number: exact if it is whole and fits in 64 bits, else the nearest float.
#[derive(Debug, Clone, Copy)]
pub(super) enum NumberValue {
    Integer(i128),
    Float(f64),
}

impl NumberValue {
    pub(super) fn from_node(view: JsonView<'_>, node: &JsonNode) -> Self {
        let raw = view.raw(node);
        if node.is_digits() && !node.is_wide() {
            return raw.parse::<i64>().map_or(Self::Float(f64::NAN), |n| Self::Integer(n.into()));
        }
        match whole(&view.decimal(node)) {
            Some(whole) => Self::Integer(whole),
            None => Self::Float(raw.parse().unwrap_or(f64::NAN)),
        }
    }
}

fn whole(number: &Decimal<'_>) -> Option<i128> {
    number.to_i128().filter(|whole| whole.unsigned_abs() <= u64::MAX.into())
}

/// Compares without rounding the integer.
fn order_mixed(whole: i128, float: f64) -> Ordering {
    const BEYOND: f64 = 1.7e38;
    if float >= BEYOND {
        return Ordering::Less;
    }
    if float <= -BEYOND {
        return Ordering::Greater;
    }
    #[allow(clippy::cast_possible_truncation, reason = "bounded above, and whole by `floor`")]
    let floor = float.floor() as i128;
    let fraction = if float > float.floor() { Ordering::Less } else { Ordering::Equal };
    whole.cmp(&floor).then(fraction)
}

/// A number of the schema that is used as a bound.
#[derive(Debug)]
pub(super) struct NumericLimit {
    whole: Option<i128>,
    float: f64,
    pub(super) text: Box<str>,
}

impl NumericLimit {
    pub(super) fn new(number: &Number) -> Self {
        let text = number.to_string();
        let float = number.as_f64().unwrap_or(f64::NAN);
        Self { whole: whole(&Decimal::read(&text)), float, text: text.into() }
    }

    /// Orders a value relative to the bound.
    pub(super) fn order(&self, value: NumberValue) -> Ordering {
        match (value, self.whole) {
            (NumberValue::Integer(value), Some(limit)) => value.cmp(&limit),
            (NumberValue::Integer(value), None) => order_mixed(value, self.float),
            (NumberValue::Float(value), _) => {
                value.partial_cmp(&self.float).unwrap_or(Ordering::Equal)
            }
        }
    }
}

/// Bounds of a number, other than its type.
#[derive(Debug, Default)]
pub(super) struct NumberBounds {
    pub(super) min: Option<NumericLimit>,
    pub(super) max: Option<NumericLimit>,
    pub(super) above: Option<NumericLimit>,
    pub(super) below: Option<NumericLimit>,
    pub(super) step: Option<NumericLimit>,
}

impl NumberBounds {
    pub(super) const fn is_empty(&self) -> bool {
        self.min.is_none()
            && self.max.is_none()
            && self.above.is_none()
            && self.below.is_none()
            && self.step.is_none()
    }
}

/// Returns whether the number is a multiple of the step, in exact decimal arithmetic.
pub(super) fn is_multiple(number: &Decimal<'_>, step: &NumericLimit) -> bool {
    let step = Decimal::read(&step.text);
    let (Some(digits), Some(divisor)) = (number.mantissa(), step.mantissa()) else { return false };
    if digits == 0 || divisor == 0 {
        return digits == 0;
    }
    let shift = number.exponent() - step.exponent();
    if shift >= 0 {
        return remainder(digits, shift.unsigned_abs(), divisor) == 0;
    }
    let scaled = u32::try_from(-shift).ok().and_then(|places| 10_u128.checked_pow(places));
    scaled.and_then(|scale| divisor.checked_mul(scale)).is_some_and(|divisor| digits % divisor == 0)
}

/// Computes `digits × 10^places mod divisor` within 128 bits.
fn remainder(digits: u128, places: u64, divisor: u128) -> u128 {
    if divisor > u128::from(u64::MAX) {
        return digits; // no JSON number of a schema has that many digits
    }
    let (mut result, mut base, mut left) = (digits % divisor, 10 % divisor, places);
    while left > 0 {
        if left & 1 == 1 {
            result = result * base % divisor;
        }
        base = base * base % divisor;
        left >>= 1;
    }
    result
}
