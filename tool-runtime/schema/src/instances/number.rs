//! Integers and fractions: their bounds, and values at and between them.

use serde_json::{Number, Value};

use super::generator::{Generator, ValueSize};
use super::rules::ValueRules;
use crate::json::Decimal;

/// The bounds and steps of a number, from all parts of a schema.
#[derive(Debug, Clone)]
pub(super) struct NumberRange {
    pub(super) min: Option<NumberBound>,
    pub(super) max: Option<NumberBound>,
    pub(super) steps: Vec<NumberStep>,
}

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumberBound {
    pub(super) at: f64,
    /// The bound as an integer, if it is one: floats lose digits.
    pub(super) whole: Option<i128>,
    /// True if the bound itself is admitted.
    pub(super) within: bool,
}

/// The value of `multipleOf`: digits times a power of ten.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberStep {
    digits: u128,
    places: i32,
}

const WIDEST: (i128, i128) = (i64::MIN as i128, u64::MAX as i128);

impl NumberRange {
    pub(super) fn new(value_rules: &ValueRules<'_>) -> Self {
        let mut range = Self { min: None, max: None, steps: Vec::new() };
        for keywords in value_rules.maps() {
            let get = |keyword: &str| keywords.get(keyword);
            let flag = |keyword: &str| get(keyword) == Some(&Value::Bool(true));
            range.raise(bound(get("minimum"), !flag("exclusiveMinimum")));
            range.raise(bound(get("exclusiveMinimum"), false));
            range.lower(bound(get("maximum"), !flag("exclusiveMaximum")));
            range.lower(bound(get("exclusiveMaximum"), false));
            range.steps.extend(get("multipleOf").and_then(NumberStep::from_value));
        }
        range
    }

    fn raise(&mut self, bound: Option<NumberBound>) {
        let Some(new) = bound else { return };
        if self.min.is_none_or(|old| new.at > old.at || (new.at >= old.at && !new.within)) {
            self.min = Some(new);
        }
    }

    fn lower(&mut self, bound: Option<NumberBound>) {
        let Some(new) = bound else { return };
        if self.max.is_none_or(|old| new.at < old.at || (new.at <= old.at && !new.within)) {
            self.max = Some(new);
        }
    }

    /// Returns the smallest and the greatest admitted integer.
    pub(super) fn integers(&self, value_rules: &ValueRules<'_>) -> (i128, i128) {
        let (mut min, mut max) = WIDEST;
        for (low, high) in value_rules.texts("format").filter_map(width) {
            (min, max) = (min.max(low), max.min(high));
        }
        if let Some(bound) = self.min {
            let integer_bound = bound.whole.unwrap_or_else(|| truncated(bound.at.ceil()));
            let beyond = i128::from(bound.whole.is_some() && !bound.within);
            min = min.max(integer_bound.saturating_add(beyond));
        }
        if let Some(bound) = self.max {
            let integer_bound = bound.whole.unwrap_or_else(|| truncated(bound.at.floor()));
            let beyond = i128::from(bound.whole.is_some() && !bound.within);
            max = max.min(integer_bound.saturating_sub(beyond));
        }
        (min, max)
    }
}

fn bound(value: Option<&Value>, within: bool) -> Option<NumberBound> {
    let Some(Value::Number(number)) = value else { return None };
    let whole = Decimal::read(&number.to_string()).to_i128();
    Some(NumberBound { at: number.as_f64()?, whole, within })
}

/// Returns the range of an integer `format`.
fn width(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int" | "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint" | "uint64" | "uint128" => (0, u64::MAX.into()),
        _ => return None,
    })
}

#[allow(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
fn truncated(float: f64) -> i128 {
    float as i128
}

#[allow(clippy::cast_precision_loss, reason = "a bound that is only looked at from outside")]
fn float(whole: i128) -> f64 {
    whole as f64
}

impl NumberStep {
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = value.as_number()?.to_string();
        let decimal = Decimal::read(&text);
        let digits = decimal.mantissa().filter(|digits| *digits > 0)?;
        Some(Self { digits, places: i32::try_from(decimal.exponent()).ok()? })
    }

    /// Returns the smallest positive integer that is a multiple.
    pub(super) fn whole(self) -> Option<i128> {
        let power = 10_u128.checked_pow(self.places.unsigned_abs())?;
        let integer = if self.places >= 0 {
            self.digits.checked_mul(power)?
        } else {
            self.digits / gcd(self.digits, power)
        };
        i128::try_from(integer).ok()
    }

    pub(super) fn size(self) -> f64 {
        self.times(1).unwrap_or(1.0)
    }

    /// Returns this multiple of the step, as exactly as a float can be.
    fn times(self, count: i128) -> Option<f64> {
        let digits = i128::try_from(self.digits).ok()?.checked_mul(count)?;
        format!("{digits}e{}", self.places).parse().ok()
    }
}

