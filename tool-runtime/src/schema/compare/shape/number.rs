//! What is asked of numbers.

use std::cmp::Ordering;

use serde_json::{Number as Json, Value};

use super::Unread;
use crate::json::Decimal;
use crate::schema::compare::part::Part;

/// The numbers that a 32-bit float counts without a gap.
const SINGLE: i128 = 1 << 24;
/// The most integers that are looked at one by one.
const FEW: i128 = 64;

/// The numbers that a schema lets pass.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Numbers {
    pub(in super::super) lower: Option<Bound>,
    pub(in super::super) upper: Option<Bound>,
    pub(in super::super) whole: bool,
    pub(in super::super) steps: Vec<Step>,
    /// The integer types that read it.
    pub(in super::super) widths: Vec<Width>,
    /// A 32-bit float reads it.
    pub(in super::super) single: bool,
}

/// An end of a range.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Bound {
    at: Limit,
    open: bool,
}

/// A number of a schema, exactly.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Whole(i128),
    Float(f64),
}

/// A positive number, as digits and a power of ten.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Step {
    digits: u128,
    power: i64,
}

/// The range of an integer type.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Width {
    min: i128,
    max: u128,
}

impl Numbers {
    /// Reads the keywords; `whole` says that only integers pass, `typed` that nothing but numbers
    /// does, so that `format` names who reads them.
    pub(in super::super) fn read(
        part: Part<'_>,
        whole: bool,
        format: Option<&str>,
    ) -> Result<Self, Unread> {
        let (mut lower, mut upper) = (limit(part, "minimum")?, limit(part, "maximum")?);
        let ends =
            [("exclusiveMinimum", &mut lower, true), ("exclusiveMaximum", &mut upper, false)];
        for (word, end, low) in ends {
            if let (Some(Value::Bool(open)), Some(bound)) = (part.get(word), end.as_mut()) {
                bound.open = *open;
            } else if !part.get(word).is_some_and(Value::is_boolean) {
                let open = limit(part, word)?.map(|bound| Bound { open: true, ..bound });
                *end = tighter(*end, open, low);
            }
        }
        let steps = match part.get("multipleOf") {
            None => Vec::new(),
            Some(step) => vec![Step::read(step).ok_or("multipleOf")?],
        };
        let width = whole.then(|| format.and_then(Width::named).unwrap_or(Width::WIDEST));
        let single = !whole && format == Some("float");
        let widths = width.into_iter().collect();
        Ok(Self { lower, upper, whole, steps, widths, single }.settled())
    }

    pub(super) fn meet(mut self, other: &Self) -> Self {
        self.lower = tighter(self.lower, other.lower, true);
        self.upper = tighter(self.upper, other.upper, false);
        self.whole |= other.whole;
        self.steps.extend(&other.steps);
        self.widths.extend(&other.widths);
        self.single |= other.single;
        self.settled()
    }

    /// Integers begin and end at integers.
    fn settled(mut self) -> Self {
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
            Ordering::Equal => lower.open || upper.open,
            Ordering::Less => false,
        }
    }

    /// The keyword of the other that some of these numbers may break.
    pub(in super::super) fn beyond(&self, other: &Self) -> Option<&'static str> {
        let whole = self.whole || self.steps.iter().any(|step| step.divides_into(Step::ONE));
        let below = other.lower.is_some_and(|bound| !within(self.lower, bound, true));
        let above = other.upper.is_some_and(|bound| !within(self.upper, bound, false));
        let one = self.whole.then_some(&Step::ONE);
        let steps = || self.steps.iter().chain(one);
        let between = other.steps.iter().any(|step| !steps().any(|own| own.divides_into(*step)));
        let broken = [
            (other.whole && !whole, "type"),
            (below, "minimum"),
            (above, "maximum"),
            (between, "multipleOf"),
            (self.outreads(other), "format"),
        ];
        broken.into_iter().find(|(broken, _)| *broken).map(|(_, word)| word)
    }

    /// May the reader of the other not hold some of these numbers, as far as types tell?
    pub(in super::super) fn outreads(&self, other: &Self) -> bool {
        let wide = other.widths.iter().any(|width| !self.fits(*width));
        wide || (other.single && !self.single && !self.counts_in_singles())
    }

    /// Does every number pass?
    pub(in super::super) fn beyond_none(&self) -> bool {
        Self::default().beyond(self).is_none()
    }

    fn fits(&self, width: Width) -> bool {
        self.widths.iter().any(|own| own.min >= width.min && own.max <= width.max)
            || (self.lower.is_some_and(|bound| bound.at.is_at_least(width.min))
                && self.upper.is_some_and(|bound| bound.at.is_at_most(width.max)))
    }

    fn counts_in_singles(&self) -> bool {
        let range = Width { min: -SINGLE, max: SINGLE.unsigned_abs() };
        self.whole && self.fits(range)
    }

    /// All of them, if they are few.
    pub(in super::super) fn listed(&self) -> Option<Vec<Value>> {
        let (Bound { at: Limit::Whole(low), .. }, Bound { at: Limit::Whole(high), .. }) =
            (self.lower?, self.upper?)
        else {
            return None;
        };
        if !self.whole || high.checked_sub(low)? > FEW {
            return None;
        }
        (low..=high).map(|whole| i64::try_from(whole).ok().map(Value::from)).collect()
    }

    /// Does the number pass? Unknown if too long to be sure.
    pub(in super::super) fn admits(&self, number: &Json) -> Option<bool> {
        let value = Limit::read(number)?;
        let at = Bound { at: value, open: false };
        let text = number.to_string();
        let decimal = Decimal::read(&text);
        let inside = self.lower.is_none_or(|bound| at.implies(bound, true))
            && self.upper.is_none_or(|bound| at.implies(bound, false))
            && (!self.whole || decimal.is_integer());
        if !inside {
            return Some(false);
        }
        let digits = decimal.mantissa()?;
        let step = Step { digits, power: decimal.exponent() };
        if digits != 0 && self.steps.iter().any(|unit| !step.divides_into(*unit)) {
            return Some(false);
        }
        let read = self.widths.iter().all(|w| value.is_at_least(w.min) && value.is_at_most(w.max));
        (read && !self.single).then_some(true)
    }
}

