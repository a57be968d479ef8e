//! Arrays: the number of items, and each item by the rules of its position.

use serde_json::Value;

use super::InstancesError;
use super::document::SchemaPart;
use super::generator::{GenResult, Generator, ValueSize, pointer};
use super::rules::ValueRules;

/// The most items that are made without a bound.
const MAX_UNBOUNDED: usize = 4;
/// The most items that are made up to a bound.
const MAX_BOUNDED: usize = 64;
/// The most tries to make an item that differs from the others.
const TRIES: usize = 30;

/// The rules of an array's items.
pub(super) struct Items<'d> {
    /// For each part of the schema: the rules of the first items, and the rule of the others.
    rules: Vec<(Vec<SchemaPart<'d>>, Option<SchemaPart<'d>>)>,
}

impl<'d> Items<'d> {
    pub(super) fn new(value_rules: &ValueRules<'d>) -> Self {
        let rules = value_rules.parts.iter().map(|part| {
            let tuple = part.schema.get("items").is_some_and(Value::is_array);
            let words = if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
            (part.list(words.0), part.child(&[words.1]))
        });
        Self { rules: rules.collect() }
    }

    /// Returns the rules for the item at this index.
    pub(super) fn at(&self, index: usize) -> Vec<SchemaPart<'d>> {
        let at = |(first, rest): &(Vec<SchemaPart<'d>>, Option<SchemaPart<'d>>)| {
            first.get(index).cloned().or_else(|| rest.clone())
        };
        self.rules.iter().filter_map(at).collect()
    }
}

impl<'d> Generator<'d> {
    pub(super) fn array(
        &mut self,
        value_rules: &ValueRules<'d>,
        parts: &[SchemaPart<'d>],
        levels: u32,
    ) -> GenResult<Value> {
        let items = Items::new(value_rules);
        let wanted = wanted(value_rules);
        let min = value_rules.at_least("minItems").max(wanted.len());
        let max = value_rules.at_most("maxItems").unwrap_or(usize::MAX);
        let unique = value_rules.all("uniqueItems").any(|flag| flag == &Value::Bool(true));
        let fits = |index: usize| self.has_size_left(&items.at(index), levels);
        let max = (min..max.min(min.max(MAX_BOUNDED))).find(|index| !fits(*index)).unwrap_or(max);
        if min > max {
            return Err(InstancesError::new(
                pointer(parts),
                "it cannot have the required number of items",
            ));
        }
        let count = self.length(min, max, MAX_UNBOUNDED, MAX_BOUNDED);
        let mut made = Vec::new();
        for index in 0..count {
            let mut rules = items.at(index);
            // Contained items come last, since the first positions have their own rules.
            rules.extend(wanted.get(count - 1 - index).cloned());
            let item = if unique {
                self.distinct_item(&made, &rules, levels)?
            } else {
                self.item(&rules, levels).map(Some)?
            };
            match item {
                Some(item) => made.push(item),
                None if made.len() >= min => break,
                None => {
                    let message = "its items cannot all be different";
                    return Err(InstancesError::new(pointer(parts), message));
                }
            }
        }
        Ok(Value::Array(made))
    }

    fn item(&mut self, rules: &[SchemaPart<'d>], levels: u32) -> GenResult<Value> {
        if rules.is_empty() {
            Ok(self.unconstrained())
        } else {
            self.value(rules, levels.saturating_sub(1))
        }
    }

    fn distinct_item(
        &mut self,
        made: &[Value],
        rules: &[SchemaPart<'d>],
        levels: u32,
    ) -> GenResult<Option<Value>> {
        let wanted_size = self.wanted_size;
        for _ in 0..TRIES {
            let item = self.item(rules, levels);
            self.wanted_size = wanted_size;
            let item = item?;
            if !made.contains(&item) {
                return Ok(Some(item));
            }
            // The smallest value is always the same.
            self.wanted_size = ValueSize::Any;
        }
        self.wanted_size = wanted_size;
        Ok(None)
    }

    /// Returns whether a value fits into the remaining levels.
    pub(super) fn has_size_left(&self, parts: &[SchemaPart<'d>], levels: u32) -> bool {
        levels > 0 && parts.iter().all(|part| self.document.fits(part, levels - 1))
    }

    /// Chooses a length: at a bound, or moderate.
    pub(super) fn length(&mut self, min: usize, max: usize, few: usize, many: usize) -> usize {
        if self.is_sparing() {
            return min;
        }
        let longest = if max <= min.saturating_add(many) { max } else { min + few };
        match (self.wanted_size, self.rng.below(5)) {
            (ValueSize::Most, _) | (_, 0) => longest,
            (_, 1) => min,
            _ => min + self.rng.below(longest.min(min + few) - min + 1),
        }
    }

    /// Makes a value without rules.
    pub(super) fn unconstrained(&mut self) -> Value {
        if self.is_sparing() {
            return Value::Null;
        }
        let number = self.rng.within(-9, 99);
        let values = [
            Value::Null,
            Value::Bool(true),
            super::number::number(number).unwrap_or_default(),
            Value::from(0.5),
            Value::from(self.words(6)),
            Value::Array(vec![Value::from(1)]),
            Value::Object([("key".to_owned(), Value::from("value"))].into_iter().collect()),
        ];
        self.rng.pick(&values).cloned().unwrap_or_default()
    }
}

/// Returns the `contains` rules, each repeated as often as required.
fn wanted<'d>(value_rules: &ValueRules<'d>) -> Vec<SchemaPart<'d>> {
    let mut wanted = Vec::new();
    for part in &value_rules.parts {
        let Some(contained) = part.child(&["contains"]) else { continue };
        let min = part.schema.get("minContains").and_then(Value::as_u64).unwrap_or(1);
        let times = usize::try_from(min).unwrap_or(MAX_BOUNDED).min(MAX_BOUNDED);
        wanted.extend(std::iter::repeat_n(contained, times));
    }
    wanted
}
