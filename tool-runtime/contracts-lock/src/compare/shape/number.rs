//! Constraints on numbers.

use std::cmp::Ordering;

use serde_json::{Number as Json, Value};
use tool_runtime_schema::json::Decimal;
use tool_runtime_schema::schema::validator::number::IntegerWidth;

use super::UnreadableKeyword;
use crate::compare::subschema::Subschema;

/// The largest number up to which a 32-bit float represents every integer.
const SINGLE: i128 = 1 << 24;
/// The most integers that are enumerated.
const FEW: i128 = 64;

/// The numbers that a schema accepts.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct NumberConstraints {
    pub(in super::super) lower: Option<RangeBound>,
    pub(in super::super) upper: Option<RangeBound>,
    pub(in super::super) whole: bool,
    pub(in super::super) steps: Vec<MultipleOf>,
    /// The integer types that read the number.
    pub(in super::super) widths: Vec<IntegerRange>,
    /// A 32-bit float reads the number.
    pub(in super::super) is_f32: bool,
}

/// A bound of a range.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct RangeBound {
    at: ExactNumber,
    exclusive: bool,
}

/// An exact number of a schema.
#[derive(Debug, Clone, Copy)]
enum ExactNumber {
    Whole(i128),
    Float(f64),
}

/// A positive number, as digits and a power of ten.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct MultipleOf {
    digits: u128,
    power: i64,
}

/// The range of an integer type.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct IntegerRange {
    min: i128,
    max: u128,
}

impl NumberConstraints {
    /// Reads the keywords. `whole` means that only integers are valid; `typed` means that only
    /// numbers are, so that `format` names their type.
    pub(in super::super) fn read(
        subschema: Subschema<'_>,
        whole: bool,
        format: Option<&str>,
    ) -> Result<Self, UnreadableKeyword> {
        let (mut lower, mut upper) = (limit(subschema, "minimum")?, limit(subschema, "maximum")?);
        let ends =
            [("exclusiveMinimum", &mut lower, true), ("exclusiveMaximum", &mut upper, false)];
        for (word, end, low) in ends {
            if let (Some(Value::Bool(open)), Some(bound)) = (subschema.get(word), end.as_mut()) {
                bound.exclusive = *open;
            } else if !subschema.get(word).is_some_and(Value::is_boolean) {
                let exclusive =
                    limit(subschema, word)?.map(|bound| RangeBound { exclusive: true, ..bound });
                *end = tighter(*end, exclusive, low);
            }
        }
        let steps = match subschema.get("multipleOf") {
            None => Vec::new(),
            Some(step) => vec![MultipleOf::read(step).ok_or("multipleOf")?],
        };
        let width =
            whole.then(|| format.and_then(IntegerWidth::named).unwrap_or(IntegerWidth::WIDEST));
        let is_f32 = !whole && format == Some("float");
        let widths = width.map(IntegerRange::from_width).into_iter().collect();
        Ok(Self { lower, upper, whole, steps, widths, is_f32 }.with_integer_bounds())
    }

    pub(super) fn intersect(mut self, other: &Self) -> Self {
        self.lower = tighter(self.lower, other.lower, true);
        self.upper = tighter(self.upper, other.upper, false);
        self.whole |= other.whole;
        self.steps.extend(&other.steps);
        self.widths.extend(&other.widths);
        self.is_f32 |= other.is_f32;
        self.with_integer_bounds()
    }

    /// Moves the bounds of an integer range to integers.
    fn with_integer_bounds(mut self) -> Self {
        if self.whole {
            self.lower = self.lower.map(|bound| bound.inwards(true));
            self.upper = self.upper.map(|bound| bound.inwards(false));
        }
        self
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        let (Some(lower), Some(upper)) = (self.lower, self.upper) else { return false };
        match lower.at.order(upper.at) {
            Ordering::Greater => true,
            Ordering::Equal => lower.exclusive || upper.exclusive,
            Ordering::Less => false,
        }
    }

