//! Numbers: whether their reader keeps every digit, and where they lie.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Number;

use crate::json::{Decimal, Node, View};

/// Who reads a number, and so which digits survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Reader {
    /// Untyped: digits alone as a 64-bit integer, anything else as a 64-bit float.
    #[default]
    Any,
    Integer(Width),
    Double,
    Single,
}

/// The range of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Width {
    signed: bool,
    bits: u8,
}

impl Width {
    /// Everything from the least `i64` to the greatest `u64`.
    pub(crate) const WIDEST: Self = Self { signed: true, bits: 65 };

    /// The range that a schema's `format` names.
    pub(crate) fn named(format: &str) -> Option<Self> {
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

    pub(crate) const fn min(self) -> i128 {
        match (self.signed, self.bits) {
            (false, _) => 0,
            (true, 65) => i64::MIN as i128,
            (true, bits) => i128::MIN >> (128 - bits),
        }
    }

    pub(crate) const fn max(self) -> u128 {
        match (self.signed, self.bits) {
            (true, 65) => u64::MAX as u128,
            (true, bits) => i128::MAX.unsigned_abs() >> (128 - bits),
            (false, bits) => u128::MAX >> (128 - bits),
        }
    }

    /// Does it hold an integer?
    fn holds(self, number: &Decimal<'_>) -> bool {
        let Some(value) = number.magnitude() else { return false };
        if number.is_negative() { value <= self.min().unsigned_abs() } else { value <= self.max() }
    }

    /// Is every value of the type at least that?
    pub(super) fn is_at_least(self, limit: &Limit) -> bool {
        limit.order(Value::Integer(self.min())) != Ordering::Less
    }

    /// Is every value of the type at most that?
    pub(super) fn is_at_most(self, limit: &Limit) -> bool {
        let most = i128::try_from(self.max()).unwrap_or(i128::MAX);
        limit.order(Value::Integer(most)) != Ordering::Greater
    }
}

impl Reader {
    /// Does the reader get exactly the number that was written?
    pub(super) fn keeps(self, view: View<'_>, node: &Node) -> bool {
        match self {
            Self::Double => !node.is_wide() || keeps_double(view.raw(node)),
            Self::Single => keeps_single(view.raw(node)),
            Self::Integer(Width::WIDEST) | Self::Any if !node.is_wide() => true,
            Self::Integer(width) => width.holds(&view.decimal(node)),
            Self::Any if node.is_digits() => Width::WIDEST.holds(&view.decimal(node)),
            Self::Any => keeps_double(view.raw(node)),
        }
    }

    /// Does it keep every number of up to 15 digits without exponent?
    pub(super) const fn keeps_plain(self) -> bool {
        matches!(self, Self::Any | Self::Double | Self::Integer(Width::WIDEST))
    }

    /// What the reader can take, in words.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Integer(width) => {
                format!("an integer from {} to {}", width.min(), width.max())
            }
            Self::Double => "a number that a 64-bit float holds with all its digits".to_owned(),
            Self::Single => "a number that a 32-bit float holds with all its digits".to_owned(),
            Self::Any => "a number that 64 bits hold with all its digits".to_owned(),
        }
    }
}

/// No finite 64-bit float has more significant digits than that.
const MOST_DIGITS: usize = 767;

fn keeps_double(raw: &str) -> bool {
    let read: f64 = raw.parse().unwrap_or(f64::NAN);
    read.is_finite() && prints_back(raw, &read)
}

fn keeps_single(raw: &str) -> bool {
    let read: f32 = raw.parse().unwrap_or(f32::NAN);
    read.is_finite() && prints_back(raw, &read)
}

/// Is the number the same when it is printed with as many digits as were sent, or with the fewest
/// that tell it from its neighbours?
///
/// The two differ at some powers of two, whose neighbours are farther away above than below: all
/// languages print 2^-44 as 5.684341886080802e-14, which sixteen digits end in a 1.
fn prints_back(raw: &str, read: &impl fmt::LowerExp) -> bool {
    let sent = Decimal::read(raw);
    let digits = sent.digits().count();
    let places = digits.saturating_sub(1);
    let is_printed_as = |text: String| sent.same(&Decimal::read(&text));
    digits <= MOST_DIGITS
        && (is_printed_as(format!("{read:.places$e}")) || is_printed_as(format!("{read:e}")))
}

/// A number that can be compared: exact when it is whole and fits 64 bits, else the nearest float.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Integer(i128),
    Float(f64),
}

impl Value {
    pub(super) fn of(view: View<'_>, node: &Node) -> Self {
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

/// A number of the schema, as a bound.
#[derive(Debug)]
pub(super) struct Limit {
    whole: Option<i128>,
    float: f64,
    pub(super) text: Box<str>,
}

impl Limit {
    pub(super) fn new(number: &Number) -> Self {
        let text = number.to_string();
        let float = number.as_f64().unwrap_or(f64::NAN);
        Self { whole: whole(&Decimal::read(&text)), float, text: text.into() }
    }

    /// Where a value lies as seen from the bound.
    pub(super) fn order(&self, value: Value) -> Ordering {
        match (value, self.whole) {
            (Value::Integer(value), Some(limit)) => value.cmp(&limit),
            (Value::Integer(value), None) => order_mixed(value, self.float),
            (Value::Float(value), _) => value.partial_cmp(&self.float).unwrap_or(Ordering::Equal),
        }
    }
}

/// What a schema asks of a number beside its type.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub(super) min: Option<Limit>,
    pub(super) max: Option<Limit>,
    pub(super) above: Option<Limit>,
    pub(super) below: Option<Limit>,
    pub(super) step: Option<Limit>,
}

impl Bounds {
    pub(super) const fn is_empty(&self) -> bool {
        self.min.is_none()
            && self.max.is_none()
            && self.above.is_none()
            && self.below.is_none()
            && self.step.is_none()
    }
}

/// Is the number a whole multiple of the step? Exact, in decimal.
pub(super) fn is_multiple(number: &Decimal<'_>, step: &Limit) -> bool {
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

/// `digits × 10^places mod divisor`, without ever leaving 128 bits.
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
