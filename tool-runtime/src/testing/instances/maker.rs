//! Makes one value: gathers what is said of it, chooses, and asks whether the choice is admitted.

use serde_json::Value;

use super::document::{DEEPEST, Document, Part};
use super::facts::{Facts, Kind};
use super::{Dice, InstancesError};

/// What kind of values are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taste {
    /// As little as is admitted.
    Least,
    /// As much as is sensible.
    Most,
    /// Now an edge, now something plain.
    Any,
}

/// One value under construction.
pub(super) struct Maker<'d> {
    pub(super) document: &'d Document,
    pub(super) dice: Dice,
    pub(super) taste: Taste,
    /// How many values may still be tried, so that a contradiction ends.
    fuel: u32,
    /// How many values are in it, so that it stays readable.
    pub(super) size: u32,
}

pub(super) type Made<T> = Result<T, InstancesError>;

/// How many values are tried for one instance.
const FUEL: u32 = 20_000;
/// How often a value is made anew where a rule can only be checked afterwards.
const TRIES: u32 = 24;
/// How many levels a value has that is not meant to be deep.
const LEVELS: u32 = 5;
/// Beyond so many values in it, an instance takes only what it must.
const LARGE: u32 = 300;

impl<'d> Maker<'d> {
    pub(super) fn new(document: &'d Document, taste: Taste, seed: u64) -> Self {
        Self { document, dice: Dice::seeded(seed), taste, fuel: FUEL, size: 0 }
    }

    pub(super) fn make(mut self) -> Made<Value> {
        let root = self.document.part();
        let levels = if self.document.fits(&root, LEVELS) { LEVELS } else { DEEPEST };
        let value = self.value(&[root], levels)?;
        if self.document.admits(&value) {
            return Ok(value);
        }
        Err(InstancesError::new("", "what was made of its parts is not admitted by the whole"))
    }

