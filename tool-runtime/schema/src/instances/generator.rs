//! Makes one value: collects its rules, chooses, and checks the choice.

use serde_json::Value;

use super::document::{MAX_LEVELS, SchemaDocument, SchemaPart};
use super::rules::{ValueKind, ValueRules};
use super::{InstancesError, SeededRng};

/// The size of the wanted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueSize {
    /// The smallest admitted value.
    Least,
    /// A large value.
    Most,
    /// Edge cases and ordinary values.
    Any,
}

/// One value under construction.
pub(super) struct Generator<'d> {
    pub(super) document: &'d SchemaDocument,
    pub(super) rng: SeededRng,
    pub(super) wanted_size: ValueSize,
    /// The number of values that may still be tried, so that contradictions end.
    values_left: u32,
    /// The number of values in the instance, so that it stays readable.
    pub(super) size: u32,
}

pub(super) type GenResult<T> = Result<T, InstancesError>;

/// The most values that are tried for one instance.
const MAX_VALUES: u32 = 20_000;
/// The most tries for a rule that can only be checked afterwards.
const TRIES: u32 = 24;
/// The usual limit of nesting.
const LEVELS: u32 = 5;
/// Above this number of values, only required values are added.
const SPARING_ABOVE: u32 = 300;

impl<'d> Generator<'d> {
    pub(super) fn new(document: &'d SchemaDocument, wanted_size: ValueSize, seed: u64) -> Self {
        Self {
            document,
            rng: SeededRng::seeded(seed),
            wanted_size,
            values_left: MAX_VALUES,
            size: 0,
        }
    }

    pub(super) fn make(mut self) -> GenResult<Value> {
        let root = self.document.part();
        let levels = if self.document.fits(&root, LEVELS) { LEVELS } else { MAX_LEVELS };
        let value = self.value(&[root], levels)?;
        if self.document.admits(&value) {
            return Ok(value);
        }
        Err(InstancesError::new("", "the parts admit a value that the whole schema rejects"))
    }