    /// The keyword of `other` that some of these numbers may violate.
    pub(in super::super) fn violated_keyword(&self, other: &Self) -> Option<&'static str> {
        let is_whole =
            self.whole || self.steps.iter().any(|step| step.divides_into(MultipleOf::ONE));
        let below = other.lower.is_some_and(|bound| !is_within(self.lower, bound, true));
        let above = other.upper.is_some_and(|bound| !is_within(self.upper, bound, false));
        let one = self.whole.then_some(&MultipleOf::ONE);
        let steps = || self.steps.iter().chain(one);
        let between = other.steps.iter().any(|step| !steps().any(|own| own.divides_into(*step)));
        let broken = [
            (other.whole && !is_whole, "type"),
            (below, "minimum"),
            (above, "maximum"),
            (between, "multipleOf"),
            (self.exceeds_number_type(other), "format"),
        ];
        broken.into_iter().find(|(broken, _)| *broken).map(|(_, word)| word)
    }

    /// Returns whether the number type of `other` may not represent all of these numbers.
    pub(in super::super) fn exceeds_number_type(&self, other: &Self) -> bool {
        let wide = other.widths.iter().any(|width| !self.fits(*width));
        wide || (other.is_f32 && !self.is_f32 && !self.counts_in_f32s())
    }

    /// Returns whether every number is valid.
    pub(in super::super) fn is_unrestricted(&self) -> bool {
        Self::default().violated_keyword(self).is_none()
    }

    fn fits(&self, width: IntegerRange) -> bool {
        self.widths.iter().any(|own| own.min >= width.min && own.max <= width.max)
            || (self.lower.is_some_and(|bound| bound.at.is_at_least(width.min))
                && self.upper.is_some_and(|bound| bound.at.is_at_most(width.max)))
    }

    fn counts_in_f32s(&self) -> bool {
        let range = IntegerRange { min: -SINGLE, max: SINGLE.unsigned_abs() };
        self.whole && self.fits(range)
    }

    /// All numbers, if they are few.
    pub(in super::super) fn listed(&self) -> Option<Vec<Value>> {
        let (
            RangeBound { at: ExactNumber::Whole(low), .. },
            RangeBound { at: ExactNumber::Whole(high), .. },
        ) = (self.lower?, self.upper?)
        else {
            return None;
        };
        if !self.whole || high.checked_sub(low)? > FEW {
            return None;
        }
        (low..=high).map(|whole| i64::try_from(whole).ok().map(Value::from)).collect()
    }

    /// Returns whether the number is valid; `None` if it is too long to decide.
    pub(in super::super) fn admits(&self, number: &Json) -> Option<bool> {
        let value = ExactNumber::read(number)?;
        let at = RangeBound { at: value, exclusive: false };
        let text = number.to_string();
        let decimal = Decimal::read(&text);
        let inside = self.lower.is_none_or(|bound| at.implies(bound, true))
            && self.upper.is_none_or(|bound| at.implies(bound, false))
            && (!self.whole || decimal.is_integer());
        if !inside {
            return Some(false);
        }
        let digits = decimal.mantissa()?;
        let step = MultipleOf { digits, power: decimal.exponent() };
        if digits != 0 && self.steps.iter().any(|unit| !step.divides_into(*unit)) {
            return Some(false);
        }
        let read = self.widths.iter().all(|w| value.is_at_least(w.min) && value.is_at_most(w.max));
        (read && !self.is_f32).then_some(true)
    }
}

impl RangeBound {
    /// Returns whether every number inside this bound is inside `other`.
    fn implies(self, other: Self, low: bool) -> bool {
        match self.at.order(other.at) {
            Ordering::Equal => self.exclusive || !other.exclusive,
            order => (order == Ordering::Greater) == low,
        }
    }