    /// Makes a value that satisfies all of these parts, at most so deep.
    pub(super) fn value(&mut self, parts: &[Part<'d>], levels: u32) -> Made<Value> {
        self.size += 1;
        let taste = self.taste;
        let made = self.tried(parts, levels);
        self.taste = taste;
        made
    }

    fn tried(&mut self, parts: &[Part<'d>], levels: u32) -> Made<Value> {
        let mut stuck = None;
        for attempt in 0..TRIES {
            // The least value is always the same one: where it is refused, any other will do.
            if attempt == TRIES / 3 && self.taste == Taste::Least {
                self.taste = Taste::Any;
            }
            match self.once(parts, levels) {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(error) if error.pointer() != pointer(parts) => return Err(error),
                Err(error) => drop(stuck.get_or_insert(error)),
            }
        }
        Err(stuck.unwrap_or_else(|| {
            let found = format!("{TRIES} values were made by its rules, and none satisfies all");
            InstancesError::new(pointer(parts), found)
        }))
    }

    /// Makes a value; none if it breaks a rule that could not be followed.
    fn once(&mut self, parts: &[Part<'d>], levels: u32) -> Made<Option<Value>> {
        let facts = self.gather(parts, levels)?;
        let value = self.of(&facts, parts, levels)?;
        Ok((!facts.hard || self.is_admitted(parts, &value)).then_some(value))
    }

    fn is_admitted(&self, parts: &[Part<'d>], value: &Value) -> bool {
        parts.iter().all(|part| self.document.part_admits(part, value).unwrap_or(true))
    }

    /// Follows references and combinators, choosing where there is a choice.
    pub(super) fn gather(&mut self, parts: &[Part<'d>], levels: u32) -> Made<Facts<'d>> {
        let mut facts = Facts::default();
        let mut open: Vec<Part<'d>> = parts.to_vec();
        while let Some(part) = open.pop() {
            self.burn(&part)?;
            match part.schema {
                Value::Bool(true) => continue,
                Value::Bool(false) => {
                    return Err(InstancesError::new(part.at, "it is `false`: no value here"));
                }
                _ => {}
            }
            if let Some(target) = part.schema.get("$ref").and_then(Value::as_str) {
                open.extend(self.document.target(target));
            }
            open.extend(part.list("allOf"));
            for keyword in ["anyOf", "oneOf"] {
                open.extend(self.branch(&part, keyword, levels)?);
                facts.hard |= part.schema.get(keyword).is_some();
            }
            open.extend(self.condition(&part));
            facts.push(part);
        }
        Ok(facts)
    }

    fn branch(&mut self, part: &Part<'d>, keyword: &str, levels: u32) -> Made<Option<Part<'d>>> {
        let branches = part.list(keyword);
        if branches.is_empty() {
            return Ok(None);
        }
        let fits = |branch: &Part<'d>| self.document.fits(branch, levels);
        let mut branches: Vec<_> = branches.into_iter().filter(fits).collect();
        if branches.is_empty() {
            return Err(InstancesError::new(&*part.at, format!("no branch of `{keyword}` ends")));
        }
        // The first branch first, and another where it has led nowhere.
        let first = self.is_sparing() && !self.dice.once_in(3);
        let index = if first { 0 } else { self.dice.below(branches.len()) };
        Ok(Some(branches.swap_remove(index)))
    }

    fn condition(&mut self, part: &Part<'d>) -> Vec<Part<'d>> {
        let Some(test) = part.child(&["if"]) else { return Vec::new() };
        if self.dice.once_in(2) {
            return part.child(&["else"]).into_iter().collect();
        }
        [Some(test), part.child(&["then"])].into_iter().flatten().collect()
    }

    /// Does it take only what it must?
    pub(super) fn is_sparing(&self) -> bool {
        self.taste == Taste::Least || self.size > LARGE
    }

    fn burn(&mut self, part: &Part<'_>) -> Made<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or_else(|| {
            InstancesError::new(&*part.at, "none was found in as many tries as are made")
        })?;
        Ok(())
    }

    /// Makes a value of one of the kinds that are admitted.
    fn of(&mut self, facts: &Facts<'d>, parts: &[Part<'d>], levels: u32) -> Made<Value> {
        let nothing = |found: &str| InstancesError::new(pointer(parts), found);
        if let Some(listed) = facts.listed() {
            let value = if self.taste == Taste::Least && !self.dice.once_in(4) {
                listed.first().copied()
            } else {
                self.dice.pick(&listed).copied()
            };
            return value
                .cloned()
                .ok_or_else(|| nothing("its lists of values have none in common"));
        }
        if let Some(shown) = self.shown(facts) {
            return Ok(shown);
        }
        let kind = self.kind(facts, levels).ok_or_else(|| nothing("no type is left"))?;
        match kind {
            Kind::Null => Ok(Value::Null),
            Kind::Bool => Ok(Value::Bool(self.taste != Taste::Least && self.dice.once_in(2))),
            Kind::Integer => {
                self.integer(facts).ok_or_else(|| nothing("no integer lies in its bounds"))
            }
            Kind::Fraction => {
                self.fraction(facts).ok_or_else(|| nothing("no number lies in its bounds"))
            }
            Kind::Text => self.text(facts).map_err(|found| nothing(&found)).map(Value::String),
            Kind::Array => self.array(facts, parts, levels),
            Kind::Object => self.object(facts, parts, levels),
        }
    }

    /// Now and then what the schema itself shows: an example, or the default.
    fn shown(&mut self, facts: &Facts<'d>) -> Option<Value> {
        if self.taste != Taste::Any || !facts.shows() || !self.dice.once_in(3) {
            return None;
        }
        let examples = facts.all("examples").filter_map(Value::as_array).flatten();
        let shown: Vec<&Value> = examples.chain(facts.all("default")).collect();
        self.dice.pick(&shown).map(|value| (*value).clone())
    }

    fn kind(&mut self, facts: &Facts<'d>, levels: u32) -> Option<Kind> {
        let mut kinds = facts.kinds();
        kinds.retain(|kind| levels > 0 || !matches!(kind, Kind::Array | Kind::Object));
        if kinds.contains(&Kind::Fraction) && facts.maps().any(|map| map.contains_key("type")) {
            // A number is a number: integers are made among the fractions.
            kinds.retain(|kind| *kind != Kind::Integer);
        }
        let spoken: Vec<Kind> = kinds.iter().copied().filter(|k| facts.speaks_of(*k)).collect();
        let untyped = !facts.has("type");
        if !spoken.is_empty() && (untyped || self.taste == Taste::Most || !self.dice.once_in(4)) {
            kinds = spoken;
        }
        if self.taste == Taste::Least {
            return kinds.first().copied();
        }
        self.dice.pick(&kinds).copied()
    }
}

/// Where the parts of a value stand, as far as one pointer says.
pub(super) fn pointer(parts: &[Part<'_>]) -> String {
    parts.first().map(|part| part.at.clone()).unwrap_or_default()
}