impl Bound {
    /// Is what lies inside of this end inside of the other too?
    fn implies(self, other: Self, low: bool) -> bool {
        match self.at.order(other.at) {
            Ordering::Equal => self.open || !other.open,
            order => (order == Ordering::Greater) == low,
        }
    }

    fn inwards(self, low: bool) -> Self {
        let whole = match self.at {
            Limit::Whole(whole) if !self.open => Some(whole),
            Limit::Whole(whole) if low => whole.checked_add(1),
            Limit::Whole(whole) => whole.checked_sub(1),
            Limit::Float(float) => whole(if low { float.ceil() } else { float.floor() }),
        };
        whole.map_or(self, |whole| Self { at: Limit::Whole(whole), open: false })
    }
}

impl Limit {
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

    fn is_at_most(self, most: u128) -> bool {
        i128::try_from(most).map_or(matches!(self, Self::Whole(_)), |most| {
            self.order(Self::Whole(most)) != Ordering::Greater
        })
    }
}

impl Step {
    const ONE: Self = Self { digits: 1, power: 0 };

    fn read(value: &Value) -> Option<Self> {
        let text = value.as_number()?.to_string();
        let decimal = Decimal::read(&text);
        let digits = decimal.mantissa().filter(|digits| *digits > 0 && !decimal.is_negative())?;
        Some(Self { digits, power: decimal.exponent() })
    }

    /// Is every multiple of this one a multiple of the unit?
    pub(in super::super) fn divides_into(self, unit: Self) -> bool {
        let places = |count: i64| u32::try_from(count).ok().and_then(|n| 10_u128.checked_pow(n));
        let shift = self.power - unit.power;
        if shift >= 0 {
            let own = places(shift).and_then(|scale| self.digits.checked_mul(scale));
            own.is_some_and(|own| own % unit.digits == 0)
        } else {
            let unit = places(-shift).and_then(|scale| unit.digits.checked_mul(scale));
            unit.is_some_and(|unit| self.digits % unit == 0)
        }
    }
}

impl Width {
    /// What an integer without a format may be: one of 64 bits, with a sign or without.
    const WIDEST: Self = Self { min: i64::MIN as i128, max: u64::MAX as u128 };

    fn named(format: &str) -> Option<Self> {
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
        Some(if signed {
            let max = i128::MAX >> (128 - bits);
            Self { min: -max - 1, max: max.unsigned_abs() }
        } else {
            Self { min: 0, max: u128::MAX >> (128 - bits) }
        })
    }
}

/// Does a format name who reads a number?
pub(in super::super) fn is_numeric(format: &str) -> bool {
    Width::named(format).is_some() || matches!(format, "float" | "double")
}

fn limit(part: Part<'_>, word: &'static str) -> Result<Option<Bound>, Unread> {
    let Some(value) = part.get(word) else { return Ok(None) };
    let at = value.as_number().and_then(Limit::read).ok_or(word)?;
    Ok(Some(Bound { at, open: false }))
}

fn tighter(a: Option<Bound>, b: Option<Bound>, low: bool) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.implies(b, low) { a } else { b }),
        (a, b) => a.or(b),
    }
}

fn within(own: Option<Bound>, other: Bound, low: bool) -> bool {
    own.is_some_and(|own| own.implies(other, low))
}

/// Beyond it, a float is not compared as an integer.
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