fn gcd(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

impl Generator<'_> {
    pub(super) fn integer(&mut self, value_rules: &ValueRules<'_>) -> Option<Value> {
        let range = NumberRange::new(value_rules);
        let (min, max) = range.integers(value_rules);
        let integer_steps = range.steps.iter().filter_map(|step| step.whole());
        let step = integer_steps.fold(1, |one: i128, other| lcm(one, other).unwrap_or(i128::MAX));
        let first = min.div_euclid(step) + i128::from(min.rem_euclid(step) != 0);
        let end = max.div_euclid(step);
        if first > end {
            return None;
        }
        let count = self.count(first, end);
        number(count.checked_mul(step)?)
    }

    /// Chooses a number of steps from zero.
    fn count(&mut self, first: i128, last: i128) -> i128 {
        let near = 0.clamp(first, last);
        match (self.wanted_size, self.rng.below(10)) {
            (ValueSize::Least, _) => near,
            (ValueSize::Most, _) | (_, 0 | 1) => last,
            (_, 2 | 3) => first,
            (_, 4) => (first + 1).min(last),
            (_, 5) => near,
            (_, 6..=8) => self.rng.within((near - 20).max(first), (near + 20).min(last)),
            _ => self.rng.within(first, last),
        }
    }

    pub(super) fn fraction(&mut self, value_rules: &ValueRules<'_>) -> Option<Value> {
        let range = NumberRange::new(value_rules);
        if let Some(step) = range.steps.first() {
            return self.stepped(*step, &range);
        }
        let is_f32 = value_rules.texts("format").any(|format| format == "float");
        let (widest, tiniest): (f64, f64) =
            if is_f32 { (f64::from(f32::MAX), 1e-38) } else { (f64::MAX, 1e-300) };
        let min = range.min.map_or(-widest, |bound| bound.at);
        let max = range.max.map_or(widest, |bound| bound.at);
        let near = 0.0_f64.clamp(min, max.max(min));
        let picked = match (self.wanted_size, self.rng.below(12)) {
            (ValueSize::Least, _) => near,
            (ValueSize::Most, _) | (_, 0 | 1) => max,
            (_, 2 | 3) => min,
            (_, 4) => near,
            (_, 5) => tiniest.clamp(min, max.max(min)),
            (_, 6) => float(self.rng.within(-20, 20)).clamp(min, max.max(min)),
            (_, 7) if range.min.is_some() && range.max.is_some() => min / 2.0 + max / 2.0,
            _ => (self.decimal()).clamp(min, max.max(min)),
        };
        let inside = Self::inside(picked, &range)?;
        let fitting = if is_f32 { rounded_to_f32(inside, &range) } else { Some(inside) };
        plain(fitting?)
    }

    /// Makes a number with a few decimals.
    fn decimal(&mut self) -> f64 {
        let digits = self.rng.within(-100_000, 100_000);
        let places = self.rng.below(4);
        format!("{digits}e-{places}").parse().unwrap_or(0.5)
    }

    /// Returns the number, or a neighbour of it if the bound itself is excluded.
    fn inside(number: f64, range: &NumberRange) -> Option<f64> {
        let above =
            |number: f64| range.min.is_none_or(|b| number > b.at || (b.within && number >= b.at));
        let below =
            |number: f64| range.max.is_none_or(|b| number < b.at || (b.within && number <= b.at));
        let middle = match (range.min, range.max) {
            (Some(min), Some(max)) => min.at / 2.0 + max.at / 2.0,
            (Some(min), None) => min.at + min.at.abs().max(1.0),
            (None, Some(max)) => max.at - max.at.abs().max(1.0),
            (None, None) => 0.0,
        };
        let tries = [number, beside(number, true), beside(number, false), middle];
        tries.into_iter().find(|number| number.is_finite() && above(*number) && below(*number))
    }

    fn stepped(&mut self, step: NumberStep, range: &NumberRange) -> Option<Value> {
        const FAR: f64 = 1e9;
        let min = range.min.map_or(-FAR * step.size(), |bound| bound.at);
        let max = range.max.map_or(FAR * step.size(), |bound| bound.at);
        let (first, end) =
            (truncated((min / step.size()).ceil()), truncated((max / step.size()).floor()));
        let mut count = self.count(first, end.max(first));
        // A bound may be excluded, or missed by a rounding error of the division.
        for _ in 0..4 {
            let number = step.times(count)?;
            if Self::inside(number, range) == Some(number) {
                return plain(number);
            }
            count += if number >= max { -1 } else { 1 };
        }
        None
    }
}

fn lcm(one: i128, other: i128) -> Option<i128> {
    let divisor = i128::try_from(gcd(one.unsigned_abs(), other.unsigned_abs())).ok()?;
    one.checked_div(divisor)?.checked_mul(other)
}

/// Returns the next float above or below.
pub(super) fn beside(number: f64, above: bool) -> f64 {
    if number == 0.0 {
        return if above { f64::MIN_POSITIVE } else { -f64::MIN_POSITIVE };
    }
    let away = (number > 0.0) == above;
    let bits = number.to_bits();
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// Rounds to a 32-bit float, if the result is still within the range.
#[allow(clippy::cast_possible_truncation, reason = "that is what is asked for")]
fn rounded_to_f32(number: f64, range: &NumberRange) -> Option<f64> {
    let min = range.min.map_or(f64::NEG_INFINITY, |bound| bound.at);
    let max = range.max.map_or(f64::INFINITY, |bound| bound.at);
    let rounded = number as f32;
    let rounded: f64 = rounded.to_string().parse().ok()?;
    (rounded.is_finite() && (min..=max).contains(&rounded)).then_some(rounded)
}

/// Returns an integer if the number is one, as a person would write it.
pub(super) fn plain(float: f64) -> Option<Value> {
    const SAFE: f64 = 9e15;
    if float.fract() == 0.0 && float.abs() < SAFE {
        return number(truncated(float));
    }
    Number::from_f64(float).map(Value::Number)
}

pub(super) fn number(whole: i128) -> Option<Value> {
    let signed = i64::try_from(whole).map(Value::from);
    signed.or_else(|_| u64::try_from(whole).map(Value::from)).ok()
}