    /// Makes a value that satisfies all of these parts, at most this deep.
    pub(super) fn value(&mut self, parts: &[SchemaPart<'d>], levels: u32) -> GenResult<Value> {
        self.size += 1;
        let wanted_size = self.wanted_size;
        let made = self.tried(parts, levels);
        self.wanted_size = wanted_size;
        made
    }

    fn tried(&mut self, parts: &[SchemaPart<'d>], levels: u32) -> GenResult<Value> {
        let mut stuck = None;
        for attempt in 0..TRIES {
            // The smallest value is always the same: if it is rejected, others are tried.
            if attempt == TRIES / 3 && self.wanted_size == ValueSize::Least {
                self.wanted_size = ValueSize::Any;
            }
            match self.once(parts, levels) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(error) if error.pointer() != pointer(parts) => return Err(error),
                Err(error) => drop(stuck.get_or_insert(error)),
            }
        }
        Err(stuck.unwrap_or_else(|| {
            let message = format!("{TRIES} values were made by its rules, but none satisfies all");
            InstancesError::new(pointer(parts), message)
        }))
    }

    /// Makes a value; none if it breaks a rule that could not be followed.
    fn once(&mut self, parts: &[SchemaPart<'d>], levels: u32) -> GenResult<Option<Value>> {
        let value_rules = self.collect_rules(parts, levels)?;
        let value = self.make_value(&value_rules, parts, levels)?;
        Ok((!value_rules.needs_check || self.is_admitted(parts, &value)).then_some(value))
    }

    fn is_admitted(&self, parts: &[SchemaPart<'d>], value: &Value) -> bool {
        parts.iter().all(|part| self.document.part_admits(part, value).unwrap_or(true))
    }

    /// Follows references and combinators, choosing a branch where there are several.
    pub(super) fn collect_rules(
        &mut self,
        parts: &[SchemaPart<'d>],
        levels: u32,
    ) -> GenResult<ValueRules<'d>> {
        let mut value_rules = ValueRules::default();
        let mut open: Vec<SchemaPart<'d>> = parts.to_vec();
        while let Some(part) = open.pop() {
            self.count_value(&part)?;
            match part.schema {
                Value::Bool(true) => continue,
                Value::Bool(false) => {
                    return Err(InstancesError::new(
                        part.at,
                        "it is `false`, which admits no value",
                    ));
                }
                _ => {}
            }
            if let Some(target) = part.schema.get("$ref").and_then(Value::as_str) {
                open.extend(self.document.target(target));
            }
            open.extend(part.list("allOf"));
            for keyword in ["anyOf", "oneOf"] {
                open.extend(self.branch(&part, keyword, levels)?);
                value_rules.needs_check |= part.schema.get(keyword).is_some();
            }
            open.extend(self.condition(&part));
            value_rules.push(part);
        }
        Ok(value_rules)
    }

    fn branch(
        &mut self,
        part: &SchemaPart<'d>,
        keyword: &str,
        levels: u32,
    ) -> GenResult<Option<SchemaPart<'d>>> {
        let branches = part.list(keyword);
        if branches.is_empty() {
            return Ok(None);
        }
        let fits = |branch: &SchemaPart<'d>| self.document.fits(branch, levels);
        let mut branches: Vec<_> = branches.into_iter().filter(fits).collect();
        if branches.is_empty() {
            return Err(InstancesError::new(&*part.at, format!("no branch of `{keyword}` ends")));
        }
        // The first branch comes first, and another one if it led nowhere.
        let first = self.is_sparing() && !self.rng.once_in(3);
        let index = if first { 0 } else { self.rng.below(branches.len()) };
        Ok(Some(branches.swap_remove(index)))
    }

    fn condition(&mut self, part: &SchemaPart<'d>) -> Vec<SchemaPart<'d>> {
        let Some(test) = part.child(&["if"]) else { return Vec::new() };
        if self.rng.once_in(2) {
            return part.child(&["else"]).into_iter().collect();
        }
        [Some(test), part.child(&["then"])].into_iter().flatten().collect()
    }

    /// Returns whether only required values are added.
    pub(super) fn is_sparing(&self) -> bool {
        self.wanted_size == ValueSize::Least || self.size > SPARING_ABOVE
    }

    fn count_value(&mut self, part: &SchemaPart<'_>) -> GenResult<()> {
        self.values_left = self.values_left.checked_sub(1).ok_or_else(|| {
            InstancesError::new(&*part.at, "no value was found within the limit of tries")
        })?;
        Ok(())
    }

    /// Makes a value of one of the admitted types.
    fn make_value(
        &mut self,
        value_rules: &ValueRules<'d>,
        parts: &[SchemaPart<'d>],
        levels: u32,
    ) -> GenResult<Value> {
        let nothing = |found: &str| InstancesError::new(pointer(parts), found);
        if let Some(enumerated) = value_rules.enumerated() {
            let value = if self.wanted_size == ValueSize::Least && !self.rng.once_in(4) {
                enumerated.first().copied()
            } else {
                self.rng.pick(&enumerated).copied()
            };
            return value
                .cloned()
                .ok_or_else(|| nothing("its lists of values have none in common"));
        }
        if let Some(example) = self.example(value_rules) {
            return Ok(example);
        }
        let kind = self.kind(value_rules, levels).ok_or_else(|| nothing("no type is left"))?;
        match kind {
            ValueKind::Null => Ok(Value::Null),
            ValueKind::Bool => {
                Ok(Value::Bool(self.wanted_size != ValueSize::Least && self.rng.once_in(2)))
            }
            ValueKind::Integer => {
                self.integer(value_rules).ok_or_else(|| nothing("no integer lies in its bounds"))
            }
            ValueKind::Fraction => {
                self.fraction(value_rules).ok_or_else(|| nothing("no number lies in its bounds"))
            }
            ValueKind::Text => {
                self.text(value_rules).map_err(|found| nothing(&found)).map(Value::String)
            }
            ValueKind::Array => self.array(value_rules, parts, levels),
            ValueKind::Object => self.object(value_rules, parts, levels),
        }
    }

    /// Sometimes returns an example or the default of the schema.
    fn example(&mut self, value_rules: &ValueRules<'d>) -> Option<Value> {
        if self.wanted_size != ValueSize::Any || !value_rules.shows() || !self.rng.once_in(3) {
            return None;
        }
        let examples = value_rules.all("examples").filter_map(Value::as_array).flatten();
        let example: Vec<&Value> = examples.chain(value_rules.all("default")).collect();
        self.rng.pick(&example).map(|value| (*value).clone())
    }

    fn kind(&mut self, value_rules: &ValueRules<'d>, levels: u32) -> Option<ValueKind> {
        let mut kinds = value_rules.kinds();
        kinds.retain(|kind| levels > 0 || !matches!(kind, ValueKind::Array | ValueKind::Object));
        if kinds.contains(&ValueKind::Fraction)
            && value_rules.maps().any(|map| map.contains_key("type"))
        {
            // Integers are made among the fractions.
            kinds.retain(|kind| *kind != ValueKind::Integer);
        }
        let kinds_with_rules: Vec<ValueKind> =
            kinds.iter().copied().filter(|k| value_rules.has_rules_for(*k)).collect();
        let untyped = !value_rules.has("type");
        if !kinds_with_rules.is_empty()
            && (untyped || self.wanted_size == ValueSize::Most || !self.rng.once_in(4))
        {
            kinds = kinds_with_rules;
        }
        if self.wanted_size == ValueSize::Least {
            return kinds.first().copied();
        }
        self.rng.pick(&kinds).copied()
    }
}

/// Returns the pointer of the first part.
pub(super) fn pointer(parts: &[SchemaPart<'_>]) -> String {
    parts.first().map(|part| part.at.clone()).unwrap_or_default()
}