    fn inwards(self, low: bool) -> Self {
        let integer = match self.at {
            ExactNumber::Whole(whole) if !self.exclusive => Some(whole),
            ExactNumber::Whole(whole) if low => whole.checked_add(1),
            ExactNumber::Whole(whole) => whole.checked_sub(1),
            ExactNumber::Float(float) => whole(if low { float.ceil() } else { float.floor() }),
        };
        integer.map_or(self, |integer| Self { at: ExactNumber::Whole(integer), exclusive: false })
    }
}

impl ExactNumber {
    fn read(number: &Json) -> Option<Self> {
        let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        let float =
            || number.as_f64().map(|float| whole(float).map_or(Self::Float(float), Self::Whole));
        integer.map(Self::Whole).or_else(float)
    }

    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(&b),
            (Self::Whole(a), Self::Float(b)) => order_mixed(a, b),
            (Self::Float(a), Self::Whole(b)) => order_mixed(b, a).reverse(),
        }
    }

    fn is_at_least(self, least: i128) -> bool {
        self.order(Self::Whole(least)) != Ordering::Less
    }

    fn is_at_most(self, limit: u128) -> bool {
        i128::try_from(limit).map_or(matches!(self, Self::Whole(_)), |limit| {
            self.order(Self::Whole(limit)) != Ordering::Greater
        })
    }
}

impl MultipleOf {
    const ONE: Self = Self { digits: 1, power: 0 };

    fn read(value: &Value) -> Option<Self> {
        let text = value.as_number()?.to_string();
        let decimal = Decimal::read(&text);
        let digits = decimal.mantissa().filter(|digits| *digits > 0 && !decimal.is_negative())?;
        Some(Self { digits, power: decimal.exponent() })
    }

    /// Returns whether every multiple of this number is a multiple of `unit`.
    pub(in super::super) fn divides_into(self, unit: Self) -> bool {
        let places = |count: i64| u32::try_from(count).ok().and_then(|n| 10_u128.checked_pow(n));
        let shift = self.power - unit.power;
        if shift >= 0 {
            let scaled_digits = places(shift).and_then(|scale| self.digits.checked_mul(scale));
            scaled_digits.is_some_and(|scaled_digits| scaled_digits % unit.digits == 0)
        } else {
            let unit = places(-shift).and_then(|scale| unit.digits.checked_mul(scale));
            unit.is_some_and(|unit| self.digits % unit == 0)
        }
    }
}

impl IntegerRange {
    const fn from_width(width: IntegerWidth) -> Self {
        Self { min: width.min(), max: width.max() }
    }
}

/// Returns whether a format names a numeric type.
pub(in super::super) fn is_numeric(format: &str) -> bool {
    IntegerWidth::named(format).is_some() || matches!(format, "float" | "double")
}

fn limit(
    subschema: Subschema<'_>,
    word: &'static str,
) -> Result<Option<RangeBound>, UnreadableKeyword> {
    let Some(value) = subschema.get(word) else { return Ok(None) };
    let at = value.as_number().and_then(ExactNumber::read).ok_or(word)?;
    Ok(Some(RangeBound { at, exclusive: false }))
}

fn tighter(a: Option<RangeBound>, b: Option<RangeBound>, low: bool) -> Option<RangeBound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.implies(b, low) { a } else { b }),
        (a, b) => a.or(b),
    }
}

fn is_within(own: Option<RangeBound>, other: RangeBound, low: bool) -> bool {
    own.is_some_and(|own| own.implies(other, low))
}

/// From here on, a float is not compared as an integer.
const BEYOND: f64 = 1.0e38;

#[allow(clippy::cast_possible_truncation, reason = "whole, and in range")]
fn whole(float: f64) -> Option<i128> {
    (float.fract() == 0.0 && float.abs() < BEYOND).then_some(float as i128)
}

/// Compares without rounding the integer.
fn order_mixed(integer: i128, float: f64) -> Ordering {
    match whole(float.floor()) {
        Some(floor) if float > float.floor() => integer.cmp(&floor).then(Ordering::Less),
        Some(floor) => integer.cmp(&floor),
        None if float > 0.0 => Ordering::Less,
        None => Ordering::Greater,
    }
}
