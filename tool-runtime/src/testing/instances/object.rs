//! Objects: required properties, some of the optional ones, and undeclared names.

use std::collections::BTreeSet;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::InstancesError;
use super::document::Part;
use super::facts::Facts;
use super::maker::{Made, Maker, Taste, pointer};

/// How many undeclared names are made where nothing asks for more.
const FEW: usize = 3;
/// How many are made because a bound admits them.
const MANY: usize = 32;
/// How often a name is made anew because it is taken or refused.
const TRIES: usize = 40;

impl<'d> Maker<'d> {
    pub(super) fn object(
        &mut self,
        facts: &Facts<'d>,
        parts: &[Part<'d>],
        levels: u32,
    ) -> Made<Value> {
        let required = required(facts);
        let least = facts.at_least("minProperties");
        let most = facts.at_most("maxProperties").unwrap_or(usize::MAX);
        let mut names: Vec<&str> = required.iter().copied().collect();
        names.extend(self.optional(facts, &required, levels, (least, most)));
        let mut made = Map::new();
        for name in names {
            let value = self.property(facts, name, levels)?;
            made.insert(name.to_owned(), value);
        }
        self.undeclared(facts, &mut made, levels, (least, most))?;
        if made.len() < least {
            let found = "it can't have as many properties as it must";
            return Err(InstancesError::new(pointer(parts), found));
        }
        Ok(Value::Object(made))
    }

    /// Chooses among the declared optional properties.
    fn optional(
        &mut self,
        facts: &Facts<'d>,
        required: &BTreeSet<&str>,
        levels: u32,
        (least, most): (usize, usize),
    ) -> Vec<&'d str> {
        let mut names: Vec<&str> = declared(facts)
            .into_iter()
            .filter(|name| !required.contains(name))
            .filter(|name| self.has_room(&rules_for(facts, name), levels))
            .collect();
        let needed = least.saturating_sub(required.len());
        let may = most.saturating_sub(required.len());
        if self.taste != Taste::Least {
            self.dice.shuffle(&mut names);
        }
        let often = match self.taste {
            Taste::Most if !self.is_sparing() => 1,
            Taste::Any if !self.is_sparing() => 1 + self.dice.below(4),
            _ => usize::MAX,
        };
        let mut count = 0;
        names.retain(|_| {
            let taken = count < may && (count < needed || self.dice.once_in(often));
            count += usize::from(taken);
            taken
        });
        names
    }

    fn property(&mut self, facts: &Facts<'d>, name: &str, levels: u32) -> Made<Value> {
        let rules = rules_for(facts, name);
        if rules.is_empty() {
            Ok(self.anything())
        } else {
            self.value(&rules, levels.saturating_sub(1))
        }
    }

    /// Adds properties under names that are not declared.
    fn undeclared(
        &mut self,
        facts: &Facts<'d>,
        made: &mut Map<String, Value>,
        levels: u32,
        (least, most): (usize, usize),
    ) -> Made<()> {
        let needed = least.saturating_sub(made.len());
        let may = if is_map(facts) { most.saturating_sub(made.len()) } else { needed };
        let count = self.length(needed, may.max(needed), FEW, MANY);
        for _ in 0..count {
            let Some(name) = self.name(facts, made, levels)? else { break };
            let value = self.property(facts, &name, levels)?;
            made.insert(name, value);
        }
        Ok(())
    }

    /// Makes a name that is free and whose value fits.
    fn name(
        &mut self,
        facts: &Facts<'d>,
        made: &Map<String, Value>,
        levels: u32,
    ) -> Made<Option<String>> {
        let patterns = pattern_names(facts);
        let rules: Vec<_> =
            facts.parts.iter().filter_map(|part| part.child(&["propertyNames"])).collect();
        for attempt in 0..TRIES {
            let pattern = self.dice.pick(&patterns).filter(|_| attempt % 2 == 0).copied();
            let name = match pattern {
                Some(pattern) => self.matching(pattern),
                None if rules.is_empty() => Some(self.words(8)),
                None => self.text_of(&rules, levels)?,
            };
            let Some(name) = name else { continue };
            let fits = || self.has_room(&rules_for(facts, &name), levels);
            if !made.contains_key(&name) && fits() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// A text that satisfies these parts, whatever else they would admit.
    fn text_of(&mut self, rules: &[Part<'d>], levels: u32) -> Made<Option<String>> {
        let facts = self.gather(rules, levels)?;
        let listed = facts.listed().and_then(|listed| self.dice.pick(&listed).copied());
        let name = match listed {
            Some(value) => value.as_str().map(str::to_owned),
            None => self.text(&facts).ok(),
        };
        let admits = |name: &String, part| self.document.part_admits(part, &name.as_str().into());
        Ok(name.filter(|name| rules.iter().all(|part| admits(name, part).unwrap_or(true))))
    }
}

/// The names that must be there, and those that these bring with them.
pub(super) fn required<'d>(facts: &Facts<'d>) -> BTreeSet<&'d str> {
    let lists = facts.all("required").filter_map(Value::as_array).flatten();
    let mut names: BTreeSet<&str> = lists.filter_map(Value::as_str).collect();
    let brought = |names: &BTreeSet<&'d str>| -> Vec<&'d str> {
        let words = ["dependentRequired", "dependencies"];
        let rules = words.iter().flat_map(|word| facts.all(word)).filter_map(Value::as_object);
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

/// The names that some part declares.
pub(super) fn declared<'d>(facts: &Facts<'d>) -> BTreeSet<&'d str> {
    let maps = facts.all("properties").filter_map(Value::as_object);
    maps.flatten().map(|(name, _)| name.as_str()).collect()
}

/// Everything that is said of the value under a name.
pub(super) fn rules_for<'d>(facts: &Facts<'d>, name: &str) -> Vec<Part<'d>> {
    let mut rules = Vec::new();
    for part in &facts.parts {
        let before = rules.len();
        rules.extend(part.child(&["properties", name]));
        for pattern in patterns(part) {
            if Regex::new(pattern).is_ok_and(|regex| regex.is_match(name)) {
                rules.extend(part.child(&["patternProperties", pattern]));
            }
        }
        if rules.len() == before {
            rules.extend(part.child(&["additionalProperties"]));
        }
    }
    rules
}

fn patterns<'d>(part: &Part<'d>) -> impl Iterator<Item = &'d str> {
    let patterns = part.schema.get("patternProperties").and_then(Value::as_object);
    patterns.into_iter().flatten().map(|(pattern, _)| pattern.as_str())
}

fn pattern_names<'d>(facts: &Facts<'d>) -> Vec<&'d str> {
    facts.parts.iter().flat_map(patterns).collect()
}

/// Is it meant to hold names that nobody has declared?
fn is_map(facts: &Facts<'_>) -> bool {
    let says = |value: &Value| value != &Value::Bool(false);
    let open = facts.all("additionalProperties").any(says) || !pattern_names(facts).is_empty();
    open && !facts.has("unevaluatedProperties")
}
