//! Objects: required properties, some of the optional ones, and undeclared names.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::InstancesError;
use super::document::SchemaPart;
use super::generator::{GenResult, Generator, ValueSize, pointer};
use super::rules::ValueRules;
use crate::schema::pattern::Pattern;

/// The most undeclared names that are made without a bound.
const MAX_UNBOUNDED: usize = 3;
/// The most that are made up to a bound.
const MAX_BOUNDED: usize = 32;
/// The most tries to make a name that is free and admitted.
const TRIES: usize = 40;

impl<'d> Generator<'d> {
    pub(super) fn object(
        &mut self,
        value_rules: &ValueRules<'d>,
        parts: &[SchemaPart<'d>],
        levels: u32,
    ) -> GenResult<Value> {
        let required = required(value_rules);
        let min = value_rules.at_least("minProperties");
        let max = value_rules.at_most("maxProperties").unwrap_or(usize::MAX);
        let mut names: Vec<&str> = required.iter().copied().collect();
        names.extend(self.optional(value_rules, &required, levels, (min, max)));
        let mut made = Map::new();
        for name in names {
            let value = self.property(value_rules, name, levels)?;
            made.insert(name.to_owned(), value);
        }
        self.undeclared(value_rules, &mut made, levels, (min, max))?;
        if made.len() < min {
            let problem = "it cannot have the required number of properties";
            return Err(InstancesError::new(pointer(parts), problem));
        }
        Ok(Value::Object(made))
    }

    /// Chooses among the declared optional properties.
    fn optional(
        &mut self,
        value_rules: &ValueRules<'d>,
        required: &BTreeSet<&str>,
        levels: u32,
        (min, max): (usize, usize),
    ) -> Vec<&'d str> {
        let mut names: Vec<&str> = declared(value_rules)
            .into_iter()
            .filter(|name| !required.contains(name))
            .filter(|name| self.has_size_left(&rules_for(value_rules, name), levels))
            .collect();
        let needed = min.saturating_sub(required.len());
        let may = max.saturating_sub(required.len());
        if self.wanted_size != ValueSize::Least {
            self.rng.shuffle(&mut names);
        }
        let often = match self.wanted_size {
            ValueSize::Most if !self.is_sparing() => 1,
            ValueSize::Any if !self.is_sparing() => 1 + self.rng.below(4),
            ValueSize::Least | ValueSize::Most | ValueSize::Any => usize::MAX,
        };
        let mut count = 0;
        names.retain(|_| {
            let taken = count < may && (count < needed || self.rng.once_in(often));
            count += usize::from(taken);
            taken
        });
        names
    }

    fn property(
        &mut self,
        value_rules: &ValueRules<'d>,
        name: &str,
        levels: u32,
    ) -> GenResult<Value> {
        let rules = rules_for(value_rules, name);
        if rules.is_empty() {
            Ok(self.unconstrained())
        } else {
            self.value(&rules, levels.saturating_sub(1))
        }
    }

    /// Adds properties under names that are not declared.
    fn undeclared(
        &mut self,
        value_rules: &ValueRules<'d>,
        made: &mut Map<String, Value>,
        levels: u32,
        (min, max): (usize, usize),
    ) -> GenResult<()> {
        let needed = min.saturating_sub(made.len());
        let may = if is_map(value_rules) { max.saturating_sub(made.len()) } else { needed };
        let count = self.length(needed, may.max(needed), MAX_UNBOUNDED, MAX_BOUNDED);
        for _ in 0..count {
            let Some(name) = self.name(value_rules, made, levels)? else { break };
            let value = self.property(value_rules, &name, levels)?;
            made.insert(name, value);
        }
        Ok(())
    }

    /// Makes a name that is free and whose value fits.
    fn name(
        &mut self,
        value_rules: &ValueRules<'d>,
        made: &Map<String, Value>,
        levels: u32,
    ) -> GenResult<Option<String>> {
        let patterns = pattern_names(value_rules);
        let rules: Vec<_> =
            value_rules.parts.iter().filter_map(|part| part.child(&["propertyNames"])).collect();
        for attempt in 0..TRIES {
            let pattern = self.rng.pick(&patterns).filter(|_| attempt % 2 == 0).copied();
            let name = match pattern {
                Some(pattern) => self.matching(pattern),
                None if rules.is_empty() => Some(self.words(8)),
                None => self.text_of(&rules, levels)?,
            };
            let Some(name) = name else { continue };
            let fits = || self.has_size_left(&rules_for(value_rules, &name), levels);
            if !made.contains_key(&name) && fits() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Makes a text that satisfies these parts.
    fn text_of(&mut self, rules: &[SchemaPart<'d>], levels: u32) -> GenResult<Option<String>> {
        let value_rules = self.collect_rules(rules, levels)?;
        let enumerated =
            value_rules.enumerated().and_then(|enumerated| self.rng.pick(&enumerated).copied());
        let name = match enumerated {
            Some(value) => value.as_str().map(str::to_owned),
            None => self.text(&value_rules).ok(),
        };
        let admits = |name: &String, part| self.document.part_admits(part, &name.as_str().into());
        Ok(name.filter(|name| rules.iter().all(|part| admits(name, part).unwrap_or(true))))
    }
}

/// Returns the required names, and the names that they require.
pub(super) fn required<'d>(value_rules: &ValueRules<'d>) -> BTreeSet<&'d str> {
    let lists = value_rules.all("required").filter_map(Value::as_array).flatten();
    let mut names: BTreeSet<&str> = lists.filter_map(Value::as_str).collect();
    let brought = |names: &BTreeSet<&'d str>| -> Vec<&'d str> {
        let words = ["dependentRequired", "dependencies"];
        let rules =
            words.iter().flat_map(|word| value_rules.all(word)).filter_map(Value::as_object);
        let rules = rules.flatten().filter(|(name, _)| names.contains(name.as_str()));
        rules.filter_map(|(_, list)| list.as_array()).flatten().filter_map(Value::as_str).collect()
    };
    loop {
        let more = brought(&names);
        let before = names.len();
        names.extend(more);
        if names.len() == before {
            return names;
        }
    }
}

/// Returns the declared names.
pub(super) fn declared<'d>(value_rules: &ValueRules<'d>) -> BTreeSet<&'d str> {
    let maps = value_rules.all("properties").filter_map(Value::as_object);
    maps.flatten().map(|(name, _)| name.as_str()).collect()
}

/// Returns all rules of the value under a name.
pub(super) fn rules_for<'d>(value_rules: &ValueRules<'d>, name: &str) -> Vec<SchemaPart<'d>> {
    let mut rules = Vec::new();
    for part in &value_rules.parts {
        let before = rules.len();
        rules.extend(part.child(&["properties", name]));
        for pattern in patterns(part) {
            if Pattern::new(pattern).is_ok_and(|regex| regex.is_match(name)) {
                rules.extend(part.child(&["patternProperties", pattern]));
            }
        }
        if rules.len() == before {
            rules.extend(part.child(&["additionalProperties"]));
        }
    }
    rules
}

fn patterns<'d>(part: &SchemaPart<'d>) -> impl Iterator<Item = &'d str> {
    let patterns = part.schema.get("patternProperties").and_then(Value::as_object);
    patterns.into_iter().flatten().map(|(pattern, _)| pattern.as_str())
}

fn pattern_names<'d>(value_rules: &ValueRules<'d>) -> Vec<&'d str> {
    value_rules.parts.iter().flat_map(patterns).collect()
}

/// Returns whether undeclared names are intended.
fn is_map(value_rules: &ValueRules<'_>) -> bool {
    let says = |value: &Value| value != &Value::Bool(false);
    let open =
        value_rules.all("additionalProperties").any(says) || !pattern_names(value_rules).is_empty();
    open && !value_rules.has("unevaluatedProperties")
}
